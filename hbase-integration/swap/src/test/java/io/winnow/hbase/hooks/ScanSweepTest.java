package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.metrics.TestRegion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random stores and random scans beside a sorted map, with rows of few letters, key segments, and
 * chunks so small that prefixes meet their edges. No file is skipped that has a row between a
 * scan's bounds, and each scan finds exactly the rows that the map has: raw ones too, of several
 * families, of rows whose time to live is over, of memory that was compacted, of links, of the
 * halves that a daughter region has. {@code -Dwinnow.scan.sweep=N} asks for another number of
 * scans, {@code -Dwinnow.scan.seed=N} for other ones.
 */
class ScanSweepTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] OTHER = Bytes.toBytes("g");
  private static final byte[] COLUMN = Bytes.toBytes("q");
  private static final int TIME_TO_LIVE = 3600;
  private static final byte[] ALL = {};
  private static final int SCANS_PER_STORE = 2000;
  private static final String LETTERS = "\u0000\u0001ab|~\u007F\u0080\u00FE\u00FF";

  /** Memory is compacted after so few cells. */
  private static final Map<String, String> SITE =
      Map.of("hbase.memstore.inmemoryflush.threshold.factor", "0.00005");

  @TempDir Path directory;

  private final long seed = Long.getLong("winnow.scan.seed", 20260729);
  private final Random random = new Random(seed);

  private final BlockCache cache = new LruBlockCache(64 << 20, 4096, false, new Configuration());

  /** The last put of each row that no delete came after, of each family. */
  private final Map<byte[], NavigableMap<byte[], Written>> truth =
      new TreeMap<>(Bytes.BYTES_COMPARATOR);

  private final List<byte[]> written = new ArrayList<>();

  /** Rows with cells or markers that are in no file, of each family. */
  private final Map<byte[], NavigableSet<byte[]>> inMemory = new TreeMap<>(Bytes.BYTES_COMPARATOR);

  /** Rows that scans find, of each family and of {@link #ALL}; and those that raw scans find. */
  private final Map<byte[], NavigableSet<byte[]>> living = new TreeMap<>(Bytes.BYTES_COMPARATOR);

  private final Map<byte[], NavigableSet<byte[]>> raw = new TreeMap<>(Bytes.BYTES_COMPARATOR);

  /** The row where the region begins, or ends; null if it is a whole one. */
  private byte[] middle;

  private boolean isTop;

  /** Of the cell that was written last. */
  private volatile long time;

  /** Milliseconds that have passed since then. */
  private volatile long later;

  private long asked;
  private long skipped;
  private long skippedBySegments;

  private record Written(long time, byte[] value) {}

  @BeforeEach
  void clockIsThatOfTheCells() {
    EnvironmentEdgeManager.injectEdge(() -> time + later);
  }

  @AfterEach
  void clockIsTheUsualOne() {
    EnvironmentEdgeManager.reset();
  }

  /** Of up to seven letters, many of which begin alike. */
  private byte[] row() {
    if (!written.isEmpty() && random.nextInt(3) == 0) {
      byte[] other = written.get(random.nextInt(written.size()));
      int kept = 1 + random.nextInt(other.length);
      byte[] row = Arrays.copyOf(other, Math.min(7, kept + random.nextInt(3)));
      for (int i = kept; i < row.length; i++) {
        row[i] = letter();
      }
      return row;
    }
    byte[] row = new byte[1 + random.nextInt(6)];
    for (int i = 0; i < row.length; i++) {
      row[i] = letter();
    }
    return row;
  }

  private byte letter() {
    return (byte) LETTERS.charAt(random.nextInt(LETTERS.length()));
  }

  private ColumnFamilyDescriptor family(String prefix) {
    return family(FAMILY, prefix);
  }

  private ColumnFamilyDescriptor family(byte[] name, String prefix) {
    String[] filters = {"ribbon", "bumped-ribbon", "quotient", "bumped-ribbon", "bloom"};
    BloomType[] types = {
      BloomType.ROW,
      BloomType.ROW,
      BloomType.ROW,
      BloomType.ROWPREFIX_FIXED_LENGTH,
      BloomType.ROWCOL,
      BloomType.NONE
    };
    int filter = random.nextInt(20);
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(name)
            .setBloomFilterType(types[Math.max(0, random.nextInt(20) - 14)])
            .setDataBlockEncoding(
                DataBlockEncoding.values()[random.nextInt(DataBlockEncoding.values().length)])
            .setBlocksize(128 << random.nextInt(6))
            .setConfiguration("winnow.filter", filters[filter % 10 == 9 ? 4 : filter % 4])
            .setConfiguration("winnow.hash", random.nextInt(4) == 0 ? "xxh3" : "xxh3-seeded")
            .setConfiguration("io.storefile.bloom.block.size", "" + (160 << random.nextInt(3)))
            .setConfiguration(
                "io.storefile.bloom.error.rate", random.nextBoolean() ? "0.02" : "1e-4")
            .setConfiguration("winnow.error.rate.scope", random.nextInt(4) > 0 ? "file" : "store")
            .setConfiguration("RowPrefixBloomFilter.prefix_length", "" + (1 + random.nextInt(3)))
            .setConfiguration("winnow.scan.prefix", prefix)
            .setConfiguration("winnow.scan.segment", segment());
    if (random.nextInt(4) == 0) {
      family.setInMemoryCompaction(MemoryCompactionPolicy.EAGER);
    }
    if (random.nextInt(4) == 0) {
      family.setTimeToLive(TIME_TO_LIVE);
    }
    return family.build();
  }

  private String segment() {
    String[] segments = {
      "none",
      "0,1",
      "0",
      "1,2",
      "2,1",
      "3",
      "delimiter:|,1,2",
      "delimiter:|,2",
      "delimiter:0x00,1,1"
    };
    return segments[random.nextInt(segments.length)];
  }

  private String prefix() {
    String[] prefixes = {"1", "2", "3", "4", "delimiter:|", "delimiter:|,2", "delimiter:0x00"};
    return prefixes[random.nextInt(prefixes.length)];
  }

  private void write(TestRegion region, int rows) throws IOException {
    for (int i = 0; i < rows; i++) {
      if (random.nextInt(20) == 0 && !written.isEmpty()) {
        byte[] gone = written.get(random.nextInt(written.size()));
        Delete delete = new Delete(gone);
        if (random.nextBoolean()) {
          delete.addFamily(FAMILY, ++time);
        } else {
          delete.addColumns(FAMILY, COLUMN, ++time);
        }
        region.region().delete(delete);
        truth.get(FAMILY).remove(gone);
        inMemory.get(FAMILY).add(gone);
      }
      put(region, row());
    }
  }

  private void put(TestRegion region, byte[] row) throws IOException {
    byte[] value = Bytes.toBytes(random.nextInt());
    time++;
    Put put = new Put(row);
    for (byte[] family : truth.keySet()) {
      if (family == FAMILY || random.nextBoolean()) {
        put.addColumn(family, COLUMN, time, value);
        truth.get(family).put(row, new Written(time, value));
        inMemory.get(family).add(row);
      }
    }
    region.region().put(put);
    written.add(row);
  }

  /** A store of several files, some with another rule than the others, some compacted. */
  private void fill(TestRegion region) throws IOException {
    if (random.nextInt(3) == 0) {
      region.add(family(OTHER, prefix()));
    }
    for (byte[] family : region.descriptor().getColumnFamilyNames()) {
      byte[] name = Bytes.equals(family, FAMILY) ? FAMILY : OTHER;
      truth.put(name, new TreeMap<>(Bytes.BYTES_COMPARATOR));
      inMemory.put(name, new TreeSet<>(Bytes.BYTES_COMPARATOR));
    }
    long start = time;
    int files = 2 + random.nextInt(5);
    for (int file = 0; file < files; file++) {
      write(region, 1 << random.nextInt(10));
      region.region().flush(true);
      inMemory.values().forEach(Set::clear);
      if (random.nextInt(6) == 0) {
        region.alter(family(prefix()));
      }
      if (random.nextInt(6) == 0) {
        region.region().compact(random.nextBoolean());
      }
    }
    if (random.nextInt(4) == 0) {
      region.link(); // and halves may be those of links
    }
    switch (random.nextInt(4)) {
      case 0 -> halve(region);
      case 1 -> later = TIME_TO_LIVE * 1000L - random.nextInt((int) (time - start) + 2);
      case 2 -> write(region, 20); // in memory
      default -> {}
    }
  }

  /** What scans of each family find from now on. */
  private Map<HStoreFile, NavigableSet<byte[]>> look(TestRegion region) throws IOException {
    Map<HStoreFile, NavigableSet<byte[]>> files = new IdentityHashMap<>();
    for (byte[] all : List.of(ALL, FAMILY, OTHER)) {
      living.put(all, new TreeSet<>(Bytes.BYTES_COMPARATOR));
      raw.put(all, new TreeSet<>(Bytes.BYTES_COMPARATOR));
    }
    for (HStore store : region.region().getStores()) {
      byte[] family = store.getColumnFamilyDescriptor().getName();
      long seconds = store.getColumnFamilyDescriptor().getTimeToLive();
      long oldest = seconds == HConstants.FOREVER ? 0 : time + later - seconds * 1000;
      truth
          .get(family)
          .forEach(
              (row, last) -> {
                if (last.time() >= oldest && isInRegion(row)) {
                  living.get(family).add(row);
                }
              });
      // Deleted rows, markers of deletes, and cells whose time is over.
      raw.get(family).addAll(inMemory.get(family));
      for (HStoreFile file : store.getStorefiles()) {
        files.put(file, rowsOf(file));
        raw.get(family).addAll(files.get(file));
      }
      living.get(ALL).addAll(living.get(family));
      raw.get(ALL).addAll(raw.get(family));
    }
    return files;
  }

  private boolean isInRegion(byte[] row) {
    return middle == null || isTop == Bytes.compareTo(row, middle) >= 0;
  }

  /** As in a daughter of a split: of each file the part before a row, or from it on. */
  private void halve(TestRegion region) throws IOException {
    middle = written.get(random.nextInt(written.size()));
    isTop = random.nextBoolean();
    region.halve(middle, isTop);
  }

  private byte[] bound() {
    switch (random.nextInt(8)) {
      case 0:
        return new byte[0];
      case 1:
        return middle == null ? row() : middle;
      case 2:
      case 3:
      case 4:
        byte[] row = written.get(random.nextInt(written.size()));
        return Arrays.copyOf(row, random.nextInt(row.length) + 1);
      default:
        return row();
    }
  }

  /** Half of them are scans of a prefix; the others have any bounds, and some are Gets. */
  private Scan scan() {
    if (random.nextInt(10) == 0) {
      byte[] row = random.nextBoolean() ? row() : written.get(random.nextInt(written.size()));
      if (isInRegion(row)) {
        Get get = new Get(row);
        return new Scan(random.nextBoolean() ? get : get.addColumn(FAMILY, COLUMN));
      }
    }
    Scan scan = new Scan();
    byte[] one = bound();
    byte[] other = bound();
    boolean isIncluded = true;
    boolean isOtherIncluded = random.nextBoolean();
    if (random.nextInt(2) == 0 && one.length > 0) {
      other = new Scan().setStartStopRowForPrefixScan(one).getStopRow();
      isOtherIncluded = random.nextInt(4) == 0;
      if (random.nextInt(4) == 0) {
        other = Bytes.add(other, new byte[] {letter()});
      }
    } else {
      isIncluded = random.nextBoolean();
      if (random.nextInt(4) > 0 && one.length > 0) {
        other = Arrays.copyOf(one, 1 + random.nextInt(one.length));
        other[other.length - 1] = letter();
      }
      if (other.length > 0 && Bytes.compareTo(one, other) > 0) {
        byte[] smaller = other;
        other = one;
        one = smaller;
      }
    }
    boolean isReversed = random.nextBoolean();
    // A client asks each region from where it begins. HBase's reader of a lower half shows the
    // first row of the other half where a seek ends between the blocks' keys: its scans end
    // there, too.
    if (middle != null && isTop && !isReversed && Bytes.compareTo(one, middle) < 0) {
      one = middle;
      isIncluded = true;
    } else if (middle != null && !isTop && isFrom(middle, other)) {
      other = middle;
      isOtherIncluded = false;
    }
    if (isReversed) {
      scan.setReversed(true).withStartRow(other, isOtherIncluded).withStopRow(one, isIncluded);
    } else {
      scan.withStartRow(one, isIncluded).withStopRow(other, isOtherIncluded);
    }
    switch (random.nextInt(8)) {
      case 0 -> scan.setReadType(Scan.ReadType.STREAM);
      case 1 -> scan.setReadType(Scan.ReadType.PREAD);
      case 2 -> scan.addColumn(FAMILY, COLUMN);
      case 3 -> scan.setFilter(new FirstKeyOnlyFilter());
      case 4, 5 -> scan.addFamily(truth.containsKey(OTHER) ? OTHER : FAMILY);
      default -> {}
    }
    return scan.setRaw(random.nextInt(4) == 0 && scan.getFamilyMap().get(FAMILY) == null);
  }

  /** Whether a larger bound is not before the row. */
  private static boolean isFrom(byte[] row, byte[] larger) {
    return larger.length == 0 || Bytes.compareTo(larger, row) >= 0;
  }

  /**
   * Whether the region is scanned. A client asks only regions that have rows of a scan. And
   * reversed scans of lower halves are left out: there HBase's own {@code
   * HalfStoreFileReader.seekTo()} sometimes compares with a cell that is null, with no code of ours
   * on the stack (seed 20260730).
   */
  private boolean isScanned(Scan scan) {
    if (middle == null) {
      return true;
    }
    return isTop
        ? isFrom(middle, larger(scan))
        : !scan.isReversed() && Bytes.compareTo(ScanPrefix.smallerBound(scan), middle) < 0;
  }

  private static byte[] larger(Scan scan) {
    return scan.isReversed() ? scan.getStartRow() : scan.getStopRow();
  }

  /** The rows of a set that are between the bounds, in the order of keys. */
  private static NavigableSet<byte[]> between(NavigableSet<byte[]> rows, Scan scan) {
    byte[] smaller = ScanPrefix.smallerBound(scan);
    byte[] larger = larger(scan);
    boolean smallerIn = scan.isReversed() ? scan.includeStopRow() : scan.includeStartRow();
    boolean largerIn = scan.isReversed() ? scan.includeStartRow() : scan.includeStopRow();
    if (larger.length == 0) {
      return rows.tailSet(smaller, smallerIn || smaller.length == 0);
    }
    int order = Bytes.compareTo(smaller, larger);
    if (order > 0 || order == 0 && !(smallerIn && largerIn)) {
      return new TreeSet<>(Bytes.BYTES_COMPARATOR);
    }
    return rows.subSet(smaller, smallerIn, larger, largerIn);
  }

  private NavigableSet<byte[]> rowsOf(HStoreFile file) throws IOException {
    NavigableSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    var scanner =
        file.getReader().getHFileReader().getScanner(new Configuration(), false, true, false);
    for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
      rows.add(CellUtil.cloneRow(scanner.getCell()));
    }
    if (file.isReference()) {
      rows.removeIf(row -> !isInRegion(row));
    }
    return rows;
  }

  private void check(TestRegion region, Map<HStoreFile, NavigableSet<byte[]>> files, Scan scan)
      throws IOException {
    Supplier<String> words =
        () ->
            "seed " + seed + ", " + scan + (scan.isRaw() ? ", raw, " : ", ") + region.descriptor();
    for (HStore store : region.region().getStores()) {
      for (HStoreFile file : store.getStorefiles()) {
        boolean passes = StoreFileDoor.passes(file.getReader(), scan, store);
        boolean hasRows = !between(files.get(file), scan).isEmpty();
        assertTrue(passes || !hasRows, () -> "file skipped: " + words.get());
        asked++;
        skipped += passes ? 0 : 1;
      }
    }
    if (!isScanned(scan)) {
      return;
    }
    byte[] family = scan.hasFamilies() ? scan.getFamilies()[0] : ALL;
    List<byte[]> expected =
        new ArrayList<>(between((scan.isRaw() ? raw : living).get(family), scan));
    if (scan.isReversed()) {
      Collections.reverse(expected);
    }
    int limit = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : Integer.MAX_VALUE;
    if (limit < Integer.MAX_VALUE && !scan.hasFilter()) {
      scan.setFilter(new PageFilter(limit));
    }
    expected = expected.subList(0, Math.min(limit, expected.size()));
    List<byte[]> found = found(region, scan, limit);
    if (!Arrays.deepEquals(expected.toArray(), found.toArray())) {
      assertEquals(inWords(expected), inWords(found), words);
    }
  }

  private static List<String> inWords(List<byte[]> rows) {
    return rows.stream().map(Bytes::toStringBinary).toList();
  }

  /** The rows that the region finds, each with the value that it should have. */
  private List<byte[]> found(TestRegion region, Scan scan, int limit) throws IOException {
    List<byte[]> found = new ArrayList<>();
    try (RegionScanner scanner = region.region().getScanner(scan)) {
      List<Cell> cells = new ArrayList<>();
      for (boolean more = true; more && found.size() < limit; cells.clear()) {
        more = scanner.next(cells);
        for (Cell cell : scan.isRaw() ? List.<Cell>of() : cells) {
          Written last = truth.get(CellUtil.cloneFamily(cell)).get(CellUtil.cloneRow(cell));
          assertEquals(0, Bytes.compareTo(last.value(), CellUtil.cloneValue(cell)));
        }
        if (!cells.isEmpty()) {
          found.add(CellUtil.cloneRow(cells.get(0)));
        }
      }
    }
    return found;
  }

  @Test
  void noScanMissesARow() throws Exception {
    long scans = Long.getLong("winnow.scan.sweep", 5000);
    for (long done = 0; done < scans; done += SCANS_PER_STORE) {
      truth.clear();
      written.clear();
      inMemory.clear();
      middle = null;
      later = 0;
      time = Math.max(time, System.currentTimeMillis());
      Path store = directory.resolve("store-" + done);
      try (TestRegion region = new TestRegion(store, "t" + done, family(prefix()), SITE, cache)) {
        fill(region);
        Map<HStoreFile, NavigableSet<byte[]>> files = look(region);
        for (int i = 0; i < SCANS_PER_STORE; i++) {
          check(region, files, scan());
        }
        skippedBySegments += region.counters().scans.segmentSkips.sum();
      }
    }
    assertTrue(skipped > asked / 20, skipped + " files were skipped of " + asked);
    assertTrue(skippedBySegments > skipped / 10, skippedBySegments + " by segments");
  }

  /** A row range inside a filter is not looked at: what is implied is implied by bounds. */
  @Test
  void rangesInsideFiltersImplyNothing() {
    Scan scan = new Scan().setFilter(new PrefixFilter(Bytes.toBytes("abc")));
    assertEquals(0, ScanPrefix.impliedLength(scan));
    assertFalse(scan.isGetScan());
  }
}
