package io.winnow.hbase.rates;

import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.read.FilterFacts;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;

/**
 * A store of one large and several flushed store files, for measuring scans with one configuration
 * of filters. Its rows belong to entities. The name of an entity is the prefix of its rows.
 */
final class ScanStore implements Closeable {
  // Names of stores of times.
  private static final String TIME = "time";
  private static final String LATE = "late";
  private static final String SPARSE = "sparse";
  private static final String HASHED = "hashed";

  private static final int PUT_AT_ONCE = 100_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Method PASSES = passes();

  /** A configuration of a column family's filters that is compared with others. */
  enum Contender {
    STOCK_ROW("stock-row", BloomType.ROW, false),
    STOCK_PREFIX("stock-prefix", BloomType.ROWPREFIX_FIXED_LENGTH, false),
    WINNOW_ROW("winnow-row", BloomType.ROW, true),
    WINNOW_PREFIX("winnow-row+prefix", BloomType.ROW, true, Setting.SCAN_PREFIX),
    WINNOW_SEGMENT("winnow-row+segment", BloomType.ROW, true, Setting.SCAN_SEGMENT),
    WINNOW_BOTH(
        "winnow-row+prefix+segment",
        BloomType.ROW,
        true,
        Setting.SCAN_PREFIX,
        Setting.SCAN_SEGMENT);

    final String label;
    private final BloomType type;
    private final boolean isWinnow;
    private final List<Setting> ofPrefix;

    Contender(String label, BloomType type, boolean isWinnow, Setting... ofPrefix) {
      this.label = label;
      this.type = type;
      this.isWinnow = isWinnow;
      this.ofPrefix = List.of(ofPrefix);
    }

    /** Returns the settings of a family whose rows begin with prefixes of a number of bytes. */
    private Map<String, String> settings(int prefix) {
      Map<String, String> settings = new HashMap<>();
      if (isWinnow) {
        settings.putAll(FilterChoice.BUMPED_RIBBON.settings());
      } else if (type == BloomType.ROWPREFIX_FIXED_LENGTH) {
        settings.put("RowPrefixBloomFilter.prefix_length", String.valueOf(prefix));
      }
      ofPrefix.forEach(setting -> settings.put(setting.key, String.valueOf(prefix)));
      return settings;
    }
  }

  /**
   * The size and distribution of the rows in a store.
   *
   * @param filesPerPrefix mean number of files that have rows of one entity
   * @param cacheShare size of the block cache as a share of the data's bytes; above 1 all data is
   *     cached
   */
  record Shape(
      String name,
      int entities,
      int rowsPerPrefix,
      int flushes,
      double filesPerPrefix,
      double cacheShare,
      long seed) {
    int files() {
      return flushes + 1;
    }

    /** Returns an estimate of the size of all store files, in bytes. */
    long bytes() {
      return rows() * (value().length + 60);
    }

    /** Returns the value of each row: as large as in a typical event, or as a measured number. */
    byte[] value() {
      return new byte[hasTimes() ? 8 : 100];
    }

    /** Returns true if the rows are those of a time series. */
    boolean hasTimes() {
      return name.startsWith(TIME) || name.startsWith(LATE) || hasFewActive() || hasHashedTimes();
    }

    /** Returns true if few of the entities have most of the rows. */
    boolean hasFewActive() {
      return name.equals(SPARSE);
    }

    /** Returns true if the rows have hashes in place of times, as in a table without an order. */
    boolean hasHashedTimes() {
      return name.equals(HASHED);
    }

    /** Returns the number of rows of each flush that are up to three days late. */
    int late() {
      return name.equals(LATE)
          ? TimeRows.LATE
          : name.startsWith(LATE)
              ? TimeRows.ROWS_PER_HOUR * Integer.parseInt(name.substring(LATE.length() + 1)) / 1000
              : 0;
    }

    /** Returns the configurations of filters that are compared, stock's first. */
    List<Contender> contenders() {
      EnumSet<Contender> all = EnumSet.allOf(Contender.class);
      all.removeAll(
          hasTimes()
              ? EnumSet.of(Contender.STOCK_PREFIX)
              : EnumSet.of(Contender.WINNOW_SEGMENT, Contender.WINNOW_BOTH));
      return List.copyOf(all);
    }

    /** Returns the kinds of queries that are measured. */
    List<QueryKind> kinds() {
      return Arrays.stream(QueryKind.values()).filter(k -> hasTimes() || !k.isOfTimes).toList();
    }

    long rows() {
      return (long) entities * rowsPerPrefix;
    }

    /**
     * Returns the size and distribution of the rows of a smaller store: with a third of the
     * entities, or with 30 hours.
     */
    Shape part() {
      int hours = 30 * TimeRows.ROWS_PER_HOUR / entities;
      return new Shape(
          name,
          hasTimes() ? entities : Math.max(1, entities / 3),
          hasTimes() ? Math.min(rowsPerPrefix, hours) : rowsPerPrefix,
          flushes,
          filesPerPrefix,
          cacheShare,
          seed);
    }
  }

  /** Total cost of all queries of one kind on a store. */
  static final class Cost {
    long queries;
    long filesRead;

    /** Number of files with a row between the bounds, by the rows that the files got. */
    long filesWithRows;

    long blocks;
    long filterQueries;
    long cpuNanos;
    long rowsLost;

    /** CPU time of a query in microseconds, one value for each round. */
    final List<Double> cpuMicros = new ArrayList<>();
  }

  /** A kind of query that is measured on a store: a scan or a Get, of present or absent rows. */
  enum QueryKind {
    PRESENT("present"),
    ABSENT("absent"),
    REVERSED("reversed"),
    WITHOUT_PREFIX("withoutPrefix"),
    ABSENT_GET("absentGet"),
    ONE_HOUR("oneHour", true),
    ONE_HOUR_REVERSED("oneHourReversed", true),
    ENTITY("entity", true),
    PRESENT_GET("presentGet", true);

    final String label;

    /** True if it is measured only on stores of times. */
    final boolean isOfTimes;

    QueryKind(String label) {
      this(label, false);
    }

    QueryKind(String label, boolean isOfTimes) {
      this.label = label;
      this.isOfTimes = isOfTimes;
    }

    boolean isGet() {
      return this == ABSENT_GET || this == PRESENT_GET;
    }
  }

  private final Contender contender;
  private final Shape shape;
  private final ScanRows rows;
  private final LabRegion region;
  private long writeNanos;

  private ScanStore(Contender contender, Shape shape, ScanRows rows, LabRegion region) {
    this.contender = contender;
    this.shape = shape;
    this.rows = rows;
    this.region = region;
  }

  private static Method passes() {
    try {
      Method method =
          StoreFileReader.class.getDeclaredMethod("passesBloomFilter", Scan.class, SortedSet.class);
      method.setAccessible(true);
      return method;
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(
          "HBase's StoreFileReader has no passesBloomFilter(Scan, SortedSet)", e);
    }
  }

  /**
   * Makes a store with the given configuration of filters, and fills it with rows.
   *
   * @param progress receives the number of rows put since the last call
   */
  static ScanStore create(
      Contender contender, Shape shape, ScanRows rows, Path directory, IntConsumer progress)
      throws IOException {
    ColumnFamilyDescriptorBuilder family =
        LabRegion.newFamily()
            .setBloomFilterType(contender.type)
            .setConfiguration("hbase.hstore.compaction.max", "20"); // all files at once
    contender.settings(rows.prefix()).forEach(family::setConfiguration);
    String name = contender.label.replace('+', '-');
    long cache = Math.max(2 << 20, (long) (shape.cacheShare() * shape.bytes()));
    ScanStore store =
        new ScanStore(
            contender,
            shape,
            rows,
            LabRegion.create(
                directory,
                name,
                family.build(),
                Map.of(),
                new LruBlockCache(cache, HConstants.DEFAULT_BLOCKSIZE)));
    store.fill(progress);
    return store;
  }

  /** Writes all rows of the store, in one flush for each store file. */
  private void fill(IntConsumer progress) throws IOException {
    for (byte[][] file : rows.files()) {
      for (int from = 0; from < file.length; from += PUT_AT_ONCE) {
        int to = Math.min(file.length, from + PUT_AT_ONCE);
        region.put(Arrays.asList(file).subList(from, to), shape.value());
        progress.accept(to - from);
      }
      long start = THREADS.getCurrentThreadCpuTime();
      region.flush();
      writeNanos += THREADS.getCurrentThreadCpuTime() - start;
    }
    if (region.files().size() != shape.files()) {
      throw new IOException("the store has " + region.files().size() + " files");
    }
  }

  /** Returns the CPU time of all flushes of the store, in nanoseconds. */
  long writeNanos() {
    return writeNanos;
  }

  Contender contender() {
    return contender;
  }

  Shape shape() {
    return shape;
  }

  /** Runs random queries on the store and adds up their cost. All stores get the same queries. */
  void query(QueryKind kind, int times, long seed, Cost cost) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    List<ScanRows.Query> queries = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      queries.add(rows.query(kind, random));
    }
    CacheStats stats = region.region().getBlockCache().getStats();
    long blocks = stats.getDataHitCount() + stats.getDataMissCount();
    long filterQueries = region.store().getBloomFilterRequestsCount();
    long start = THREADS.getCurrentThreadCpuTime();
    for (ScanRows.Query query : queries) {
      cost.rowsLost += Math.abs(query.rows() - rows(query));
    }
    long nanos = THREADS.getCurrentThreadCpuTime() - start;
    cost.cpuNanos += nanos;
    cost.cpuMicros.add(nanos / 1e3 / times);
    cost.blocks += stats.getDataHitCount() + stats.getDataMissCount() - blocks;
    cost.filterQueries += region.store().getBloomFilterRequestsCount() - filterQueries;
    cost.queries += times;
  }

  /** Returns the number of rows that a query finds, up to its limit or to one too many. */
  private int rows(ScanRows.Query query) throws IOException {
    Scan scan = query.scan();
    int most = scan.getLimit() > 0 ? scan.getLimit() : query.rows() + 1;
    int rows = 0;
    try (RegionScanner scanner = region.region().getScanner(scan)) {
      List<Cell> cells = new ArrayList<>();
      for (boolean more = true; more && rows < most; cells.clear()) {
        more = scanner.next(cells);
        rows += cells.isEmpty() ? 0 : 1;
      }
    }
    return rows;
  }

  /** Counts the store files that a query reads, as HBase decides it. */
  void countFiles(ScanRows.Query query, Cost cost) throws IOException {
    for (HStoreFile file : region.files()) {
      StoreFileReader reader = file.getReader();
      boolean isRead = reader.passesKeyRangeFilter(query.scan()) && passes(reader, query.scan());
      cost.filesRead += isRead ? 1 : 0;
    }
    cost.filesWithRows += query.files();
    cost.queries++;
  }

  private static boolean passes(StoreFileReader reader, Scan scan) throws IOException {
    try {
      return (boolean) PASSES.invoke(reader, scan, null);
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }

  double bitsPerRow() {
    long bytes = 0;
    for (HStoreFile file : region.files()) {
      bytes += file.getReader().getTotalBloomSize();
    }
    return 8.0 * bytes / shape.rows();
  }

  /** Returns the number of prefixes in the filters of the store's files, per row of the store. */
  double prefixesPerRow() throws IOException {
    long prefixes = 0;
    for (HStoreFile file : region.files()) {
      FilterFacts facts = FilterFacts.general(file.getReader().getHFileReader());
      prefixes += facts == null ? 0 : facts.prefixes();
    }
    return (double) prefixes / shape.rows();
  }

  /** Returns the size of the largest entry of key segments in a file; 0 if no file has one. */
  int segmentBytes() {
    int most = 0;
    for (HStoreFile file : region.files()) {
      byte[] entry = file.getReader().getHFileReader().getHFileInfo().get(KeySegment.key());
      most = Math.max(most, entry == null ? 0 : entry.length);
    }
    return most;
  }

  /** Compacts all files of the store into one. Returns the CPU time in nanoseconds. */
  long compact() throws IOException {
    long start = THREADS.getCurrentThreadCpuTime();
    region.majorCompact();
    return THREADS.getCurrentThreadCpuTime() - start;
  }

  @Override
  public void close() throws IOException {
    region.close();
  }
}
