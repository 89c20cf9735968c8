package io.winnow.hbase.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.winnow.hbase.StoreFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.MetaCellComparator;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order of a file's rows, as the line of HBase that the tests run on writes and reads it. */
class CellOrderTest {
  @TempDir Path dir;

  private void assertByBytes(boolean expected, HFileContext context) throws IOException {
    assertEquals(expected, CellOrder.isByBytes(context.getCellComparator()));
    Configuration conf = StoreFiles.conf(Map.of());
    var path = StoreFiles.write(dir, conf, BloomType.ROW, context, StoreFiles.evenRows(10));
    FileSystem fs = FileSystem.getLocal(conf).getRaw();
    try (HFile.Reader reader = HFile.createReader(fs, path, new CacheConfig(conf), true, conf)) {
      assertEquals(
          expected,
          CellOrder.isByBytes(reader.getComparator()),
          reader.getComparator().getClass().getName());
    }
  }

  /** Later lines of HBase write and read files with a class of their own. */
  @Test
  void fileOfNoChosenOrderIsByBytes() throws IOException {
    assertByBytes(true, new HFileContextBuilder().withColumnFamily(StoreFiles.FAMILY).build());
  }

  @Test
  void fileOfATableIsByBytes() throws IOException {
    assertByBytes(
        true, StoreFiles.context().withCellComparator(CellComparator.getInstance()).build());
  }

  @Test
  void fileOfMetaIsNot() throws IOException {
    assertByBytes(
        false, StoreFiles.context().withCellComparator(MetaCellComparator.META_COMPARATOR).build());
  }

  @Test
  void fileThatDoesNotSayIsNot() {
    assertFalse(CellOrder.isByBytes(null));
  }
}
