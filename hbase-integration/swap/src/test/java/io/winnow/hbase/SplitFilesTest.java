package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.agent.WithoutHooks;
import io.winnow.hbase.agent.WovenSplitter;
import io.winnow.hbase.read.WinnowFilterReader;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left of a store file when its region is split, or when a bulk load splits it. */
class SplitFilesTest {
  private static final int ROWS = 3000;
  private static final byte[] SPLIT_KEY = StoreFiles.row(ROWS);

  /** A filter of 1 % may miss so many of the absent rows: more than 5 sigma. */
  private static final int MAX_FALSE_POSITIVES = 60;

  @TempDir java.nio.file.Path dir;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void halfOfAFileIsReadThroughTheFilterOfTheWhole(boolean isTop) throws IOException {
    Configuration conf = StoreFiles.conf(Map.of("winnow.filter", "ribbon"));
    Path file =
        StoreFiles.write(dir.resolve("abcdef"), conf, BloomType.ROW, StoreFiles.evenRows(ROWS));
    FileSystem fs = FileSystem.getLocal(conf).getRaw();
    Reference reference =
        isTop
            ? Reference.createTopReference(SPLIT_KEY)
            : Reference.createBottomReference(SPLIT_KEY);
    // As a split leaves it: in a region of its own, named for the file and the file's region.
    Path name = new Path(dir.resolve("fedcba/f").resolve(file.getName() + ".abcdef").toUri());
    reference.write(fs, name);
    StoreFileInfo half = new StoreFileInfo(conf, fs, fs.getFileStatus(name), reference);

    HStoreFile opened =
        new HStoreFile(half, BloomType.ROW, new CacheConfig(conf), new BloomFilterMetrics());
    opened.initReader();
    assertTrue(opened.isReference());
    assertInstanceOf(WinnowFilterReader.class, StoreFileDoor.generalFilter(opened.getReader()));
    int first = isTop ? ROWS / 2 : 0;
    assertFilters(opened, first, first + ROWS / 2);
    opened.closeStoreFile(false);
  }

  @Test
  void toolThatSplitsGivesEachHalfTheFilterOfTheFamily() throws IOException {
    assertSplit(WovenSplitter.tool(), WinnowFilterReader.class);
  }

  @Test
  void toolThatSplitsGoesOnWithoutItsHook() throws IOException {
    assertSplit(WithoutHooks.splitter(), CompoundBloomFilter.class);
  }

  private void assertSplit(Class<?> tool, Class<?> filter) throws IOException {
    Configuration site = new Configuration();
    site.set("fs.defaultFS", "file:///");
    Path file = StoreFiles.write(dir, site, BloomType.ROW, StoreFiles.evenRows(ROWS));
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(StoreFiles.FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setConfiguration("winnow.filter", "ribbon")
            .build();
    Path bottom = new Path(file.getParent(), "00000000000000000000000000000001");
    Path top = new Path(file.getParent(), "00000000000000000000000000000002");

    WovenSplitter.split(tool, site, file, family, SPLIT_KEY, bottom, top);

    Configuration conf = StoreFiles.conf(Map.of());
    for (Path half : new Path[] {bottom, top}) {
      HStoreFile opened = StoreFiles.open(conf, half, BloomType.ROW, new BloomFilterMetrics());
      assertInstanceOf(filter, StoreFileDoor.generalFilter(opened.getReader()));
      assertEquals(ROWS / 2, opened.getReader().getEntries());
      int first = half == top ? ROWS / 2 : 0;
      assertFilters(opened, first, first + ROWS / 2);
      opened.closeStoreFile(false);
    }
  }

  /** Of the even rows from one to another all are there, and few of the odd ones seem to be. */
  private static void assertFilters(HStoreFile file, int from, int to) {
    int falsePositives = 0;
    for (int i = from; i < to; i++) {
      byte[] present = StoreFiles.row(2 * i);
      assertTrue(StoreFileDoor.passes(file.getReader(), present, null), "row " + 2 * i);
      byte[] absent = StoreFiles.row(2 * i + 1);
      falsePositives += StoreFileDoor.passes(file.getReader(), absent, null) ? 1 : 0;
    }
    assertTrue(falsePositives < MAX_FALSE_POSITIVES, falsePositives + " false positives");
  }
}
