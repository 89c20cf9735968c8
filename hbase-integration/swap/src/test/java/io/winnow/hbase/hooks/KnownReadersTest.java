package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.agent.WovenFactory;
import io.winnow.hbase.metrics.ScanCounters;
import io.winnow.hbase.metrics.TestRegion;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.io.HalfStoreFileReader;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What stands between a store file and a scan may be of a class that is not HBase's, and may show
 * other rows than the file has: no row is missed that the same class shows on stock HBase.
 */
class KnownReadersTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COLUMN = Bytes.toBytes("q");
  private static final byte[] OTHER_COLUMN = Bytes.toBytes("r");
  private static final String PARENT = "fedcba9876543210fedcba9876543210";
  private static final String START = RewrittenFiles.START;
  private static final int PREFIX = START.length() + 3;
  private static final int VALUES = RewrittenFiles.VALUES;
  private static final int FILES = RewrittenFiles.FILES;

  private static final Map<String, String> OBSERVED =
      Map.of("hbase.coprocessor.region.classes", OpenedFiles.Observer.class.getName());

  static {
    WovenFactory.install(); // before anything looks at a reader
  }

  @TempDir Path directory;

  @BeforeEach
  void openAsHBaseDoes() {
    OpenedFiles.asHBaseDoes();
  }

  /** Other tests query readers without a selection of scanners before. */
  @AfterEach
  void endWithKnownScanners() {
    ScanHooks.selects(List.of(), new Scan());
  }

  /** A file's values have a distance of three, so each prefix is in one file. */
  private static NavigableSet<String> rowsOf(int file) {
    NavigableSet<String> rows = new TreeSet<>();
    for (int value = file; value < VALUES; value += FILES) {
      for (char letter : "abcxyz".toCharArray()) {
        rows.add(RewrittenFiles.row(value, letter));
      }
    }
    return rows;
  }

  private static ColumnFamilyDescriptor family(BloomType type, String filter) {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(type)
            .setConfiguration("winnow.filter", filter)
            .setConfiguration("winnow.error.rate.scope", "file")
            .setConfiguration("io.storefile.bloom.error.rate", "1e-6")
            .setConfiguration("RowPrefixBloomFilter.prefix_length", "" + PREFIX);
    if (type == BloomType.ROW && !filter.equals("bloom")) {
      family.setConfiguration("winnow.scan.prefix", "" + PREFIX);
    }
    return family.build();
  }

  private TestRegion region(BloomType type, String filter, Map<String, String> site)
      throws IOException {
    TestRegion region =
        new TestRegion(
            directory.resolve(type + filter),
            ("t-" + type + filter).toLowerCase(Locale.ROOT),
            family(type, filter),
            site,
            TestRegion.CACHE);
    for (int file = 0; file < FILES; file++) {
      for (String row : rowsOf(file)) {
        byte[] key = Bytes.toBytes(row);
        region
            .region()
            .put(new Put(key).addColumn(FAMILY, COLUMN, key).addColumn(FAMILY, OTHER_COLUMN, key));
      }
      region.region().flush(true);
    }
    return region;
  }

  private static NavigableSet<String> allRows() {
    NavigableSet<String> rows = new TreeSet<>();
    for (int file = 0; file < FILES; file++) {
      rows.addAll(rowsOf(file));
    }
    return rows;
  }

  /** Opens the region again: as a daughter, as what was merged, or as it is. */
  private static void reopen(TestRegion region, RewrittenFiles files) throws IOException {
    OpenedFiles.as(files);
    if (!files.areHalves()) {
      region.region().close();
      region.open();
      return;
    }
    byte[] split = Bytes.toBytes("MMMM");
    Reference half =
        switch (files) {
          case LOWER -> Reference.createBottomReference(split);
          case UPPER -> Reference.createTopReference(split);
          default -> Reference.createTopReference(Bytes.toBytes("0000"));
        };
    region.store().closeAndArchiveCompactedFiles();
    List<org.apache.hadoop.fs.Path> paths =
        region.files().stream().map(HStoreFile::getPath).toList();
    region.region().close();
    for (org.apache.hadoop.fs.Path file : paths) {
      org.apache.hadoop.fs.Path store = file.getParent();
      org.apache.hadoop.fs.Path parent =
          new org.apache.hadoop.fs.Path(
              new org.apache.hadoop.fs.Path(store.getParent().getParent(), PARENT),
              store.getName());
      FileSystem fs = file.getFileSystem(region.configuration());
      fs.mkdirs(parent);
      assertTrue(fs.rename(file, new org.apache.hadoop.fs.Path(parent, file.getName())));
      half.write(fs, new org.apache.hadoop.fs.Path(store, file.getName() + "." + PARENT));
    }
    region.open();
  }

  private static List<Scan> scansOf(String prefix) {
    byte[] start = Bytes.toBytes(prefix);
    byte[] next = new Scan().setStartStopRowForPrefixScan(start).getStopRow();
    List<Scan> scans = new ArrayList<>();
    for (Scan.ReadType type : List.of(Scan.ReadType.PREAD, Scan.ReadType.STREAM)) {
      scans.add(new Scan().withStartRow(start).withStopRow(next).setReadType(type));
    }
    scans.add(new Scan().setReversed(true).withStartRow(next, false).withStopRow(start, true));
    // Not a reversed one: its hint is no row that such readers show, and HBase loses rows by it.
    scans.add(new Scan().setFilter(new PrefixFilter(start)));
    return scans;
  }

  private static List<String> found(TestRegion region, Scan scan) throws IOException {
    List<String> found = new ArrayList<>();
    try (RegionScanner scanner = region.region().getScanner(scan)) {
      List<Cell> cells = new ArrayList<>();
      for (boolean more = true; more; cells.clear()) {
        more = scanner.next(cells);
        if (!cells.isEmpty()) {
          found.add(Bytes.toString(CellUtil.cloneRow(cells.get(0))));
        }
      }
    }
    return found;
  }

  /** Scans of each prefix find its rows, and a scan of everything finds all. */
  private static void assertFound(TestRegion region, NavigableSet<String> rows) throws IOException {
    assertEquals(List.copyOf(rows), found(region, new Scan()));
    Set<String> prefixes = new TreeSet<>();
    rows.forEach(row -> prefixes.add(row.substring(0, PREFIX)));
    for (String prefix : prefixes) {
      for (Scan scan : scansOf(prefix)) {
        List<String> expected = new ArrayList<>(rows.subSet(prefix, prefix + "~"));
        if (scan.isReversed()) {
          Collections.reverse(expected);
        }
        assertEquals(expected, found(region, scan), scan.toString());
      }
    }
  }

  private static long filesOf(ScanCounters counters) {
    long files = 0;
    for (int length = 0; length <= ScanCounters.LONGEST; length++) {
      files += counters.files(length);
    }
    return files;
  }

  /** What has been counted for files. */
  private static List<Long> counted(TestRegion region) {
    ScanCounters scans = region.counters().scans;
    return List.of(
        region.falsePositives(),
        region.truePositives(),
        scans.falsePositives.sum(),
        scans.truePositives.sum(),
        scans.negatives.sum(),
        filesOf(scans),
        scans.rangeSkips.sum(),
        scans.rangeFalsePositives.sum(),
        scans.rangeTruePositives.sum());
  }

  @ParameterizedTest
  @CsvSource({
    "LOWER, bloom",
    "LOWER, bumped-ribbon",
    "UPPER, bloom",
    "UPPER, bumped-ribbon",
    "UPPER, ribbon",
    "UPPER, quotient",
    "MERGED, bloom",
    "MERGED, bumped-ribbon",
    "WHOLE, bloom",
    "WHOLE, bumped-ribbon",
    "INSIDE, bloom",
    "INSIDE, bumped-ribbon"
  })
  void scansThroughARewritingReaderMissNoRow(RewrittenFiles files, String filter)
      throws IOException {
    try (TestRegion region = region(BloomType.ROW, filter, OBSERVED)) {
      assertFound(region, allRows());
      List<Long> before = counted(region);
      assertEquals(!filter.equals("bloom"), before.get(4) > 0, "files are skipped: " + before);
      assertTrue(before.get(6) > 0, "also by the ranges of a filter: " + before);
      reopen(region, files);
      NavigableSet<String> shown = files.shown(allRows());
      assertFound(region, shown);
      assertEquals(before, counted(region), "such readers are not counted");
      if (files.areHalves()) {
        region.region().compact(true);
        assertFound(region, shown);
        assertEquals(!filter.equals("bloom"), scansAbsent(region) > 0, "filters answer again");
      }
    }
  }

  /** How many files are skipped by scans of a prefix that no row has. */
  private static long scansAbsent(TestRegion region) throws IOException {
    String some = found(region, new Scan()).get(2);
    long before = region.counters().scans.negatives.sum();
    assertEquals(List.of(), found(region, scansOf(some.substring(0, PREFIX - 1) + "~").get(0)));
    return region.counters().scans.negatives.sum() - before;
  }

  /** A scanner of its own may stand on such a reader, and rewrite keys. */
  @Test
  void fileOfAReaderOfAnotherClassIsRead() throws IOException {
    try (TestRegion region = region(BloomType.ROW, "bumped-ribbon", Map.of())) {
      StoreFileReader own = region.files().iterator().next().getReader();
      StoreFileReader other = OpenedFiles.another(own);
      Scan absent = scanBetweenRows();
      StoreFileScanner known = StoreFileDoor.scanner(own); // so this thread knows its scanners
      assertEquals(List.of(), StoreFileDoor.selected(region.store(), absent, List.of(known)));
      assertFalse(StoreFileDoor.passes(own, absent));
      assertTrue(StoreFileDoor.passes(other, absent));
      long counted = region.counters().scans.negatives.sum();
      AnswerHooks.answered(false, absent, region.store(), other);
      assertEquals(counted, region.counters().scans.negatives.sum());
      Scan get = new Scan(new Get(Bytes.toBytes(RewrittenFiles.row(0, 'a'))));
      assertNotNull(AnswerHooks.answered(true, get, region.store(), own));
      assertNull(AnswerHooks.answered(true, get, region.store(), other));
    }
  }

  /** A walk over the bounds of one scan is not counted for the next scan. */
  @Test
  void eachScanIsCountedByItsOwnBounds() throws IOException {
    try (TestRegion region = region(BloomType.ROW, "bumped-ribbon", Map.of())) {
      StoreFileReader own = region.files().iterator().next().getReader();
      StoreFileReader other = OpenedFiles.another(own);
      StoreFileScanner known = StoreFileDoor.scanner(own);
      Scan narrow = scanBetweenRows();
      int length = ScanPrefix.impliedLength(narrow);
      assertEquals(List.of(), StoreFileDoor.selected(region.store(), narrow, List.of(known)));
      ScanCounters counters = region.counters().scans;
      long narrowScans = counters.scans(length);
      long openScans = counters.scans(0);
      assertFalse(StoreFileDoor.passes(own, narrow), "nothing counts this walk");
      AnswerHooks.answered(true, new Scan(), region.store(), other);
      assertEquals(openScans + 1, counters.scans(0));
      // Where scans skip no file, the filters are not queried before.
      AnswerHooks.answered(true, narrow, region.store(), own);
      AnswerHooks.answered(true, new Scan(), region.store(), own);
      assertEquals(narrowScans + 1, counters.scans(length));
      assertEquals(openScans + 2, counters.scans(0));
    }
  }

  /** Of a prefix that no file has, though it is between the rows of the first. */
  private static Scan scanBetweenRows() {
    return new Scan()
        .withStartRow(Bytes.toBytes(START + "v0~"))
        .withStopRow(Bytes.toBytes(START + "v0~~"));
  }

  /** Of a daughter that was compacted, and then merged with its sister. */
  @Test
  void noRowIsMissedWhenADaughterIsMergedAgain() throws IOException {
    try (TestRegion region = region(BloomType.ROW, "bumped-ribbon", OBSERVED)) {
      reopen(region, RewrittenFiles.UPPER);
      region.region().compact(true);
      reopen(region, RewrittenFiles.MERGED);
      assertFound(region, RewrittenFiles.MERGED.shown(RewrittenFiles.UPPER.shown(allRows())));
    }
  }

  /** A scanner of HBase's class, on a reader of HBase's class, may hide what rewrites keys. */
  @ParameterizedTest
  @ValueSource(strings = {"bloom", "bumped-ribbon"})
  void scansThroughARewritingScannerOfTheFileMissNoRow(String filter) throws IOException {
    try (TestRegion region = region(BloomType.ROW, filter, OBSERVED)) {
      region.region().close();
      OpenedFiles.asHidden(RewrittenFiles.INSIDE);
      region.open();
      List<Long> before = counted(region);
      assertFound(region, RewrittenFiles.INSIDE.shown(allRows()));
      for (String row : allRows()) {
        region.region().get(new Get(Bytes.toBytes(row)));
      }
      assertEquals(before, counted(region), "such scanners are not counted");
    }
  }

  /** Reads with {@code pread} only: a reader of a stream is opened elsewhere. */
  @ParameterizedTest
  @ValueSource(strings = {"bloom", "bumped-ribbon"})
  void scansOfAStoreWithAnotherEngineMissNoRow(String filter) throws IOException {
    Map<String, String> site =
        Map.of(
            "hbase.hstore.engine.class",
            OpenedFiles.Engine.class.getName(),
            "hbase.storescanner.use.pread",
            "true");
    try (TestRegion region = region(BloomType.ROW, filter, site)) {
      reopen(region, RewrittenFiles.WHOLE);
      NavigableSet<String> shown = RewrittenFiles.WHOLE.shown(allRows());
      for (String row : shown) {
        String prefix = row.substring(0, PREFIX);
        assertEquals(
            List.copyOf(shown.subSet(prefix, prefix + "~")), found(region, scansOf(prefix).get(0)));
      }
    }
  }

  /** A scanner of another class hands on HBase's queries, and shows what it will. */
  @Test
  void fileOfAScannerOfAnotherClassIsRead() throws IOException {
    try (TestRegion region = region(BloomType.ROW, "bumped-ribbon", Map.of())) {
      StoreFileReader reader = region.files().iterator().next().getReader();
      Scan absent = scanBetweenRows();
      for (int i = 0; i < 2; i++) {
        StoreFileScanner own = StoreFileDoor.scanner(reader);
        assertEquals(List.of(), StoreFileDoor.selected(region.store(), absent, List.of(own)));
        StoreFileScanner hidden = StoreFileDoor.scanner(reader);
        KeyValueScanner other = StoreFileDoor.behind(hidden);
        assertEquals(1, StoreFileDoor.selected(region.store(), absent, List.of(other)).size());
        hidden.close();
      }
    }
  }

  /** Gets are answered from the same queries as on stock: what it finds is found. */
  @ParameterizedTest
  @EnumSource(RewrittenFiles.class)
  void getsFindWhatTheyFindOnStock(RewrittenFiles files) throws IOException {
    for (BloomType type :
        List.of(BloomType.ROW, BloomType.ROWCOL, BloomType.ROWPREFIX_FIXED_LENGTH)) {
      Map<String, Set<String>> found = new HashMap<>();
      for (String filter : List.of("bloom", "bumped-ribbon")) {
        try (TestRegion region = region(type, filter, OBSERVED)) {
          List<Long> before = counted(region);
          reopen(region, files);
          found.put(filter, rowsOfGets(region, files.shown(allRows())));
          assertEquals(before, counted(region), "such readers are not counted");
        }
      }
      for (Map.Entry<String, Set<String>> entry : found.entrySet()) {
        assertTrue(entry.getValue().containsAll(found.get("bloom")), type + " " + entry);
      }
      int gets = 3 * files.shown(allRows()).size();
      assertEquals(
          files == RewrittenFiles.LOWER,
          found.get("bloom").size() == gets,
          () -> type + ", found on stock: " + found.get("bloom"));
    }
  }

  private static Set<String> rowsOfGets(TestRegion region, NavigableSet<String> rows)
      throws IOException {
    Set<String> found = new TreeSet<>();
    for (String row : rows) {
      Get whole = new Get(Bytes.toBytes(row));
      Get one = new Get(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN);
      Get two =
          new Get(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN).addColumn(FAMILY, OTHER_COLUMN);
      Map<String, Get> gets = Map.of("whole", whole, "one column", one, "two columns", two);
      for (Map.Entry<String, Get> get : gets.entrySet()) {
        if (!region.region().get(get.getValue()).isEmpty()) {
          found.add(row + ", " + get.getKey());
        }
      }
    }
    return found;
  }

  /** HBase does not query its filter of prefixes for these scans, and so do we not. */
  @ParameterizedTest
  @CsvSource({"UPPER, bloom", "UPPER, bumped-ribbon", "WHOLE, bloom", "WHOLE, bumped-ribbon"})
  void filterOfPrefixesIsQueriedNoMoreThanOnStock(RewrittenFiles files, String filter)
      throws IOException {
    try (TestRegion region = region(BloomType.ROWPREFIX_FIXED_LENGTH, filter, OBSERVED)) {
      reopen(region, files);
      assertFound(region, files.shown(allRows()));
    }
  }

  /** Another filter in HBase's own reader may have other keys than the rows. */
  @Test
  void filterOfAnotherClassIsQueriedNoMoreThanOnStock() throws IOException {
    try (TestRegion region = region(BloomType.ROWPREFIX_FIXED_LENGTH, "bloom", Map.of())) {
      BloomFilter denies =
          (BloomFilter)
              Proxy.newProxyInstance(
                  BloomFilter.class.getClassLoader(),
                  new Class<?>[] {BloomFilter.class},
                  (proxy, method, arguments) -> method.getName().equals("supportsAutoLoading"));
      for (HStoreFile file : region.files()) {
        StoreFileDoor.setGeneralFilter(file.getReader(), denies);
      }
      assertFound(region, allRows());
      Scan queried = new Scan().withStartRow(Bytes.toBytes(START + "v00"));
      queried.withStopRow(Bytes.toBytes(START + "v00z"), true);
      assertEquals(List.of(), found(region, queried), "stock queries the filter");
    }
  }

  /** HBase's own two readers can only be made over a reader of the file that HBase makes. */
  /** They gain nothing there, and with them a compaction by Phoenix lost a row after a merge. */
  @ParameterizedTest
  @CsvSource({"f, 1", "L#0, 0"})
  void filesOfALocalIndexGetNoPrefixes(String name, int filesSkipped) throws IOException {
    byte[] family = Bytes.toBytes(name);
    try (TestRegion region =
        new TestRegion(
            directory,
            "local-index",
            ColumnFamilyDescriptorBuilder.newBuilder(family)
                .setBloomFilterType(BloomType.ROW)
                .setConfiguration("winnow.filter", "bumped-ribbon")
                .setConfiguration("winnow.scan.prefix", "4")
                .setConfiguration("io.storefile.bloom.error.rate", "1e-6")
                .build())) {
      for (int row = 1000; row < 1030; row++) {
        byte[] key = Bytes.toBytes("k" + row);
        if (row / 10 != 101) {
          region.region().put(new Put(key).addColumn(family, COLUMN, key));
        }
      }
      region.region().flush(true);
      Scan absent = new Scan().setStartStopRowForPrefixScan(Bytes.toBytes("k101"));
      try (RegionScanner scanner = region.region().getScanner(absent)) {
        assertFalse(scanner.next(new ArrayList<>()));
      }
      assertEquals(filesSkipped, region.counters().scans.negatives.sum());
    }
  }

  @Test
  void knownReadersTakeNoReaderOfAFile() {
    for (Class<?> reader : List.of(StoreFileReader.class, HalfStoreFileReader.class)) {
      for (Constructor<?> constructor : reader.getConstructors()) {
        assertFalse(
            Arrays.stream(constructor.getParameterTypes())
                .anyMatch(HFile.Reader.class::isAssignableFrom),
            constructor.toString());
      }
    }
  }

  /** A coprocessor can put its own class in one place only. */
  @Test
  void coprocessorsOpenFilesInTwoMethods() {
    Set<String> opening = new TreeSet<>();
    for (Method method : RegionObserver.class.getMethods()) {
      Stream.concat(Stream.of(method.getReturnType()), Arrays.stream(method.getParameterTypes()))
          .filter(KnownReadersTest::isOfTheReadPath)
          .forEach(type -> opening.add(method.getName()));
    }
    assertEquals(Set.of("preStoreFileReaderOpen", "postStoreFileReaderOpen"), opening);
  }

  private static boolean isOfTheReadPath(Class<?> type) {
    return Stream.of(
            StoreFileReader.class,
            KeyValueScanner.class,
            HFileScanner.class,
            HFile.Reader.class,
            BloomFilter.class)
        .anyMatch(one -> one.isAssignableFrom(type));
  }
}
