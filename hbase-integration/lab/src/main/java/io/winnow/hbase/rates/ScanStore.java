package io.winnow.hbase.rates;

import io.winnow.hbase.read.FilterFacts;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;

/**
 * A store of one large and several flushed store files, for measuring scans with one configuration
 * of filters. Its rows belong to entities. The name of an entity is the prefix of its rows, and
 * each entity is in some of the files.
 */
final class ScanStore implements Closeable {
  /** Number of bytes in the prefix of a row key: the name of an entity, in hexadecimal digits. */
  static final int PREFIX = 12;

  /** The value of each row, 100 bytes as in a typical event. */
  private static final byte[] VALUE = new byte[100];

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Method PASSES = passes();

  /** A configuration of a column family's filters that is compared with others. */
  enum Contender {
    STOCK_ROW("stock-row", BloomType.ROW, Map.of()),
    STOCK_PREFIX(
        "stock-prefix",
        BloomType.ROWPREFIX_FIXED_LENGTH,
        Map.of("RowPrefixBloomFilter.prefix_length", String.valueOf(PREFIX))),
    WINNOW_ROW("winnow-row", BloomType.ROW, FilterChoice.BUMPED_RIBBON.settings()),
    WINNOW_BOTH(
        "winnow-row+prefix",
        BloomType.ROW,
        Map.of(
            Setting.FILTER.key,
            FilterChoice.BUMPED_RIBBON.label,
            Setting.SCAN_PREFIX.key,
            String.valueOf(PREFIX)));

    final String label;
    private final BloomType type;
    private final Map<String, String> settings;

    Contender(String label, BloomType type, Map<String, String> settings) {
      this.label = label;
      this.type = type;
      this.settings = settings;
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
      return rows() * (VALUE.length + 60);
    }

    long rows() {
      return (long) entities * rowsPerPrefix;
    }

    /**
     * Returns the size and distribution of the rows of a smaller store, which has one entity for
     * every {@code divisor} entities of the larger one.
     */
    Shape part(int divisor) {
      return new Shape(
          name,
          Math.max(1, entities / divisor),
          rowsPerPrefix,
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
    long blocks;
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
    ABSENT_GET("absentGet");

    final String label;

    QueryKind(String label) {
      this.label = label;
    }
  }

  private final Contender contender;
  private final Shape shape;
  private final LabRegion region;
  private long writeNanos;

  private ScanStore(Contender contender, Shape shape, LabRegion region) {
    this.contender = contender;
    this.shape = shape;
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

  /** Makes a store with the given configuration of filters, and fills it with rows. */
  static ScanStore create(Contender contender, Shape shape, Path directory) throws IOException {
    ColumnFamilyDescriptorBuilder family =
        LabRegion.newFamily()
            .setBloomFilterType(contender.type)
            .setConfiguration("hbase.hstore.compaction.max", "20"); // all files at once
    contender.settings.forEach(family::setConfiguration);
    String name = contender.label.replace('+', '-');
    long cache = Math.max(2 << 20, (long) (shape.cacheShare() * shape.bytes()));
    ScanStore store =
        new ScanStore(
            contender,
            shape,
            LabRegion.create(
                directory,
                name,
                family.build(),
                Map.of(),
                new LruBlockCache(cache, HConstants.DEFAULT_BLOCKSIZE)));
    store.fill();
    return store;
  }

  /**
   * Writes all rows of the store, in one flush for each store file. The first file is the large
   * one: it has rows of most entities.
   */
  private void fill() throws IOException {
    List<List<byte[]>> files = new ArrayList<>();
    for (int file = 0; file < shape.files(); file++) {
      files.add(new ArrayList<>());
    }
    SplittableRandom random = new SplittableRandom(shape.seed());
    int whole = (int) shape.filesPerPrefix();
    for (int entity = 0; entity < shape.entities(); entity++) {
      int in = whole + (random.nextDouble() < shape.filesPerPrefix() - whole ? 1 : 0);
      int first = in == shape.files() ? 0 : random.nextInt(4) == 0 ? random.nextInt(13) : 0;
      first = Math.min(first, shape.flushes());
      int[] places = new int[in];
      for (int i = 0; i < in; i++) {
        places[i] = i == 0 ? first : (first + 1 + random.nextInt(shape.flushes())) % shape.files();
        for (int j = 0; j < i; j++) {
          if (places[j] == places[i]) {
            places[i] = (places[i] + 1) % shape.files();
            j = -1;
          }
        }
      }
      for (int row = 0; row < shape.rowsPerPrefix(); row++) {
        files.get(places[row % in]).add(row(entity, 2 * row));
      }
    }
    for (List<byte[]> rows : files) {
      region.put(rows, VALUE);
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

  private static byte[] row(int entity, int number) {
    return String.format(Locale.ROOT, "%s-%04d", name(entity), number)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static String name(int entity) {
    long mixed = (entity + 1) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
    return String.format(Locale.ROOT, "%016x", mixed ^ mixed >>> 27).substring(0, PREFIX);
  }

  private Scan scan(QueryKind kind, int number) {
    byte[] prefix = name(number).getBytes(StandardCharsets.US_ASCII);
    Scan scan = new Scan().setStartStopRowForPrefixScan(prefix).setCaching(1000);
    switch (kind) {
      case PRESENT, ABSENT:
        return scan;
      case REVERSED:
        return new Scan()
            .setReversed(true)
            .withStartRow(scan.getStopRow(), false)
            .withStopRow(prefix, true);
      case WITHOUT_PREFIX:
        byte[] stop = prefix.clone();
        stop[4] = 'z';
        return new Scan().withStartRow(prefix).withStopRow(stop).setLimit(shape.rowsPerPrefix());
      default:
        return new Scan(new Get(row(number, 2 * (number % shape.rowsPerPrefix()) + 1)));
    }
  }

  /**
   * Runs queries for random entities on the store and adds up their cost. All stores get the same
   * queries.
   */
  void query(QueryKind kind, int times, long seed, Cost cost) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    int from = kind == QueryKind.ABSENT ? shape.entities() : 0;
    List<Scan> scans = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      scans.add(scan(kind, from + random.nextInt(shape.entities())));
    }
    CacheStats stats = region.region().getBlockCache().getStats();
    long blocks = stats.getDataHitCount() + stats.getDataMissCount();
    long start = THREADS.getCurrentThreadCpuTime();
    for (Scan scan : scans) {
      int rows = rows(scan);
      int expected =
          kind == QueryKind.ABSENT || kind == QueryKind.ABSENT_GET ? 0 : shape.rowsPerPrefix();
      cost.rowsLost += kind == QueryKind.WITHOUT_PREFIX ? 0 : Math.abs(expected - rows);
    }
    long nanos = THREADS.getCurrentThreadCpuTime() - start;
    cost.cpuNanos += nanos;
    cost.cpuMicros.add(nanos / 1e3 / times);
    cost.blocks += stats.getDataHitCount() + stats.getDataMissCount() - blocks;
    cost.queries += times;
  }

  private int rows(Scan scan) throws IOException {
    int rows = 0;
    try (RegionScanner scanner = region.region().getScanner(scan)) {
      List<Cell> cells = new ArrayList<>();
      for (boolean more = true; more && rows < shape.rowsPerPrefix() + 1; cells.clear()) {
        more = scanner.next(cells);
        rows += cells.isEmpty() ? 0 : 1;
      }
    }
    return rows;
  }

  /** Counts the store files that queries for random entities read, as HBase decides it. */
  void countFiles(QueryKind kind, int times, long seed, Cost cost) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    int from = kind == QueryKind.ABSENT ? shape.entities() : 0;
    for (int i = 0; i < times; i++) {
      Scan scan = scan(kind, from + random.nextInt(shape.entities()));
      for (HStoreFile file : region.files()) {
        StoreFileReader reader = file.getReader();
        cost.filesRead += reader.passesKeyRangeFilter(scan) && passes(reader, scan) ? 1 : 0;
      }
    }
    cost.queries += times;
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
