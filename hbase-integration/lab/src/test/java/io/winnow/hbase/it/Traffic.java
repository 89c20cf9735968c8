package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A writer and two readers of a table, which go on whatever breaks. The writer notes what HBase
 * acknowledged: the rows {@link Rows#key} of the even numbers from 0 on, and never one of an odd
 * number. A batch that failed is written again. The readers ask for a row that was acknowledged and
 * for one that never was, in turn. That a question fails is counted; a wrong answer is never
 * forgotten.
 */
final class Traffic implements AutoCloseable {
  /** Some more, to see that reads and writes go on. */
  private static final int MORE = 300;

  private static final int READERS = 2;
  private static final int SMALL_BATCH = 20;
  private static final int LARGE_BATCH = 1000;
  private static final int PAUSE_MILLIS = 40;
  private static final int VALUE_SIZE = 250;
  private static final byte[] KEYS = Bytes.toBytes("key-");

  private final Connection patient;
  private final Connection impatient;
  private final TableName name;
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile String lastFailure;
  private volatile boolean stopped;

  /**
   * Not begun yet.
   *
   * @param impatient of the writer and the readers: a question fails after some seconds
   */
  Traffic(Connection patient, Connection impatient, TableName name) {
    this.patient = patient;
    this.impatient = impatient;
    this.name = name;
  }

  private static byte[] value(int row) {
    byte[] value = new byte[VALUE_SIZE];
    Arrays.fill(value, (byte) row);
    Bytes.putInt(value, 0, row);
    return value;
  }

  private static List<Put> puts(int from, int to) {
    List<Put> puts = new ArrayList<>();
    for (int row = from; row < to; row++) {
      puts.add(new Put(Rows.key(2 * row)).addColumn(Rows.FAMILY, Rows.QUALIFIER, value(row)));
    }
    return puts;
  }

  /** Writes so many more rows, at once; for when the writer does not run. */
  void write(int rows) throws IOException {
    try (Table table = patient.getTable(name)) {
      for (int end = acknowledged.get() + rows; acknowledged.get() < end; ) {
        int from = acknowledged.get();
        int to = Math.min(end, from + LARGE_BATCH);
        table.put(puts(from, to));
        acknowledged.set(to);
      }
    }
  }

  /** From now on there are reads and writes all the time. */
  void begin() {
    begin("writer", this::writeBatch);
    for (int i = 0; i < READERS; i++) {
      begin("reader-" + i, this::readPair);
    }
  }

  /** What a thread does again and again. */
  @FunctionalInterface
  private interface Step {
    void on(Table table) throws IOException, InterruptedException;
  }

  private void begin(String thread, Step step) {
    threads.add(
        new Thread(
            () -> {
              try {
                while (!stopped) {
                  attempt(step);
                }
              } catch (InterruptedException e) {
                wrong.add("interrupted");
              } catch (RuntimeException | Error e) {
                wrong.add(e.toString());
              }
            },
            name + "-" + thread));
    threads.get(threads.size() - 1).start();
  }

  private void attempt(Step step) throws InterruptedException {
    try (Table table = impatient.getTable(name)) {
      while (!stopped) {
        step.on(table);
      }
    } catch (IOException e) {
      failed(e);
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  private void writeBatch(Table table) throws IOException, InterruptedException {
    int from = acknowledged.get();
    table.put(puts(from, from + SMALL_BATCH));
    acknowledged.set(from + SMALL_BATCH);
    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
  }

  private void readPair(Table table) throws IOException {
    int row = ThreadLocalRandom.current().nextInt(acknowledged.get() - 1);
    Result there = table.get(new Get(Rows.key(2 * row)));
    if (!Arrays.equals(value(row), there.getValue(Rows.FAMILY, Rows.QUALIFIER))) {
      wrong.add("row " + row + " is acknowledged, and a Get finds " + there);
    }
    Result absent = table.get(new Get(Rows.key(2 * row + 1)));
    if (!absent.isEmpty()) {
      wrong.add("nobody wrote what a Get finds: " + absent);
    }
    reads.incrementAndGet();
  }

  /** Waits till some more were read and written. */
  void awaitMore() throws IOException, InterruptedException {
    long moreReads = reads.get() + MORE;
    int moreRows = acknowledged.get() + MORE;
    TestServer.await(
        "reads and writes of " + name + " to go on",
        () -> !wrong.isEmpty() || (reads.get() >= moreReads && acknowledged.get() >= moreRows));
    assertTrue(wrong.isEmpty(), this::toString);
  }

  /** Ends writer and readers: none saw a wrong answer. */
  void end() {
    close();
    assertTrue(wrong.isEmpty(), this::toString);
  }

  /** Each acknowledged row is there, for a Get and for a Scan; what was never written is not. */
  void assertAllThere() throws IOException {
    int rows = acknowledged.get();
    assertGetsFindAll();
    try (Table table = patient.getTable(name);
        ResultScanner scanner =
            table.getScanner(
                new Scan().setStartStopRowForPrefixScan(KEYS).setCaching(LARGE_BATCH))) {
      for (int row = 0; row < rows; row++) {
        Result found = scanner.next();
        assertTrue(found != null, "a Scan ends before row " + row + " of " + this);
        assertArrayEquals(Rows.key(2 * row), found.getRow());
        assertArrayEquals(value(row), found.getValue(Rows.FAMILY, Rows.QUALIFIER));
      }
    }
  }

  /** The same, by Gets alone; answers for how many rows was asked that are not there. */
  int assertGetsFindAll() throws IOException {
    int rows = acknowledged.get();
    try (Table table = patient.getTable(name)) {
      for (int from = 0; from < rows; from += LARGE_BATCH) {
        List<Get> gets = new ArrayList<>();
        for (int row = from; row < Math.min(rows, from + LARGE_BATCH); row++) {
          gets.add(new Get(Rows.key(2 * row)));
        }
        Result[] found = table.get(gets);
        for (int i = 0; i < found.length; i++) {
          int row = from + i;
          assertArrayEquals(
              value(row),
              found[i].getValue(Rows.FAMILY, Rows.QUALIFIER),
              () -> "row " + row + " of " + this);
        }
      }
    }
    return assertAbsent(rows - 1);
  }

  /** Asks for so many rows between those that were written. */
  int assertAbsent(int rows) throws IOException {
    try (Table table = patient.getTable(name)) {
      for (int from = 0; from < rows; from += LARGE_BATCH) {
        List<Get> gets = new ArrayList<>();
        for (int row = from; row < Math.min(rows, from + LARGE_BATCH); row++) {
          gets.add(new Get(Rows.key(2 * row + 1)));
        }
        for (Result found : table.get(gets)) {
          assertTrue(found.isEmpty(), () -> "nobody wrote " + found);
        }
      }
    }
    return rows;
  }

  /** One Get of one row: it may fail, but not deny the row. */
  void askOnce(Connection connection, int row) {
    try (Table table = connection.getTable(name)) {
      Result found = table.get(new Get(Rows.key(2 * row)));
      assertEquals(1, found.size(), () -> "row " + row + " of " + this);
    } catch (IOException e) {
      failed(e);
    }
  }

  private void failed(IOException e) {
    failures.incrementAndGet();
    lastFailure = e.toString().lines().findFirst().orElse("");
  }

  @Override
  public void close() {
    stopped = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return "%s, %d rows, %d reads, %d failures (the last: %s); wrong: %s"
        .formatted(name, acknowledged.get(), reads.get(), failures.get(), lastFailure, wrong);
  }
}
