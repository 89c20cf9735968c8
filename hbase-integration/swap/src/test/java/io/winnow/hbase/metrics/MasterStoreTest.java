package io.winnow.hbase.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.read.WinnowFilterReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Regions as a server or a master has them, with a filter for all in hbase-site.xml. */
class MasterStoreTest {
  private static final byte[] FAMILY = Bytes.toBytes("proc");

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"master:store, false", "hbase:acl, false", "store, true", "my:store, true"})
  void masterKeepsTheStockFilter(String table, boolean isOurs) throws IOException {
    var family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBloomFilterType(BloomType.ROW).build();
    var site = Map.of("winnow.filter", "bumped-ribbon");
    try (TestRegion region = new TestRegion(directory, table, family, site)) {
      for (int flush = 0; flush < 2; flush++) {
        for (int i = 0; i < 50; i++) {
          region.region().put(new Put(Bytes.toBytes(i)).addColumn(FAMILY, FAMILY, FAMILY));
        }
        region.region().flush(true);
      }
      assertFilters(region, isOurs, 2);
      region.region().compact(true);
      assertFilters(region, isOurs, 1);
    }
  }

  private static void assertFilters(TestRegion region, boolean areOurs, int files) {
    assertEquals(files, region.files().size());
    region
        .files()
        .forEach(
            file ->
                assertEquals(
                    areOurs ? WinnowFilterReader.class : CompoundBloomFilter.class,
                    file.getReader().getGeneralBloomFilter().getClass()));
  }
}
