package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.write.WinnowMetricsDoor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans of exactly one prefix, of files with HBase's filter of prefixes, and with ours of them. */
class ScanOfAPrefixTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int FILES = 10;
  private static final int PREFIXES = 200;

  @TempDir Path directory;

  private static byte[] bytes(String text) {
    return Bytes.toBytesBinary(text);
  }

  private static String prefix(int i) {
    return Bytes.toStringBinary(new byte[] {'p', (byte) (i * 37), (byte) (255 - i)});
  }

  /** Each prefix is in one of the files; those beside it are not. */
  private TestRegion region(String filter) throws IOException {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(BloomType.ROWPREFIX_FIXED_LENGTH)
            .setConfiguration("RowPrefixBloomFilter.prefix_length", "3")
            .setConfiguration("winnow.filter", filter)
            .setConfiguration("io.storefile.bloom.error.rate", "0.0001")
            .build();
    TestRegion region = new TestRegion(directory, "t", family, Map.of(), TestRegion.CACHE);
    for (int file = 0; file < FILES; file++) {
      for (int i = file; i < PREFIXES; i += FILES) {
        for (String end : List.of("", "\\x00", "a", "\\xFF\\xFF")) {
          byte[] row = bytes(prefix(i) + end);
          region.region().put(new Put(row).addColumn(FAMILY, FAMILY, row));
        }
      }
      region.region().flush(true);
    }
    return region;
  }

  private static List<Scan> scansOf(byte[] prefix) {
    List<Scan> scans = new ArrayList<>();
    Scan forward = new Scan().setStartStopRowForPrefixScan(prefix);
    scans.add(forward);
    scans.add(new Scan().withStartRow(prefix).withStopRow(forward.getStopRow()));
    scans.add(
        new Scan()
            .setReversed(true)
            .withStartRow(forward.getStopRow(), false)
            .withStopRow(prefix, true));
    return scans;
  }

  private static int filesRead(TestRegion region, Scan scan) {
    int read = 0;
    for (HStoreFile file : region.files()) {
      read += StoreFileDoor.passes(file.getReader(), scan, region.store()) ? 1 : 0;
    }
    return read;
  }

  private static int rows(TestRegion region, Scan scan) throws IOException {
    int rows = 0;
    try (RegionScanner scanner = region.region().getScanner(scan)) {
      List<Cell> cells = new ArrayList<>();
      for (boolean more = true; more; cells.clear()) {
        more = scanner.next(cells);
        rows += cells.isEmpty() ? 0 : 1;
      }
    }
    return rows;
  }

  @ParameterizedTest
  @ValueSource(strings = {"bloom", "ribbon", "bumped-ribbon", "quotient"})
  void filesWithoutThePrefixAreSkipped(String filter) throws IOException {
    long failures = WinnowMetricsDoor.probeFailures.get();
    try (TestRegion region = region(filter)) {
      assertEquals(FILES, region.files().size());
      int read = 0;
      int scans = 0;
      for (int i = 0; i < PREFIXES; i++) {
        for (Scan scan : scansOf(bytes(prefix(i)))) {
          assertEquals(4, rows(region, scan), scan.toString());
          read += filesRead(region, scan);
          scans++;
        }
      }
      assertTrue(read >= scans && read < 1.01 * scans, read + " files for " + scans + " scans");
      for (Scan wider : scansOf(bytes("p\\x25"))) {
        assertTrue(filesRead(region, wider) > 1, "a shorter prefix is asked about nowhere");
      }
      assertEquals(failures, WinnowMetricsDoor.probeFailures.get());
    }
  }

  /** Where HBase itself asks, we do not: the probe would take twice its time, and count twice. */
  @Test
  void eachFileIsAskedOnce() throws IOException {
    try (TestRegion region = region("ribbon")) {
      List<Scan> scans = scansOf(bytes(prefix(150)));
      byte[] row = bytes(prefix(150) + "a");
      scans.add(new Scan().withStartRow(row).withStopRow(row, true));
      scans.add(new Scan().withStartRow(bytes(prefix(150))).withStopRow(row));
      byte[] start = bytes(prefix(150));
      scans.add(new Scan().withStartRow(start).withStopRow(start, true));
      for (Scan scan : scans) {
        long before = region.store().getBloomFilterRequestsCount();
        filesRead(region, scan);
        assertEquals(FILES, region.store().getBloomFilterRequestsCount() - before, "" + scan);
      }
    }
  }
}
