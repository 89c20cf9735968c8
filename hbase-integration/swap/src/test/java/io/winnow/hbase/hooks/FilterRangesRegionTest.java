package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.metrics.Families;
import io.winnow.hbase.metrics.ScanCounters;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.write.WinnowMetricsDoor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CollectionBackedScanner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random scans with filters that state ranges, each also read as if the filter stated nothing: the
 * same region finds the same cells, and ends the scan in all regions if it does so then. {@code
 * -Dwinnow.ranges.sweep=N} asks for another number of scans, {@code -Dwinnow.scan.seed=N} for other
 * ones.
 */
class FilterRangesRegionTest {
  private static final int SCANS_PER_REGION = 250;

  @TempDir Path directory;

  private final long seed = Long.getLong("winnow.scan.seed", 20261128);
  private Random random = new Random(seed);
  private final List<byte[]> written = new ArrayList<>();
  private RandomFilters filters = new RandomFilters(random, written);
  private long time = 1000;
  private byte[] first;
  private byte[] end;

  private TableDescriptor table(int number) {
    String[] rules = {"none", "1", "2", "3", "4", "delimiter:0x00", "delimiter:a"};
    String[] segments = {"none", "0,1", "1,1", "2", "delimiter:0x00,1"};
    BloomType[] types = {
      BloomType.ROW, BloomType.ROW, BloomType.ROWPREFIX_FIXED_LENGTH, BloomType.NONE
    };
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(
            TableName.valueOf(filters.getClass().getSimpleName() + number));
    for (byte[] family : new byte[][] {RandomFilters.FAMILY, RandomFilters.OTHER}) {
      int encodings = DataBlockEncoding.values().length;
      table.setColumnFamily(
          ColumnFamilyDescriptorBuilder.newBuilder(family)
              .setMaxVersions(2)
              .setBlocksize(256)
              .setBloomFilterType(types[random.nextInt(types.length)])
              .setDataBlockEncoding(DataBlockEncoding.values()[random.nextInt(encodings)])
              .setConfiguration("winnow.filter", random.nextInt(4) == 0 ? "bloom" : "bumped-ribbon")
              .setConfiguration("winnow.scan.prefix", rules[random.nextInt(rules.length)])
              .setConfiguration("winnow.scan.segment", segments[random.nextInt(segments.length)])
              .setConfiguration("io.storefile.bloom.error.rate", "0.01")
              .setConfiguration("RowPrefixBloomFilter.prefix_length", "2")
              .build());
    }
    return table.build();
  }

  private boolean isInRegion(byte[] row) {
    return Bytes.compareTo(row, first) >= 0 && (end.length == 0 || Bytes.compareTo(row, end) < 0);
  }

  private void write(TestRegion region, int rows) throws IOException {
    byte[] head = random.nextInt(3) == 0 ? new byte[0] : filters.row();
    head = Arrays.copyOf(head, Math.min(head.length, random.nextInt(3)));
    for (int i = 0; i < rows; i++) {
      byte[] row = filters.row(head);
      if (random.nextInt(5) == 0 && !written.isEmpty()) {
        row = written.get(random.nextInt(written.size()));
      }
      if (!isInRegion(row)) {
        continue;
      }
      written.add(row);
      for (int cells = 1 + random.nextInt(3); cells > 0; cells--) {
        time += random.nextInt(2);
        byte[] family = random.nextInt(4) == 0 ? RandomFilters.OTHER : RandomFilters.FAMILY;
        if (random.nextInt(6) == 0) {
          Delete delete = new Delete(row);
          region
              .region()
              .delete(
                  random.nextBoolean()
                      ? delete.addFamily(family, time)
                      : delete.addColumn(family, filters.column(), time - random.nextInt(3)));
        } else {
          byte[] value = {(byte) ('u' + random.nextInt(3))};
          region.region().put(new Put(row).addColumn(family, filters.column(), time, value));
        }
      }
    }
  }

  private byte[] bound() {
    return random.nextInt(3) == 0 ? new byte[0] : filters.value();
  }

  private Scan scan() {
    Scan scan = new Scan().setReversed(random.nextInt(3) == 0);
    if (random.nextInt(3) > 0) {
      byte[] one = bound();
      byte[] other = bound();
      boolean isTurned =
          one.length > 0
              && other.length > 0
              && Bytes.compareTo(one, other) > 0 != scan.isReversed();
      scan.withStartRow(isTurned ? other : one, random.nextInt(4) > 0);
      scan.withStopRow(isTurned ? one : other, random.nextBoolean());
    }
    scan.setFilter(filters.filter(2));
    if (random.nextInt(6) == 0 && !scan.getFilter().hasFilterRow()) {
      scan.setBatch(1 + random.nextInt(2));
    }
    scan.setRaw(random.nextInt(8) == 0);
    if (random.nextInt(4) == 0 && !scan.isRaw()) {
      scan.addFamily(filters.family());
    }
    scan.readVersions(1 + random.nextInt(2));
    scan.setLoadColumnFamiliesOnDemand(random.nextInt(4) == 0);
    boolean isStream = random.nextInt(20) == 0; // it opens each file anew
    scan.setReadType(isStream ? Scan.ReadType.STREAM : Scan.ReadType.DEFAULT);
    return scan;
  }

  /**
   * Returns the cells that a region finds as text.
   *
   * @param isStock true if another scanner is merged, without a row: then the filter is not read
   * @param flushAfter the number of results after which the region is flushed
   */
  private String found(TestRegion region, Scan scan, int limit, boolean isStock, int flushAfter)
      throws IOException {
    StringBuilder found = new StringBuilder();
    Scan copy = ProtobufUtil.toScan(ProtobufUtil.toScan(scan)); // as a server gets it
    try (RegionScanner scanner =
        isStock
            ? region
                .region()
                .getScanner(copy, List.of(new CollectionBackedScanner(new ArrayList<Cell>())))
            : region.region().getScanner(copy)) {
      List<Cell> cells = new ArrayList<>();
      int results = 0;
      for (boolean more = true; more && results < limit; cells.clear()) {
        if (results == flushAfter) {
          region.region().flush(true);
        }
        more = scanner.next(cells);
        for (Cell cell : cells) {
          found
              .append(CellUtil.getCellKeyAsString(cell))
              .append('=')
              .append(Bytes.toString(CellUtil.cloneValue(cell)));
          found.append(' ');
        }
        results += cells.isEmpty() ? 0 : 1;
      }
      return found.append(scanner.isFilterDone() ? "done" : "").toString();
    }
  }

  /** Returns true if a client scans the next region, unless the filter ends the scan. */
  private boolean goesOn(Scan scan) {
    byte[] stop = scan.getStopRow();
    if (scan.isReversed()) {
      return first.length > 0 && Bytes.compareTo(stop, first) < 0;
    }
    return end.length > 0
        && (stop.length == 0 || Bytes.compareTo(stop, end) >= (scan.includeStopRow() ? 0 : 1));
  }

  /** Makes filters for the random rows of a region. */
  private interface Filters {
    RandomFilters of(Random random, List<byte[]> rows);
  }

  @Test
  void filesWithoutARowOfTheFilterMakeNoDifference() throws Exception {
    compare(RandomFilters::new);
  }

  @Test
  void filesWithoutARowOfPhoenixMakeNoDifference() throws Exception {
    compare(PhoenixFilters::new);
  }

  private void compare(Filters ofRows) throws Exception {
    long failures = WinnowMetricsDoor.probeFailures.get();
    long scans = Long.getLong("winnow.ranges.sweep", 1500);
    long stating = 0;
    long skipped = 0;
    int number = 0;
    for (long done = 0; done < scans; number++) {
      random = new Random(seed + number);
      written.clear();
      filters = ofRows.of(random, written);
      first = random.nextInt(3) == 0 ? new byte[] {1} : new byte[0];
      end = random.nextBoolean() ? new byte[] {'b'} : new byte[0];
      TableDescriptor table = table(number);
      try (TestRegion region = new TestRegion(directory.resolve("r" + number), table, first, end)) {
        for (int files = 3 + random.nextInt(7); files > 0; files--) {
          write(region, 1 + random.nextInt(6));
          region.region().flush(true);
        }
        write(region, random.nextInt(5)); // in memory
        if (written.isEmpty()) {
          continue;
        }
        for (int i = 0; i < SCANS_PER_REGION; i++, done++) {
          stating += check(region, number + "/" + i) ? 1 : 0;
        }
        for (byte[] family : table.getColumnFamilyNames()) {
          skipped += Families.of(table.getTableName(), family).scans.rangeSkips.sum();
        }
      }
    }
    assertTrue(stating > scans / 5, stating + " scans stated ranges");
    assertTrue(skipped > stating / 2, skipped + " files were skipped");
    assertEquals(failures, WinnowMetricsDoor.probeFailures.get());
  }

  private boolean check(TestRegion region, String number) throws IOException {
    Scan scan;
    try {
      scan = scan();
    } catch (IllegalArgumentException e) {
      return false; // ranges without a row
    }
    scan.getFilter().setReversed(scan.isReversed());
    if (scan.isGetScan()
        || FilterRanges.of(
                scan, region.region().getRegionInfo(), region.region().getTableDescriptor())
            == null) {
      return false;
    }
    int limit = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : Integer.MAX_VALUE;
    int flushAfter = -1;
    if (random.nextInt(200) == 0 && !scan.isRaw()) { // a flush leaves deleted cells out
      write(region, 3);
      flushAfter = random.nextInt(3);
    }
    String stock;
    try {
      stock = found(region, scan, limit, true, -1);
    } catch (IOException | RuntimeException e) {
      return false; // HBase refuses such a scan, or fails
    }
    String ours = found(region, scan, limit, false, flushAfter);
    if (!goesOn(scan) || !stock.endsWith("done")) {
      stock = stock.replace("done", "");
      ours = ours.replace("done", "");
    }
    assertEquals(stock, ours, () -> "seed " + seed + ", " + number + ": " + scan);
    return true;
  }

  private static byte[] rowOf(int prefix, int row) {
    return Bytes.toBytes(String.format(Locale.ROOT, "p%03d-%02d", prefix, row));
  }

  private static byte[] prefix(int prefix) {
    return Arrays.copyOf(rowOf(prefix, 0), 4);
  }

  private static Filter ofPrefixes(int one, int other) {
    return one == other
        ? new PrefixFilter(prefix(one))
        : new MultiRowRangeFilter(new byte[][] {prefix(one), prefix(other)});
  }

  private static TableDescriptor tableOfPrefixes(String name) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
        .setColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(RandomFilters.FAMILY)
                .setBlocksize(256)
                .setBloomFilterType(BloomType.ROW)
                .setConfiguration("winnow.filter", "bumped-ribbon")
                .setConfiguration("winnow.scan.prefix", "4")
                .setConfiguration("winnow.error.rate.scope", "file")
                .setConfiguration("io.storefile.bloom.error.rate", "0.1")
                .build())
        .build();
  }

  /** Each file has the rows of some prefixes, from a first one on and before a last one. */
  private List<Set<Integer>> fill(TestRegion region, int from, int to) throws IOException {
    List<Set<Integer>> files = new ArrayList<>();
    for (int file = 0; file < 5; file++) {
      Set<Integer> prefixes = new TreeSet<>();
      for (int prefix = from; prefix < to; prefix++) {
        if (random.nextInt(4) == 0) {
          prefixes.add(prefix);
          for (int row = 0; row < 4; row++) {
            byte[] key = rowOf(prefix, row);
            region.region().put(new Put(key).addColumn(RandomFilters.FAMILY, key, key));
          }
        }
      }
      region.region().flush(true);
      files.add(prefixes);
    }
    return files;
  }

  @Test
  void countsAreTheTrueOnes() throws IOException {
    byte[] all = {};
    TableDescriptor table = tableOfPrefixes("counted");
    try (TestRegion region = new TestRegion(directory, table, all, all)) {
      List<Set<Integer>> files = fill(region, 0, 200);
      long right = 0;
      long pairs = 0;
      for (int prefix = 0; prefix < 200; prefix++) {
        int other = Math.min(199, prefix + random.nextInt(2) * 50);
        for (boolean isReversed : new boolean[] {false, true}) {
          Scan scan = new Scan().setReversed(isReversed).setFilter(ofPrefixes(prefix, other));
          found(region, scan, Integer.MAX_VALUE, false, -1);
          for (Set<Integer> prefixes : files) {
            right += prefixes.contains(prefix) || prefixes.contains(other) ? 1 : 0;
            pairs++;
          }
        }
      }
      ScanCounters counters = region.counters().scans;
      long read = counters.rangeTruePositives.sum() + counters.rangeFalsePositives.sum();
      assertEquals(right, counters.rangeTruePositives.sum());
      assertEquals(pairs, counters.rangeSkips.sum() + read);
      assertEquals(400, counters.scans(4));
      assertEquals(read, counters.files(4));
      long falsePositives = counters.rangeFalsePositives.sum();
      assertTrue(
          falsePositives > 0 && falsePositives < pairs / 4,
          falsePositives + " of " + pairs + ", read " + right);
    }
  }

  /** The regions that a client asks: it stops where there is no result, and the filter is done. */
  private int visited(List<TestRegion> regions, Scan scan, boolean isStock) throws IOException {
    for (int i = 0; i < regions.size(); i++) {
      int at = scan.isReversed() ? regions.size() - 1 - i : i;
      if (found(regions.get(at), scan, Integer.MAX_VALUE, isStock, -1).equals("done")) {
        return i + 1;
      }
    }
    return regions.size();
  }

  /** As a client does that scans without bounds: {@code RSRpcServices.scan} ends such a scan. */
  @Test
  void noMoreRegionsAreVisited() throws IOException {
    int count = 12;
    List<TestRegion> regions = new ArrayList<>();
    TableDescriptor table = tableOfPrefixes("regions");
    try {
      for (int i = 0; i < count; i++) {
        byte[] from = i == 0 ? new byte[0] : prefix(10 * i);
        byte[] to = i == count - 1 ? new byte[0] : prefix(10 * i + 10);
        regions.add(new TestRegion(directory.resolve("r" + i), table, from, to));
        fill(regions.get(i), 10 * i, 10 * i + 10);
      }
      int ended = 0;
      for (int i = 0; i < 200; i++) {
        int prefix = random.nextInt(10 * count);
        int other = Math.min(10 * count - 1, prefix + random.nextInt(2) * random.nextInt(40));
        Scan scan = new Scan().setReversed(i % 3 == 0).setFilter(ofPrefixes(prefix, other));
        int stock = visited(regions, scan, true);
        assertEquals(stock, visited(regions, scan, false), () -> "seed " + seed + ": " + scan);
        ended += stock < count ? 1 : 0;
      }
      assertTrue(ended > 100, ended + " scans ended before the last region");
      assertTrue(
          Families.of(table.getTableName(), RandomFilters.FAMILY).scans.rangeSkips.sum() > 0);
    } finally {
      for (TestRegion region : regions) {
        region.close();
      }
    }
  }
}
