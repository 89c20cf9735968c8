package io.winnow.ycsb;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.Client;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;

/**
 * A YCSB workload of reads of rows whose keys have one exact length, single or in batches. A given
 * share of the rows is absent from the table, with keys between the present ones. Updates can be
 * mixed in.
 *
 * <p>Every operation is checked. A present row must have its five columns with the right values,
 * all of one version. This version must be no older than the newest that this workload knows to be
 * in the table: the one that was loaded, or an update that was acknowledged before the read began.
 * An absent row must have nothing. The first difference ends the thread that met it, and {@link
 * #cleanup()} throws, which makes YCSB's client end with exit code 1.
 *
 * <p>Properties:
 *
 * <ul>
 *   <li>{@code recordcount}: rows in the table; {@code table}: its name, {@code usertable} by
 *       default
 *   <li>{@code winnow.keylength}: bytes of a row key, 25 by default: {@link KeySpace}
 *   <li>{@code winnow.batch}: rows of a read, 20 by default; 1 is YCSB's own READ
 *   <li>{@code winnow.absent}: share of absent rows in reads, 0 by default
 *   <li>{@code winnow.group}: rows of a group, 1 by default; their keys have all but one digit in
 *       common
 *   <li>{@code winnow.scan}: {@code none}, the default; {@code group}, where a read is a scan of
 *       one group, present or absent; or {@code rows}, where it is a scan of 1 to 100 rows from a
 *       present one on, as in YCSB's workload E
 *   <li>{@code requestdistribution}: of present and absent rows alike; {@code uniform}, the
 *       default; {@code zipfian}, scrambled like YCSB's; or {@code hotspot}: the share {@code
 *       hotspotopnfraction} of reads, 0.8 by default, goes to {@code hotspotdatafraction} of the
 *       rows, 0.2 by default, which lie anywhere, and the rest to the other rows
 *   <li>{@code winnow.draw}: the choice of popular rows: each number draws other rows, and the same
 *       number always the same ones; 0 by default
 *   <li>{@code updateproportion}: share of operations that rewrite one row, all columns; 0 by
 *       default
 *   <li>{@code winnow.files}, {@code winnow.rewritten}, {@code winnow.small}: the {@link LoadPlan},
 *       from which the version of each loaded row is known; 1, 0 and 0 by default, the last for
 *       files of one size. YCSB's own load phase writes that version
 *   <li>{@code winnow.seed}: the same seed, thread number and thread count give the same
 *       operations; 1 by default
 * </ul>
 *
 * <p>An update's version is the time in microseconds, so several runs may follow each other on a
 * table. Two clients that update the same table at the same time are not distinguished, and may
 * report differences where there are none.
 */
public final class ReadWorkload extends Workload {

  /** Name of the workload's property with the length of row keys in bytes. */
  public static final String KEY_LENGTH = "winnow.keylength";

  /** Name of the workload's property with the number of rows in one read. */
  public static final String BATCH = "winnow.batch";

  /** Name of the workload's property with the share of reads of absent rows. */
  public static final String ABSENT = "winnow.absent";

  /** Name of the workload's property with the number of files in a loaded store. */
  public static final String FILES = "winnow.files";

  /** Name of the workload's property with the chance that a row is also in each later file. */
  public static final String REWRITTEN = "winnow.rewritten";

  /**
   * Name of the workload's property with the share of rows in each store file but the first; 0 if
   * all files have the same number.
   */
  public static final String SMALL = "winnow.small";

  /** Name of YCSB's own property with the share of rows that are hot. */
  public static final String HOT_ROWS = "hotspotdatafraction";

  /** Name of YCSB's own property with the share of reads that go to hot rows. */
  public static final String HOT_READS = "hotspotopnfraction";

  /** Name of the workload's property with the number that determines which rows are popular. */
  public static final String DRAW = "winnow.draw";

  /** Name of the workload's property with the seed of its random operations. */
  public static final String SEED = "winnow.seed";

  /** Name of the workload's property with the number of rows in a group of successive keys. */
  public static final String GROUP = "winnow.group";

  /** Name of the workload's property with the kind of scans: none, of groups, or of rows. */
  public static final String SCAN = "winnow.scan";

  private static final String NO_SCAN = "none";
  private static final String SCAN_GROUP = "group";
  private static final String SCAN_ROWS = "rows";

  /** Maximum number of rows that a scan reads, as in YCSB's workload E. */
  private static final int MAX_SCANNED = 100;

  private static final String TABLE = "table";
  private static final String DISTRIBUTION = "requestdistribution";
  private static final String UNIFORM = "uniform";
  private static final String ZIPFIAN = "zipfian";
  private static final String HOTSPOT = "hotspot";
  private static final String UPDATES = "updateproportion";
  private static final int LOCKS = 1024;

  private static final Logger LOG = LoggerFactory.getLogger(ReadWorkload.class);

  private String table;
  private KeySpace keys;
  private LoadPlan plan;
  private int batch;
  private int group;
  private String scan;
  private double absent;
  private double updates;
  private String distribution;
  private long hotRows;
  private double hotReads;
  private long firstPopular;
  private final AtomicLong nextInsert = new AtomicLong();

  /** The newest version of each updated row that HBase has acknowledged, by the row's index. */
  private final Map<Long, Long> acknowledged = new ConcurrentHashMap<>();

  /**
   * Locks with which the updates of a row are made one after the other, so that a higher version is
   * a later one.
   */
  private final Object[] locks = Stream.generate(Object::new).limit(LOCKS).toArray();

  private final AtomicLong lastVersion = new AtomicLong();
  private final LongAdder operations = new LongAdder();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder differences = new LongAdder();
  private final LongAdder failures = new LongAdder();

  /**
   * Makes a workload of reads that is not initialized yet. YCSB calls this by the name of the
   * class.
   */
  public ReadWorkload() {}

  @Override
  public void init(Properties properties) throws WorkloadException {
    try {
      table = properties.getProperty(TABLE, "usertable");
      group = (int) number(properties, GROUP, "1");
      keys =
          KeySpace.of(
              (int) number(properties, KEY_LENGTH, "25"),
              number(properties, Client.RECORD_COUNT_PROPERTY, "0"),
              group);
      scan = word(properties, SCAN, NO_SCAN, SCAN_GROUP, SCAN_ROWS);
      plan = plan(properties);
      batch = (int) number(properties, BATCH, "20");
      if (batch < 1) {
        throw new IllegalArgumentException(BATCH + " is " + batch + ", not 1 or more");
      }
      absent = share(properties, ABSENT, "0");
      updates = share(properties, UPDATES, "0");
      distribution = word(properties, DISTRIBUTION, UNIFORM, ZIPFIAN, HOTSPOT);
      hotReads = share(properties, HOT_READS, "0.8");
      hotRows = Math.max(1, Math.round(keys.rows() * share(properties, HOT_ROWS, "0.2")));
      long draw = number(properties, DRAW, "0");
      firstPopular = draw == 0 ? 0 : Math.floorMod(Mix.of(draw), keys.rows());
    } catch (IllegalArgumentException e) {
      throw new WorkloadException(e.getMessage(), e);
    }
  }

  @Override
  public Object initThread(Properties properties, int threadId, int threadCount)
      throws WorkloadException {
    try {
      long seed = number(properties, SEED, "1");
      return new SplittableRandom(Mix.of(Mix.of(seed) + threadId) + threadCount);
    } catch (IllegalArgumentException e) {
      throw new WorkloadException(e.getMessage(), e);
    }
  }

  @Override
  public boolean doInsert(DB db, Object threadState) {
    long index = nextInsert.getAndIncrement();
    operations.increment();
    byte[] key = keys.key(index);
    return isRight(db.insert(table, text(key), values(key, plan.newestVersion(index))));
  }

  @Override
  public boolean doTransaction(DB db, Object threadState) {
    SplittableRandom random = (SplittableRandom) threadState;
    operations.increment();
    if (updates > 0 && random.nextDouble() < updates) {
      return update(db, random);
    }
    return switch (scan) {
      case SCAN_GROUP -> scanGroup(db, random);
      case SCAN_ROWS -> scanRows(db, random);
      default -> read(db, random);
    };
  }

  /**
   * Scans one group of rows and checks them all. The binding ends the scan with the group: {@link
   * WinnowHBaseClient#SCANNED_PREFIX}.
   */
  private boolean scanGroup(DB db, SplittableRandom random) {
    boolean isAbsent = absent > 0 && random.nextDouble() < absent;
    long first = row(random) / group * group + (isAbsent ? keys.rows() : 0);
    long[] oldest = new long[group];
    for (int i = 0; i < group; i++) {
      oldest[i] = isAbsent ? 0 : oldestAllowed(first + i);
    }
    Vector<HashMap<String, ByteIterator>> rows = new Vector<>();
    if (!isRight(db.scan(table, text(keys.key(first)), group + 1, null, rows))) {
      return false;
    }
    if (isAbsent && rows.isEmpty()) {
      misses.increment();
      return true;
    }
    boolean right = rows.size() == group;
    if (!right) {
      differ("%d rows are in a group that should have %d", rows.size(), isAbsent ? 0 : group);
    }
    for (int i = 0; i < group && right; i++) {
      right = check(first + i, keys.key(first + i), oldest[i], rows.get(i));
    }
    return right;
  }

  /** Scans rows from a present one on, and checks the first row and the number of rows. */
  private boolean scanRows(DB db, SplittableRandom random) {
    long index = row(random);
    byte[] key = keys.key(index);
    long oldest = oldestAllowed(index);
    int max = 1 + random.nextInt(MAX_SCANNED);
    Vector<HashMap<String, ByteIterator>> rows = new Vector<>();
    if (!isRight(db.scan(table, text(key), max, null, rows))) {
      return false;
    }
    if (rows.isEmpty() || rows.size() > max) {
      return differ("%d rows were requested, %d were returned", max, rows.size());
    }
    hits.add(rows.size() - 1);
    return check(index, key, oldest, rows.get(0));
  }

  private boolean update(DB db, SplittableRandom random) {
    long index = row(random);
    byte[] key = keys.key(index);
    synchronized (locks[(int) (index % LOCKS)]) {
      long version = nextVersion();
      Status status = db.update(table, text(key), values(key, version));
      if (!isRight(status)) {
        return false;
      }
      acknowledged.put(index, version);
      return true;
    }
  }

  private boolean read(DB db, SplittableRandom random) {
    long[] indexes = new long[batch];
    byte[][] rowKeys = new byte[batch][];
    long[] oldest = new long[batch];
    List<String> names = new ArrayList<>(batch);
    for (int i = 0; i < batch; i++) {
      boolean isAbsent = absent > 0 && random.nextDouble() < absent;
      indexes[i] = row(random) + (isAbsent ? keys.rows() : 0);
      rowKeys[i] = keys.key(indexes[i]);
      names.add(text(rowKeys[i]));
      oldest[i] = isAbsent ? 0 : oldestAllowed(indexes[i]);
    }
    List<Map<String, ByteIterator>> rows = new ArrayList<>(batch);
    Status status = read(db, names, rows);
    if (!isRight(status)) {
      return false;
    }
    boolean right = rows.size() == batch;
    if (!right) {
      differ("%d rows were requested, %d were returned", batch, rows.size());
    }
    for (int i = 0; i < rows.size() && right; i++) {
      right = check(indexes[i], rowKeys[i], oldest[i], rows.get(i));
    }
    return right;
  }

  private boolean check(long index, byte[] key, long oldest, Map<String, ByteIterator> row) {
    if (!keys.isPresent(index)) {
      misses.increment();
      if (row.isEmpty()) {
        return true;
      }
      return differ("the absent row %s has %s", text(key), row.keySet());
    }
    hits.increment();
    if (row.isEmpty()) {
      return differ("the row %s is absent", text(key));
    }
    Map<String, byte[]> values = new HashMap<>();
    row.forEach((name, value) -> values.put(name, value.toArray()));
    long version = RowValues.version(key, values);
    if (version == RowValues.WRONG) {
      return differ("the row %s has other columns or values", text(key));
    }
    if (version < oldest) {
      return differ("the row %s has version %d, but had %d before", text(key), version, oldest);
    }
    boolean written =
        version < plan.files()
            ? version == plan.newestVersion(index)
            : version <= Math.max(micros(), lastVersion.get());
    return written
        || differ("the row %s has version %d, which was never written", text(key), version);
  }

  private Status read(DB db, List<String> names, List<Map<String, ByteIterator>> rows) {
    if (batch == 1) {
      return readOne(db, names.get(0), rows);
    }
    if (db instanceof BatchReads batches) {
      return batches.batchRead(table, names, null, rows);
    }
    // YCSB's own client wraps the binding, and measures only the operations that it knows.
    BatchReads binding = WinnowHBaseClient.ofThread();
    if (binding == null) { // another binding than Winnow's
      return Status.NOT_IMPLEMENTED;
    }
    Measurements measurements = Measurements.getMeasurements();
    long start = System.nanoTime();
    Status status = binding.batchRead(table, names, null, rows);
    long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start);
    measurements.measure("READ-BATCH", (int) Math.min(Integer.MAX_VALUE, micros));
    measurements.reportStatus("READ-BATCH", status);
    return status;
  }

  private Status readOne(DB db, String name, List<Map<String, ByteIterator>> rows) {
    Map<String, ByteIterator> row = new HashMap<>();
    Status status = db.read(table, name, null, row);
    rows.add(row);
    return status.equals(Status.NOT_FOUND) ? Status.OK : status;
  }

  /**
   * Draws the index of a row among the present or among the absent ones, popular rows more often.
   * Successive indexes have unrelated keys, so the popular rows can be successive indexes, and a
   * draw of them is their first index.
   */
  private long row(SplittableRandom random) {
    long item =
        switch (distribution) {
          case ZIPFIAN -> ScrambledZipf.item(random.nextDouble(), keys.rows());
          case HOTSPOT ->
              hotRows == keys.rows() || random.nextDouble() < hotReads
                  ? random.nextLong(hotRows)
                  : random.nextLong(hotRows, keys.rows());
          default -> random.nextLong(keys.rows());
        };
    return (firstPopular + item) % keys.rows();
  }

  /** Returns the oldest version of a row that a read may return if it begins now. */
  private long oldestAllowed(long index) {
    Long updated = updates > 0 ? acknowledged.get(index) : null;
    return updated == null ? plan.newestVersion(index) : updated;
  }

  private long nextVersion() {
    return lastVersion.accumulateAndGet(micros(), (last, now) -> Math.max(last + 1, now));
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private boolean isRight(Status status) {
    if (status.isOk()) {
      return true;
    }
    failures.increment();
    return false;
  }

  private boolean differ(String what, Object... values) {
    differences.increment();
    LOG.error("In table {}: {}", table, String.format(Locale.ROOT, what, values));
    return false;
  }

  /** Returns the number of rows that were read so far, present and absent. */
  long rows() {
    return hits.sum() + misses.sum();
  }

  /** Returns the numbers of operations and of their results that all threads had so far. */
  public Counts counts() {
    return new Counts(
        operations.sum(), hits.sum(), misses.sum(), differences.sum(), failures.sum());
  }

  /**
   * Numbers of a workload's operations and of their results: present and absent rows, wrong rows,
   * and failures.
   *
   * @param operations reads, each of a batch, and writes
   * @param hits present rows that were read
   * @param misses absent rows that were read
   * @param differences rows with other contents than expected; anything but 0 means that data was
   *     lost or damaged
   * @param failures operations that failed in HBase
   */
  public record Counts(long operations, long hits, long misses, long differences, long failures) {}

  /**
   * Ends the workload, and fails if an operation failed or a row was wrong.
   *
   * @throws IllegalStateException if a row had other contents than expected, an operation failed,
   *     or there was none. It ends YCSB's client with exit code 1; a {@link WorkloadException}
   *     would end it with 0.
   */
  @Override
  public void cleanup() {
    Counts counts = counts();
    if (counts.differences() > 0 || counts.failures() > 0 || counts.operations() == 0) {
      throw new IllegalStateException("the run failed: " + counts);
    }
  }

  private static Map<String, ByteIterator> values(byte[] key, long version) {
    Map<String, ByteIterator> values = new HashMap<>();
    RowValues.byName(key, version)
        .forEach((name, value) -> values.put(name, new ByteArrayByteIterator(value)));
    return values;
  }

  /** Returns the plan by which the workload's table was loaded. */
  static LoadPlan plan(Properties properties) {
    int files = (int) number(properties, FILES, "1");
    double rewritten = share(properties, REWRITTEN, "0");
    double small = share(properties, SMALL, "0");
    int group = (int) number(properties, GROUP, "1");
    return new LoadPlan(files, rewritten, small == 0 ? 1.0 / files : small, group);
  }

  /** Returns a property that is one of some words; the first by default. */
  private static String word(Properties properties, String name, String... words) {
    String word = properties.getProperty(name, words[0]);
    if (!List.of(words).contains(word)) {
      throw new IllegalArgumentException(
          "%s is '%s', not one of %s".formatted(name, word, String.join(", ", words)));
    }
    return word;
  }

  private static long number(Properties properties, String name, String otherwise) {
    String text = properties.getProperty(name, otherwise);
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " is '" + text + "', not a whole number", e);
    }
  }

  private static double share(Properties properties, String name, String otherwise) {
    String text = properties.getProperty(name, otherwise);
    try {
      double share = Double.parseDouble(text);
      if (share >= 0 && share <= 1) {
        return share;
      }
    } catch (NumberFormatException e) {
      // It gets the message for a number out of range.
    }
    throw new IllegalArgumentException(name + " is '" + text + "', not a number in 0..1");
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.ISO_8859_1);
  }
}
