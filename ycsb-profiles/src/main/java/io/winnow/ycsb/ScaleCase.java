package io.winnow.ycsb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** The operations of {@code --scale}. Each result is checked. */
enum ScaleCase {
  /** Gets of 20 absent rows in one request. */
  ABSENT_BATCH("absent-batch", 20),

  /** Single Gets, of which 95 % query absent rows: new rows, checked before they are written. */
  MOSTLY_ABSENT("mostly-absent", 1),

  /** Scans of the last hour of an entity that has rows there. */
  LAST_HOUR("last-hour", 0),

  /** Single Gets of rows of the store. */
  PRESENT("present", 1),

  /** Single Gets, half of them of absent rows. */
  HALF("half", 1),

  /** Single Gets of rows of the largest file, which YCSB's Zipfian law chooses. */
  ZIPF("zipf", 1),

  /** Single Gets at a fixed rate, half of them of absent rows. */
  ARRIVALS("arrivals", 1),

  /** Scans of all rows of an entity. */
  PREFIX("prefix", 0),

  /** Writes of new rows on the condition that they are absent. */
  PUT_NEW("put-new", 1),

  /** Writes of rows of the store on that condition, which fail. */
  PUT_PRESENT("put-present", 1);

  /** Cases whose figures are the primary ones: declared before any run. */
  static final List<ScaleCase> PRIMARY = List.of(ABSENT_BATCH, MOSTLY_ABSENT, LAST_HOUR);

  private static final double MOSTLY = 0.95;

  /** The name of the case in results. */
  final String id;

  /** Number of rows that an operation queries in all files of the store; 0 for scans. */
  final int queried;

  ScaleCase(String id, int queried) {
    this.id = id;
    this.queried = queried;
  }

  /** Returns Winnow's contender in this case. */
  TableFilter ours() {
    return this == LAST_HOUR || this == PREFIX ? ScaleStore.WINNOW_SCANS : ScaleStore.WINNOW;
  }

  /** Returns an operation of this case on a table; each thread has one of its own. */
  Turn.Operation operation(ScaleRows rows, Table table, SplittableRandom random) {
    return switch (this) {
      case ABSENT_BATCH -> () -> isBatchAbsent(rows, table, random);
      case MOSTLY_ABSENT -> () -> isRight(rows, table, random, MOSTLY);
      case PRESENT -> () -> isRight(rows, table, random, 0);
      case HALF, ARRIVALS -> () -> isRight(rows, table, random, 0.5);
      case ZIPF -> () -> isPresent(table, popular(rows, random));
      case LAST_HOUR -> () -> hasLastHour(rows, table, random);
      case PREFIX -> () -> hasPrefix(rows, table, random);
      case PUT_NEW -> () -> put(table, absent(rows, random), ScaleRows.FILES);
      case PUT_PRESENT -> () -> !put(table, present(rows, random).bytes(), ScaleRows.FILES);
    };
  }

  /** A row of the store. */
  private record Key(byte[] bytes, int file) {}

  /** Draws a row of the store: a file by its share, then one of its entities. */
  private static Key present(ScaleRows rows, SplittableRandom random) {
    double place = random.nextDouble();
    int file = 0;
    while (file < ScaleRows.FILES - 1 && place >= ScaleRows.SHARES[file]) {
      place -= ScaleRows.SHARES[file++];
    }
    int entity = entityOf(rows, file, random);
    int session = random.nextInt(rows.sessions(entity, file));
    return new Key(rows.key(entity, file, session, random.nextInt(ScaleRows.SESSION_ROWS)), file);
  }

  /** Draws an entity that has rows in a file. */
  private static int entityOf(ScaleRows rows, int file, SplittableRandom random) {
    int entity;
    do {
      entity = random.nextInt(rows.entities());
    } while (rows.sessions(entity, file) == 0);
    return entity;
  }

  private static Key popular(ScaleRows rows, SplittableRandom random) {
    long least = (long) (ScaleRows.SHARES[0] * ScaleRows.ROWS_PER_ENTITY) / ScaleRows.SESSION_ROWS;
    long item =
        ScrambledZipf.item(random.nextDouble(), rows.entities() * least * ScaleRows.SESSION_ROWS);
    int row = (int) (item % ScaleRows.SESSION_ROWS);
    int session = (int) (item / ScaleRows.SESSION_ROWS % least);
    int entity = (int) (item / ScaleRows.SESSION_ROWS / least);
    return new Key(rows.key(entity, 0, session, row), 0);
  }

  private static byte[] absent(ScaleRows rows, SplittableRandom random) {
    return rows.newKey(random.nextInt(rows.entities()), random.nextLong());
  }

  private static boolean isRight(
      ScaleRows rows, Table table, SplittableRandom random, double absent) throws IOException {
    return random.nextDouble() < absent
        ? table.get(new Get(absent(rows, random))).isEmpty()
        : isPresent(table, present(rows, random));
  }

  private static boolean isPresent(Table table, Key key) throws IOException {
    return isOf(table.get(new Get(key.bytes())), key.bytes(), key.file());
  }

  private static boolean isOf(Result result, byte[] key, int file) {
    NavigableMap<byte[], byte[]> read = result.getFamilyMap(RunTables.FAMILY);
    byte[][] expected = RowValues.values(key, file);
    for (int column = 0; column < expected.length; column++) {
      if (read == null || !Arrays.equals(expected[column], read.get(RowValues.qualifier(column)))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isBatchAbsent(ScaleRows rows, Table table, SplittableRandom random)
      throws IOException {
    List<Get> batch = new ArrayList<>();
    for (int i = 0; i < ABSENT_BATCH.queried; i++) {
      batch.add(new Get(absent(rows, random)));
    }
    for (Result result : table.get(batch)) {
      if (!result.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasLastHour(ScaleRows rows, Table table, SplittableRandom random)
      throws IOException {
    int last = ScaleRows.FILES - 1;
    int entity = entityOf(rows, last, random);
    Scan scan =
        new Scan()
            .withStartRow(rows.first(entity, ScaleRows.begin(last)))
            .withStopRow(rows.first(entity, ScaleRows.begin(last + 1)));
    int row = 0;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        if (!isOf(result, rows.key(entity, last, 0, row++), last)) {
          return false;
        }
      }
    }
    return row == ScaleRows.SESSION_ROWS;
  }

  private static boolean hasPrefix(ScaleRows rows, Table table, SplittableRandom random)
      throws IOException {
    int entity = random.nextInt(rows.entities());
    Scan scan =
        new Scan()
            .withStartRow(rows.first(entity, 0))
            .withStopRow(rows.first(entity, Long.MAX_VALUE));
    List<Key> expected = new ArrayList<>();
    for (int file = 0; file < ScaleRows.FILES; file++) {
      for (byte[] key : rows.keys(entity, file)) {
        expected.add(new Key(key, file));
      }
    }
    int row = 0;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        if (row == expected.size()
            || !isOf(result, expected.get(row).bytes(), expected.get(row++).file())) {
          return false;
        }
      }
    }
    return row == expected.size();
  }

  private static boolean put(Table table, byte[] key, long version) throws IOException {
    return table
        .checkAndMutate(
            CheckAndMutate.newBuilder(key)
                .ifNotExists(RunTables.FAMILY, RowValues.qualifier(0))
                .build(TableFiles.row(key, version)))
        .isSuccess();
  }
}
