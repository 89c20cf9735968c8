package io.winnow.hbase.soak;

import io.winnow.hbase.storefile.StoreFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;

/**
 * The rows of the table that {@code ./winnow soak} writes, deletes and reads, with the result that
 * each read must have. This class writes, deletes, loads and reads them, and compares each result
 * of HBase with the acknowledged writes.
 *
 * <p>Rows have numbers. Even ones are written again and again; odd ones, which are between them,
 * never. A row has a cell in each family, whose value names the row and the write, so that an old
 * value is detected as well as a lost one. A write has a timestamp of its own, so it may be
 * repeated until HBase acknowledges it, and a late one changes nothing.
 *
 * <p>Thread-safe: one operation at a time, so that the expected result of a read is known. A caller
 * that holds the monitor has the table alone.
 */
final class SoakRows {
  /** Number of row numbers that are used, of which only the even ones are ever written. */
  static final int NUMBERS = 30_000;

  /** Number of bytes in the row prefix that a hundred successive row numbers share. */
  static final int PREFIX_SIZE = 10;

  /** Key segment of a row, in the words of its setting: the row's number. */
  static final String SEGMENT = "4,8";

  private static final int PER_PREFIX = 100;

  private static final int PER_BOUNDARY = 1000;

  /** Number of bytes in the row prefix that all rows share. */
  private static final int ALL_PREFIX_SIZE = 4;

  private static final byte[] QUALIFIER = Bytes.toBytes("m");
  private static final String PADDING = ".".repeat(100);
  private static final int LARGE_BATCH = 500;
  private static final int WRITTEN_ROWS = 10;
  private static final int READ_ROWS = 20;
  private static final int LOADED_ROWS = 300;

  /** Mean number of steps of writing rows for each step that deletes rows instead. */
  private static final int DELETES = 8;

  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_REPORTED = 10;

  /** Name of the count of HBase's answers that were checked. */
  static final String ANSWERS = "answers checked";

  static final String WRONG = "wrong answers";
  static final String REPEATED = "calls that HBase's client gave up, repeated";

  /** A call of HBase's client, which is repeated if it fails. */
  @FunctionalInterface
  private interface Call {
    void run() throws IOException;
  }

  private final Configuration conf;
  private final Connection connection;
  private final TableName name;
  private final List<byte[]> families;
  private final Random random;

  /**
   * The time from which the timestamps of all written rows are counted, in milliseconds since 1970.
   * The timestamp of a write is this time plus the number of the write in milliseconds.
   */
  private final long begin = System.currentTimeMillis();

  /**
   * Number of the write that last wrote a row with an even number, at the index of half this
   * number; 0 if the row is absent.
   */
  private final int[] written = new int[NUMBERS / 2];

  private final TreeMap<String, Long> counts = new TreeMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int writes;

  /** Makes the record of the expected rows of a table that is still empty. */
  SoakRows(
      Configuration conf,
      Connection connection,
      TableName name,
      List<byte[]> families,
      Random random) {
    this.conf = conf;
    this.connection = connection;
    this.name = name;
    this.families = families;
    this.random = random;
    count(WRONG, 0);
    count(REPEATED, 0);
  }

  /** Returns the row key that belongs to a row number. */
  static byte[] key(int number) {
    return String.format(Locale.ROOT, "key-%08d-and-more", number)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Returns a row key at which a region may begin, near that of a row number: the rows that {@link
   * LetteredRowsReader} shows lie in the same region as those of its file.
   */
  static byte[] boundary(int number) {
    return key(number / PER_BOUNDARY * PER_BOUNDARY);
  }

  private static byte[] value(int number, int write) {
    return Bytes.toBytes("row " + number + ", write " + write + PADDING);
  }

  /** Returns the value that a read of a row must return now, or null if the row is absent. */
  private byte[] value(int number) {
    boolean isThere = number < NUMBERS && number % 2 == 0 && written[number / 2] != 0;
    return isThere ? value(number, written[number / 2]) : null;
  }

  private void count(String what, long more) {
    counts.merge(what, more, Long::sum);
  }

  /** Returns the number of operations of each kind and of wrong results so far, by name. */
  synchronized TreeMap<String, Long> counts() {
    return new TreeMap<>(counts);
  }

  /** Returns descriptions of the first wrong results that HBase returned. */
  synchronized List<String> wrong() {
    return List.copyOf(wrong);
  }

  /**
   * Repeats a call of HBase's client for some minutes until it succeeds, because a server may be
   * down and its regions on the way to another one.
   *
   * @throws IOException if the call still fails
   */
  private void patiently(Call call) throws IOException {
    long start = System.nanoTime();
    while (true) {
      try {
        call.run();
        return;
      } catch (IOException e) {
        if (System.nanoTime() - start > PATIENCE_NANOS || Thread.interrupted()) {
          throw e;
        }
        count(REPEATED, 1);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Writes all rows with even numbers to the table. */
  synchronized void fill() throws IOException {
    for (int from = 0; from < NUMBERS; from += 2 * LARGE_BATCH) {
      write(from, LARGE_BATCH);
    }
  }

  /** Writes or deletes a few rows of the table, reads some, and scans a row prefix. */
  synchronized void step() throws IOException {
    int from = 2 * random.nextInt((NUMBERS - 2 * WRITTEN_ROWS) / 2);
    if (random.nextInt(DELETES) == 0) {
      delete(from, WRITTEN_ROWS);
    } else {
      write(from, WRITTEN_ROWS);
    }
    get(random.ints(READ_ROWS, 0, NUMBERS).toArray());
    // The prefix after the last row is scanned, too.
    scan(random.nextInt(NUMBERS / PER_PREFIX + 1) * PER_PREFIX, PER_PREFIX, random.nextBoolean());
  }

  private void write(int from, int rows) throws IOException {
    int write = ++writes;
    patiently(
        () -> {
          try (Table table = connection.getTable(name)) {
            table.put(puts(from, rows, write, families, key -> key));
          }
        });
    acknowledge(from, rows, write);
    count("rows written", rows);
  }

  /**
   * Returns a write of rows, with a cell in each of some families.
   *
   * @param keys returns the key to write for the key of a row
   */
  private List<Put> puts(
      int from, int rows, int write, List<byte[]> into, UnaryOperator<byte[]> keys) {
    List<Put> puts = new ArrayList<>();
    for (int number = from; number < from + 2 * rows; number += 2) {
      Put put = new Put(keys.apply(key(number)), begin + write);
      for (byte[] family : into) {
        put.addColumn(family, QUALIFIER, value(number, write));
      }
      puts.add(put);
    }
    return puts;
  }

  private void acknowledge(int from, int rows, int write) {
    Arrays.fill(written, from / 2, from / 2 + rows, write);
  }

  private void delete(int from, int rows) throws IOException {
    int write = ++writes;
    patiently(
        () -> {
          try (Table table = connection.getTable(name)) {
            List<Delete> deletes = new ArrayList<>();
            for (int number = from; number < from + 2 * rows; number += 2) {
              deletes.add(new Delete(key(number), begin + write));
            }
            table.delete(deletes);
          }
        });
    acknowledge(from, rows, 0);
    count("rows deleted", rows);
  }

  /**
   * Writes store files, each family's with the filter that the family has set, bulk-loads them into
   * the table, and scans the prefixes of their rows before a compaction can rewrite the files.
   */
  synchronized void load(Random place) throws IOException {
    int write = ++writes;
    int from = 2 * place.nextInt((NUMBERS - 2 * LOADED_ROWS) / 2);
    patiently(
        () -> {
          Path beside = CommonFSUtils.getRootDir(conf).getParent();
          Path directory = new Path(beside, "soak-load-" + write);
          FileSystem files = directory.getFileSystem(conf);
          files.delete(directory, true);
          try (Table table = connection.getTable(name)) {
            for (ColumnFamilyDescriptor family : table.getDescriptor().getColumnFamilies()) {
              write(new Path(directory, family.getNameAsString()), family, from, write);
            }
          }
          BulkLoadHFiles.create(conf).bulkLoad(name, directory);
          files.delete(directory, true);
        });
    acknowledge(from, LOADED_ROWS, write);
    count("rows loaded in bulk", LOADED_ROWS);
    int first = from / PER_PREFIX * PER_PREFIX;
    for (int prefix = first; prefix < from + 2 * LOADED_ROWS; prefix += PER_PREFIX) {
      scan(prefix, PER_PREFIX, place.nextBoolean());
    }
  }

  private void write(Path directory, ColumnFamilyDescriptor family, int from, int write)
      throws IOException {
    Configuration settings = new Configuration(conf);
    family.getConfiguration().forEach(settings::set);
    StoreFiles.write(
        settings,
        new Path(directory, "%032x".formatted(write)),
        new HFileContextBuilder().withColumnFamily(family.getName()),
        puts(
            from,
            LOADED_ROWS,
            write,
            List.of(family.getName()),
            isLettered(family.getName()) ? LetteredRowsReader::inFile : key -> key),
        count -> {});
  }

  /** Returns whether the files of a family that are bulk-loaded are read with other rows. */
  private static boolean isLettered(byte[] family) {
    return Bytes.toString(family).equals(LetteredRowsReader.FAMILY);
  }

  /** Checks every row of the table, present or absent, by Gets and by a Scan in each direction. */
  synchronized void checkAll() throws IOException {
    for (int from = 0; from < NUMBERS; from += LARGE_BATCH) {
      int first = from;
      int[] numbers = new int[LARGE_BATCH];
      Arrays.setAll(numbers, i -> first + i);
      get(numbers);
    }
    scan(0, NUMBERS, false);
    scan(0, NUMBERS, true);
  }

  /**
   * Returns a Get of a row. It leaves out the family whose files have other rows in their filters
   * than their reader shows: HBase's own filter would exclude them.
   */
  private Get get(int number) {
    Get get = new Get(key(number));
    families.stream().filter(family -> !isLettered(family)).forEach(get::addFamily);
    return get;
  }

  private void get(int... numbers) throws IOException {
    patiently(
        () -> {
          try (Table table = connection.getTable(name)) {
            List<Get> gets = new ArrayList<>();
            for (int number : numbers) {
              gets.add(get(number));
            }
            Result[] results = table.get(gets);
            for (int i = 0; i < numbers.length; i++) {
              compare("a Get", numbers[i], results[i], gets.get(i).familySet());
            }
          }
        });
    count("Gets", numbers.length);
  }

  /** Scans the rows of a range of row numbers, one prefix or all, and checks the result. */
  private void scan(int from, int numbers, boolean reversed) throws IOException {
    byte[] prefix = Arrays.copyOf(key(from), numbers == PER_PREFIX ? PREFIX_SIZE : ALL_PREFIX_SIZE);
    Scan forward = new Scan().setStartStopRowForPrefixScan(prefix);
    Scan scan =
        reversed ? new Scan().setReversed(true).withStartRow(forward.getStopRow(), false) : forward;
    if (reversed) {
      scan.withStopRow(prefix, true);
    }
    scan.setCaching(LARGE_BATCH);
    patiently(
        () -> {
          try (Table table = connection.getTable(name);
              ResultScanner scanner = table.getScanner(scan)) {
            Result next = scanner.next();
            for (int i = 0; i < numbers; i++) {
              int number = reversed ? from + numbers - 1 - i : from + i;
              boolean isNext = next != null && Arrays.equals(key(number), next.getRow());
              compare("a Scan", number, isNext ? next : Result.EMPTY_RESULT, families);
              if (isNext) {
                next = scanner.next();
              }
            }
            if (next != null) {
              reportWrong("a Scan returns the unexpected row " + Bytes.toString(next.getRow()));
            }
          }
        });
    count("Scans", 1);
  }

  private void compare(String who, int number, Result result, Collection<byte[]> in) {
    count(ANSWERS, 1);
    byte[] expected = value(number);
    for (byte[] family : in) {
      byte[] found = result.getValue(family, QUALIFIER);
      if (!Arrays.equals(expected, found)) {
        reportWrong(
            "%s of %s finds in family %s %s instead of %s"
                .formatted(
                    who,
                    Bytes.toString(key(number)),
                    Bytes.toString(family),
                    shown(found),
                    shown(expected)));
      }
    }
  }

  private static String shown(byte[] value) {
    return value == null ? "nothing" : "'" + Bytes.toString(value).replace(PADDING, "") + "'";
  }

  private void reportWrong(String what) {
    count(WRONG, 1);
    if (wrong.size() < MAX_REPORTED) {
      wrong.add(what);
    }
  }
}
