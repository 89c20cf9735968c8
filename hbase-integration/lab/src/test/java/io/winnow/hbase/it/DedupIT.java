package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.LogLines;
import io.winnow.hbase.dedup.DedupOptions;
import io.winnow.hbase.dedup.DedupStatistics;
import io.winnow.hbase.dedup.Deduplicator;
import io.winnow.hbase.dedup.UnfinishedWriteException;
import io.winnow.hbase.dedup.Written;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The de-duplicator on a real HBase, a stock one: each row is there once. */
class DedupIT extends DedupCases {
  /** All threads write the same rows, in an order of their own. */
  @ParameterizedTest
  @ValueSource(ints = {0, 50, 95})
  void eachRowIsStoredOnceByThreadsThatAllHaveIt(int repeats) throws Exception {
    int all = 4000;
    int distinct = all * (100 - repeats) / 100;
    TableName table = create("repeats-" + repeats);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Deduplicator deduplicator = open(table)) {
      List<Future<Integer>> running = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        long seed = thread;
        running.add(threads.submit(() -> writeShuffled(deduplicator, all, distinct, seed)));
      }
      int stored = 0;
      for (Future<Integer> thread : running) {
        stored += thread.get();
      }
      assertEquals(distinct, stored);
      DedupStatistics statistics = deduplicator.statistics();
      assertEquals(4L * all, statistics.rows());
      assertEquals(0, statistics.unfinished());
      assertEquals(
          distinct, statistics.blind() + statistics.queriedAndAbsent(), statistics::toString);
      assertEquals(
          statistics.rows(), statistics.blind() + statistics.queried() + statistics.twins());
    } finally {
      threads.shutdown();
    }
    assertRows(table, 0, distinct);
  }

  private static int writeShuffled(Deduplicator deduplicator, int all, int distinct, long seed)
      throws IOException {
    List<Put> puts =
        new ArrayList<>(
            LongStream.range(0, all).mapToObj(i -> DedupEvents.put(i % distinct)).toList());
    Collections.shuffle(puts, new Random(seed));
    int stored = 0;
    for (int from = 0; from < all; from += 250) {
      stored += deduplicator.write(puts.subList(from, from + 250)).storedCount();
    }
    return stored;
  }

  @Test
  void whatIsNewIsNotAskedAboutAndWhatIsNotIsAskedOnce() throws Exception {
    TableName table = create("asked");
    try (Deduplicator deduplicator = open(table)) {
      List<Put> puts = puts(0, 1000);
      puts.addAll(puts(0, 10)); // twins
      Written first = deduplicator.write(puts);
      assertEquals(rows(0, 1000), first.stored());
      assertEquals(10, first.repeats());
      assertTrue(first.queried() <= 30, first::toString); // false positives, at 1 %
      Written second = deduplicator.write(puts(500, 1500));
      assertEquals(rows(500, 1000), second.stored());
      assertTrue(second.queried() >= 500 && second.queried() <= 530, second::toString);
    }
    assertRows(table, 0, 1500);
  }

  @Test
  void afterAnOpeningWhatWasWrittenBeforeIsAskedAbout() throws Exception {
    TableName table = create("again");
    for (int opening = 0; opening < 3; opening++) {
      try (Deduplicator deduplicator = open(table)) {
        Written written = deduplicator.write(puts(0, 1000));
        assertEquals(opening == 0 ? 1000 : 0, written.storedCount());
      }
    }
    assertRows(table, 0, 1000);
  }

  @Test
  void exampleOfTheGuideStoresEachRowOnce() throws Exception {
    TableName table = create("events");
    DedupExample.run(
        server.connection(), scratch.resolve("events"), List.of(puts(0, 500), puts(250, 750)));
    assertRows(table, 0, 750);
  }

  @Test
  void noServerAnswersForAWhile() throws Exception {
    TableName table = create("no-answer");
    AtomicBoolean fails = new AtomicBoolean(true);
    try (Deduplicator deduplicator = open(DedupFaults.failing(server.connection(), fails), table)) {
      List<Put> puts = puts(0, 100);
      puts.addAll(puts(0, 5));
      UnfinishedWriteException unfinished =
          assertThrows(UnfinishedWriteException.class, () -> deduplicator.write(puts));
      assertEquals(105, unfinished.unfinished().size());
      assertEquals(0, unfinished.written().storedCount());
      assertTrue(unfinished.getMessage().contains("no server answers"), unfinished.getMessage());
      assertRows(table, 0, 0);
      fails.set(false);
      Written again = deduplicator.write(unfinished.unfinished());
      assertEquals(100, again.storedCount());
      assertEquals(100, again.queried()); // the filter has seen them
    }
    assertRows(table, 0, 100);
  }

  /** HBase's client clears the thread's flag, in a wait for a result or for a region's location. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void interruptedWriterStaysInterrupted(boolean located) throws Exception {
    TableName table = create("interrupted-" + located);
    List<Put> puts = puts(0, 100);
    AtomicBoolean interrupts = new AtomicBoolean(true);
    try (Deduplicator deduplicator =
        open(DedupFaults.interrupting(server.connection(), interrupts), table)) {
      if (located) {
        server.signal("STOP"); // a result that comes at once is not waited for
      } else {
        server.connection().clearRegionLocationCache();
      }
      boolean interrupted;
      try {
        assertThrows(UnfinishedWriteException.class, () -> deduplicator.write(puts));
      } finally {
        interrupted = Thread.interrupted();
        server.signal("CONT");
      }
      assertTrue(interrupted);
      interrupts.set(false);
      deduplicator.write(puts);
    }
    assertRows(table, 0, 100);
  }

  @Test
  void answersAreLostForAWhile() throws Exception {
    TableName table = create("lost-answers");
    AtomicBoolean forgets = new AtomicBoolean(true);
    try (Deduplicator deduplicator =
        open(DedupFaults.forgetful(server.connection(), forgets), table)) {
      UnfinishedWriteException unfinished =
          assertThrows(UnfinishedWriteException.class, () -> deduplicator.write(puts(0, 100)));
      assertEquals(100, unfinished.unfinished().size());
      forgets.set(false);
      Written again = deduplicator.write(unfinished.unfinished());
      assertEquals(0, again.storedCount());
      assertEquals(100, again.queried());
    }
    assertRows(table, 0, 100);
  }

  @Test
  void samePutTwiceIsOneVersion() throws Exception {
    TableName table = create("same-put");
    List<Put> puts = puts(0, 100);
    try (Deduplicator deduplicator = open(table)) {
      deduplicator.write(puts);
    }
    try (Table late = server.connection().getTable(table)) {
      late.put(puts); // the call that was under way, and arrives after all
    }
    assertRows(table, 0, 100);
  }

  @Test
  void filterThatCannotBeWrittenSendsNothing() throws Exception {
    TableName table = create("broken-drive");
    DedupFaults.Drive drive = new DedupFaults.Drive();
    DedupOptions options = DedupEvents.options(table, drive);
    Path directory = scratch.resolve("broken-drive");
    try (Deduplicator deduplicator = Deduplicator.open(server.connection(), directory, options)) {
      assertEquals(100, deduplicator.write(puts(0, 100)).storedCount());
      drive.fail();
      UnfinishedWriteException unfinished =
          assertThrows(UnfinishedWriteException.class, () -> deduplicator.write(puts(50, 150)));
      assertEquals(100, unfinished.unfinished().size()); // those of before may wait with the others
    } catch (IOException e) {
      // of the closing: the drive is still broken
    }
    assertRows(table, 0, 100);
    try (Deduplicator deduplicator = open(table)) {
      assertEquals(50, deduplicator.write(puts(0, 150)).storedCount());
    }
    assertRows(table, 0, 150);
  }

  @Test
  void whatCannotBeKnownToBeThereIsRefusedWhole() throws Exception {
    TableName table = create("refused");
    try (Deduplicator deduplicator = open(table)) {
      List<Put> puts = puts(0, 10);
      puts.add(new Put(Bytes.toBytes("r")).addColumn(Rows.FAMILY, Bytes.toBytes("x"), new byte[1]));
      assertTrue(
          assertThrows(IllegalArgumentException.class, () -> deduplicator.write(puts))
              .getMessage()
              .contains("has no cell in f:m"));
      List<Put> mark =
          List.of(
              new Put(Bytes.toBytes("\0winnow-dedup"))
                  .addColumn(Rows.FAMILY, Rows.QUALIFIER, new byte[1]));
      assertTrue(
          assertThrows(IllegalArgumentException.class, () -> deduplicator.write(mark))
              .getMessage()
              .contains("is the row of the mark"));
      assertEquals(new Written(0, new BitSet(), 0), deduplicator.write(List.of()));
    }
    assertRows(table, 0, 0);
  }

  /** The moments that a kill rarely meets. */
  @Test
  void processEndsBeforeACallAndAfterIt() throws Exception {
    TableName table = create("ends");
    Path file = scratch.resolve("ends.notes");
    DedupEvents.Notes notes = DedupEvents.Notes.in(file, 60);
    for (DedupWriter.End end :
        List.of(DedupWriter.End.BEFORE_THE_CALL, DedupWriter.End.AFTER_THE_CALL)) {
      assertEquals(1, writer(table, file, notes.batches(), end).waitFor());
    }
    try (Deduplicator deduplicator = open(table)) {
      DedupWriter.writeAll(deduplicator, notes);
    }
    DedupEvents.assertWhole(server.connection(), table, notes);
  }

  @Test
  void writerIsKilled() throws Exception {
    DedupKills.killWriters(server, scratch, create("killed"), 1, 13);
  }

  @Test
  void newDirectoryIsFilledAndGoesOnWhereItWasBrokenOff() throws Exception {
    TableName table = create("filled");
    load(table, 0, 30_000);
    ConcurrentLinkedQueue<Long> told = new ConcurrentLinkedQueue<>();
    Path directory = scratch.resolve("filled");
    DedupOptions broken =
        DedupEvents.options(table)
            .filling(
                rows -> {
                  told.add(rows);
                  if (rows > 25_000) {
                    throw new UncheckedIOException(new IOException("broken off"));
                  }
                });
    assertThrows(
        UncheckedIOException.class,
        () -> Deduplicator.open(server.connection(), directory, broken));
    told.clear();
    try (Deduplicator deduplicator =
        Deduplicator.open(
            server.connection(), directory, DedupEvents.options(table).filling(told::add))) {
      assertEquals(10_000, Collections.max(told)); // 20,000 were noted
      for (int from = 0; from < 30_000; from += 10_000) {
        Written written = deduplicator.write(puts(from, from + 10_000));
        assertEquals(10_000, written.queried());
        assertEquals(0, written.storedCount());
      }
    }
    assertRows(table, 0, 30_000);
  }

  @Test
  void tableThatIsNotWhatItWasIsRefused() throws Exception {
    TableName table = create("changed");
    Path directory = scratch.resolve("changed");
    open(table).close();
    server.admin().snapshot("of-changed", table);
    open(table).close();
    open(table).close();

    TableName other = create("other");
    String message = refusal(other, directory);
    assertTrue(message.contains("is for the table default:changed, and not for other"), message);
    DedupOptions column = DedupOptions.of(table, Rows.FAMILY, Bytes.toBytes("x"));
    assertThrows(
        RuntimeException.class, // the filter's own shape is another one, too
        () -> Deduplicator.open(server.connection(), directory, column));

    server.admin().disableTable(table);
    server.admin().restoreSnapshot("of-changed");
    server.admin().enableTable(table);
    message = refusal(table, directory);
    assertTrue(message.contains("it was restored; begin with a new directory"), message);

    server.admin().disableTable(table);
    server.admin().truncateTable(table, false);
    message = refusal(table, directory);
    assertTrue(message.contains("has no mark of"), message);
    assertTrue(message.contains("it was truncated"), message);

    Files.delete(directory.resolve("filter").resolve("MANIFEST"));
    IOException lost = assertThrows(IOException.class, () -> open(table));
    assertTrue(lost.getMessage().contains("has lost its filter"), lost.getMessage());
  }

  @Test
  void olderCopyOfADirectoryIsRefused() throws Exception {
    TableName table = create("copied");
    open(table).close();
    Path directory = scratch.resolve("copied");
    Path copy = scratch.resolve("copy");
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.toList()) {
        Files.copy(path, copy.resolve(directory.relativize(path)));
      }
    }
    try (Deduplicator deduplicator = open(table)) {
      deduplicator.write(puts(0, 10));
    }
    String message = refusal(table, copy);
    assertTrue(message.contains("is older than its mark in the table copied"), message);
  }

  @Test
  void markNeedsAFamilyThatDoesNotExpire() throws Exception {
    TableName table =
        server.create(
            "expires",
            ColumnFamilyDescriptorBuilder.newBuilder(Rows.FAMILY).setTimeToLive(3600).build(),
            ColumnFamilyDescriptorBuilder.of("marks"));
    String message = refusal(table, scratch.resolve("expires"));
    assertTrue(message.contains("has a time to live in f"), message);
    DedupOptions options =
        DedupEvents.options(table).mark(Bytes.toBytes("marks"), Bytes.toBytes("mark"));
    try (Deduplicator deduplicator =
        Deduplicator.open(server.connection(), scratch.resolve("expires-not"), options)) {
      assertEquals(10, deduplicator.write(puts(0, 10)).storedCount());
    }
    assertRows(table, 0, 10);
  }

  /** They may share the rows out; else rows come twice. Only who runs them knows. */
  @Test
  void anotherDirectoryForTheSameFamilyIsWarnedOf() throws Exception {
    TableName table = create("shared");
    try (LogLines lines = new LogLines(Deduplicator.class)) {
      open(table).close();
      open(table).close();
      assertEquals(List.of(), lines.all());
      Path second = scratch.resolve("shared-second");
      Deduplicator.open(server.connection(), second, DedupEvents.options(table)).close();
      assertEquals(1, lines.all().size(), lines.all()::toString);
      String line = lines.all().get(0);
      assertTrue(line.contains("shared-second") && line.contains("winnow-dedup-"), line);
      open(table).close();
      assertEquals(2, lines.all().size(), lines.all()::toString);
      String cell = line.replaceAll(".*delete the cell [^:]*:(\\S+) of.*", "$1");
      try (Table rows = server.connection().getTable(table)) { // as the line says
        rows.delete(
            new Delete(Bytes.toBytes("\0winnow-dedup"))
                .addColumns(Rows.FAMILY, Bytes.toBytes(cell)));
      }
      Deduplicator.open(server.connection(), second, DedupEvents.options(table)).close();
      assertEquals(2, lines.all().size(), lines.all()::toString);
    }
  }

  @Test
  void oneProcessAtATimeHasADirectory() throws Exception {
    TableName table = create("twice");
    try (Deduplicator first = open(table)) {
      assertThrows(IOException.class, () -> open(table));
      assertEquals(10, first.write(puts(0, 10)).storedCount());
    }
  }
}
