package io.winnow.hbase.dedup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.KeyHash;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeReader;
import io.winnow.flash.drive.FileAccess;
import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows are in the filter, and synced, before they are sent to HBase or recorded as filled. */
class SafeBeforeSentTest {
  private static final byte[] FAMILY = {'f'};
  private static final byte[] QUALIFIER = {'q'};

  @TempDir private Path directory;

  /** Fsyncs of logs, and what was sent or recorded. */
  private final List<String> events = new ArrayList<>();

  /** Rows that the scan of a filling has returned. */
  private int scanned;

  private int scannedAtTheLastFsync;
  private Scan scan;

  private final FileAccess access =
      new FileAccess() {
        @Override
        public void force(Path file, FileDescriptor open) throws IOException {
          FileAccess.SYSTEM.force(file, open);
          if (file.getFileName().toString().startsWith("log-")) {
            events.add("fsync");
            scannedAtTheLastFsync = scanned;
          }
        }

        @Override
        public void replace(Path from, Path to) throws IOException {
          if (to.endsWith(Identity.NAME)) {
            events.add(record(scanned, scannedAtTheLastFsync, rowsInFilter()));
          }
          FileAccess.SYSTEM.replace(from, to);
        }
      };

  private final DedupOptions options =
      DedupOptions.of(TableName.valueOf("events"), FAMILY, QUALIFIER)
          .filter(CascadeOptions.defaults().memoryBudget(1 << 20).fileAccess(access));

  private CascadeFilter openFilter() throws IOException {
    return CascadeFilter.open(filter(), options.filter);
  }

  private Path filter() {
    return directory.resolve("filter");
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(number);
  }

  private static String record(int scanned, int synced, int found) {
    return String.format("record of %d rows: %d synced, %d found", scanned, synced, found);
  }

  /** Returns how many of the scanned rows are there if the process crashes now. */
  private int rowsInFilter() throws IOException {
    try (CascadeReader reader = CascadeReader.open(filter())) {
      List<byte[]> rows = IntStream.range(0, scanned).mapToObj(SafeBeforeSentTest::row).toList();
      return reader.mightContain(rows).cardinality();
    }
  }

  private static <T> T fake(Class<T> type, InvocationHandler methods) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, methods));
  }

  private static Connection connectionTo(Table table) {
    return fake(Connection.class, (self, method, arguments) -> table);
  }

  /** A table without rows, which says of each row that it was written. */
  private Table emptyTable() {
    return fake(
        Table.class,
        (self, method, arguments) -> {
          if (method.getName().equals("batch")) {
            @SuppressWarnings("unchecked")
            List<Row> actions = (List<Row>) arguments[0];
            send(actions, (Object[]) arguments[1]);
          }
          return null;
        });
  }

  private void send(List<Row> actions, Object... results) throws IOException {
    events.add(actions.get(0).getClass().getSimpleName());
    try (CascadeReader reader = CascadeReader.open(filter())) {
      for (int i = 0; i < results.length; i++) {
        Row action = actions.get(i);
        assertTrue(reader.mightContain(action.getRow()), Bytes.toStringBinary(action.getRow()));
        results[i] = result(action);
      }
    }
  }

  private static Object result(Row action) {
    if (action instanceof CheckAndMutate) {
      return new CheckAndMutateResult(true, null);
    }
    return action instanceof Get ? Result.create(List.of(), false) : Result.EMPTY_RESULT;
  }

  private static List<Put> puts(int from, int to) {
    List<Put> puts = new ArrayList<>();
    for (int i = from; i < to; i++) {
      puts.add(new Put(row(i)).addColumn(FAMILY, QUALIFIER, row(i)));
    }
    return puts;
  }

  @Test
  void rowsAreSyncedBeforeTheyAreSent() throws IOException {
    try (CascadeFilter filter = openFilter()) {
      Deduplicator deduplicator =
          new Deduplicator(connectionTo(emptyTable()), options, KeyHash.XXH3, filter);
      events.clear();
      deduplicator.write(puts(0, 10));
      assertEquals(List.of("fsync", "Put"), events);
      events.clear();
      deduplicator.write(puts(0, 5)); // the filter has them, and HBase does not
      assertEquals(List.of("Get", "fsync", "CheckAndMutate"), events);
    }
  }

  // ---- Filling ----

  private Table tableWith(int rows) {
    ResultScanner results =
        fake(
            ResultScanner.class,
            (self, method, arguments) ->
                method.getName().equals("next")
                    ? next(Math.min((int) arguments[0], rows - scanned))
                    : null);
    return fake(
        Table.class,
        (self, method, arguments) -> {
          if (method.getName().equals("getScanner")) {
            scan = (Scan) arguments[0];
            return results;
          }
          return null;
        });
  }

  private Result[] next(int rows) {
    return Stream.generate(() -> new KeyValue(row(scanned++), FAMILY, QUALIFIER))
        .limit(rows)
        .map(cell -> Result.create(List.of(cell)))
        .toArray(Result[]::new);
  }

  private Identity fill(int rows, byte[] filledTo) throws IOException {
    Identity identity =
        new Identity(
            "events",
            "cluster",
            List.of("66", "71"),
            List.of("66", "00"),
            KeyHash.XXH3,
            "1",
            1,
            filledTo);
    try (CascadeFilter filter = openFilter()) {
      events.clear();
      return new Filling(options, filter, directory, identity).run(connectionTo(tableWith(rows)));
    }
  }

  @Test
  void rowsAreSyncedBeforeTheyAreRecordedAsFilled() throws IOException {
    int rows = Filling.ROWS_PER_RECORD + 1500;
    assertTrue(fill(rows, new byte[0]).isFilled());
    int first = Filling.ROWS_PER_RECORD;
    events.removeIf(event -> event.equals("fsync"));
    assertEquals(List.of(record(first, first, first), record(rows, rows, rows)), events);
    assertEquals(0, scan.getStartRow().length);
    assertTrue(Identity.read(directory).isFilled());
  }

  @Test
  void aFillingGoesOnAfterTheLastRecordedRow() throws IOException {
    fill(10, row(7));
    assertArrayEquals(row(7), scan.getStartRow());
  }
}
