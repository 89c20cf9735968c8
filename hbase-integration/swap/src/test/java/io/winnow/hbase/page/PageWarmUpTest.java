package io.winnow.hbase.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.metrics.ServerViewDoor;
import io.winnow.hbase.metrics.TestRegion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageWarmUpTest {
  /** Each page as HTML and as JSON: the style, the server; and the family's list, and a file. */
  private static final int WITHOUT_A_FILE = 4;

  private static final int WITH_A_FILE = 8;

  private static final byte[] FAMILY = Bytes.toBytes("f&=?<");

  @TempDir Path directory;

  private static int show(TestRegion region) {
    return PageWarmUp.show(
        new PageInput(
            "here,16020,1",
            new Configuration(),
            ServerViewDoor.of(List.of(region.region())),
            new RecentCounts(System::nanoTime, System.nanoTime())));
  }

  @Test
  void eachPageIsMadeThatThereIs() throws IOException {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setConfiguration("winnow.filter", "ribbon")
            .build();
    try (TestRegion region = new TestRegion(directory, "t", family)) {
      assertEquals(WITHOUT_A_FILE, show(region));
      region.region().put(new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY));
      region.region().flush(true);
      assertEquals(WITH_A_FILE, show(region));
    }
  }
}
