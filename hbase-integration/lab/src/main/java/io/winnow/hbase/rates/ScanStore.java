package io.winnow.hbase.rates;

import io.winnow.hbase.contest.Contender;
import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.settings.Setting;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilterUtil;

/**
 * A store of one large and several flushed store files, for measuring scans with one configuration
 * of filters. Its rows belong to entities. The name of an entity is the prefix of its rows.
 */
final class ScanStore implements Closeable, Contender {
  // Names of policies of which more than their results is known.
  static final String STOCK_ROW = "stock-row";
  static final String WINNOW_ROW = "winnow-row";
  static final String PREFIX = WINNOW_ROW + "+prefix";
  static final String SEGMENT = WINNOW_ROW + "+segment";

  // Names of stores of times.
  private static final String TIME = "time";
  private static final String LATE = "late";
  private static final String SPARSE = "sparse";
  private static final String HASHED = "hashed";

  private static final Method PASSES = passes();

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

    /**
     * Returns the filters that are compared, stock's first.
     *
     * @param prefix number of bytes of the prefixes with which rows begin
     */
    List<Policy> policies(int prefix) {
      List<Policy> all = new ArrayList<>();
      all.add(new Policy(STOCK_ROW, BloomType.ROW, Map.of(), Map.of()));
      if (!hasTimes()) {
        Map<String, String> length = Map.of(BloomFilterUtil.PREFIX_LENGTH_KEY, "" + prefix);
        all.add(new Policy("stock-prefix", BloomType.ROWPREFIX_FIXED_LENGTH, length, Map.of()));
      }
      all.add(Policy.winnow(WINNOW_ROW));
      all.add(Policy.winnow(PREFIX, Setting.SCAN_PREFIX, prefix));
      if (hasTimes()) {
        all.add(Policy.winnow(SEGMENT, Setting.SCAN_SEGMENT, prefix));
        all.add(
            Policy.winnow(
                "winnow-row+prefix+segment",
                Setting.SCAN_PREFIX,
                prefix,
                Setting.SCAN_SEGMENT,
                prefix));
      }
      return all;
    }

    /** Returns the kinds of queries that are measured. */
    List<QueryKind> kinds() {
      return Arrays.stream(QueryKind.values())
          .filter(k -> hasTimes() || QueryKind.OF_ALL.contains(k))
          .toList();
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

  /** Mean cost of some queries of one kind on a store. */
  record Cost(double cpuMicros, double blocks, double filterQueries) {}

  /** A kind of query that is measured on a store: a scan or a Get, of present or absent rows. */
  enum QueryKind {
    PRESENT("present"),
    ABSENT("absent"),
    REVERSED("reversed"),
    WITHOUT_PREFIX("withoutPrefix"),
    ABSENT_GET("absentGet"),
    ONE_HOUR("oneHour"),
    ONE_HOUR_REVERSED("oneHourReversed"),
    ENTITY("entity"),
    PRESENT_GET("presentGet");

    /** The kinds that are measured on every store; the others are about times. */
    private static final Set<QueryKind> OF_ALL = EnumSet.range(PRESENT, ABSENT_GET);

    final String label;

    QueryKind(String label) {
      this.label = label;
    }
  }

  final Policy policy;
  final Shape shape;

  /** CPU time of all flushes of the store, in nanoseconds. */
  long writeNanos;

  /** Number of rows that queries did not find, or found without a reason. */
  long rowsLost;

  private final ScanRows rows;
  private final LabRegion region;

  private ScanStore(Policy policy, Shape shape, ScanRows rows, LabRegion region) {
    this.policy = policy;
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
   * Makes a store with the filters of a policy, and fills it with rows, in one flush for each store
   * file.
   *
   * @param progress a consumer of the number of rows of each batch
   */
  static ScanStore create(
      Policy policy, Shape shape, ScanRows rows, Path directory, IntConsumer progress)
      throws IOException {
    ColumnFamilyDescriptorBuilder family =
        LabRegion.newFamily()
            .setConfiguration("hbase.hstore.compaction.max", "20"); // all files at once
    long cache = Math.max(2 << 20, (long) (shape.cacheShare() * shape.bytes()));
    BlockCache blocks = new LruBlockCache(cache, HConstants.DEFAULT_BLOCKSIZE);
    LabRegion region = LabRegion.create(directory, policy, family, Map.of(), blocks);
    ScanStore store = new ScanStore(policy, shape, rows, region);
    for (byte[][] file : rows.files) {
      store.writeNanos += region.write(Stream.of(file), shape.value(), progress);
    }
    region.requireFiles(shape.files());
    return store;
  }

  @Override
  public String id() {
    return policy.id();
  }

  /** Runs random queries on the store. All stores get the same ones for the same seed. */
  Cost query(QueryKind kind, int times, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    List<ScanRows.Query> queries = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      queries.add(rows.query(kind, random));
    }
    CacheStats stats = region.region.getBlockCache().getStats();
    long blocks = stats.getDataHitCount() + stats.getDataMissCount();
    long filterQueries = region.store().getBloomFilterRequestsCount();
    long start = LabRegion.cpuNanos();
    for (ScanRows.Query query : queries) {
      rowsLost += Math.abs(query.rows() - rows(query));
    }
    return new Cost(
        (LabRegion.cpuNanos() - start) / 1e3 / times,
        (double) (stats.getDataHitCount() + stats.getDataMissCount() - blocks) / times,
        (double) (region.store().getBloomFilterRequestsCount() - filterQueries) / times);
  }

  /** Returns the number of rows that a query finds, up to its limit or to one too many. */
  private int rows(ScanRows.Query query) throws IOException {
    Scan scan = query.scan();
    int most = scan.getLimit() > 0 ? scan.getLimit() : query.rows() + 1;
    int rows = 0;
    try (RegionScanner scanner = region.region.getScanner(scan)) {
      List<Cell> cells = new ArrayList<>();
      for (boolean more = true; more && rows < most; cells.clear()) {
        more = scanner.next(cells);
        rows += cells.isEmpty() ? 0 : 1;
      }
    }
    return rows;
  }

  /** Returns the number of store files that a scan reads, as HBase decides it. */
  int filesRead(Scan scan) throws IOException {
    int read = 0;
    for (HStoreFile file : region.files()) {
      StoreFileReader reader = file.getReader();
      read += reader.passesKeyRangeFilter(scan) && passes(reader, scan) ? 1 : 0;
    }
    return read;
  }

  private static boolean passes(StoreFileReader reader, Scan scan) throws IOException {
    try {
      return (boolean) PASSES.invoke(reader, scan, null);
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }

  double bitsPerRow() {
    return 8.0 * region.filterBytes() / shape.rows();
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
    long start = LabRegion.cpuNanos();
    region.majorCompact();
    return LabRegion.cpuNanos() - start;
  }

  @Override
  public void close() throws IOException {
    region.close();
  }
}
