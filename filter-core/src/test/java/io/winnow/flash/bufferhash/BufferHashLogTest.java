package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.PageChecksum;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.store.Durability;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log: what goes on while its fsync is under way, and that it does not grow for ever. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BufferHashLogTest {
  @TempDir private Path directory;

  private final HeldFsync drive = new HeldFsync();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  /** Holds the first fsync of a log, once it is armed, and counts them. */
  private static final class HeldFsync implements FileAccess {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicInteger fsyncs = new AtomicInteger();
    private volatile boolean armed;

    @Override
    public void force(Path file, FileDescriptor open) throws IOException {
      boolean isLog = RecordLog.numberOf(file.getFileName().toString()) > 0;
      if (isLog && armed && fsyncs.getAndIncrement() == 0) {
        begun.countDown();
        await(released);
      }
      FileAccess.SYSTEM.force(file, open);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private Thread start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                failure.set(new UncheckedIOException(e));
              } catch (RuntimeException | Error e) {
                failure.set(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private BufferHash open(Durability durability) throws IOException {
    BufferHashOptions options = Tables.small(BufferHashOptions.ofFingerprints(8), 1, 4);
    return BufferHash.open(directory, options.durability(durability).fileAccess(drive));
  }

  @Test
  void putsAndLookupsGoOn() throws Exception {
    try (BufferHash table = open(Durability.ON_SYNC)) {
      table.put(1, Tables.value(1));
      drive.armed = true;
      Thread syncs = start(table::sync);
      drive.begun.await();
      table.put(2, Tables.value(2));
      assertEquals(2, Tables.number(table.get(2)));
      assertEquals(1, Tables.number(table.get(1)));
      drive.released.countDown();
      syncs.join();
      assertNull(failure.get());
      table.sync();
      assertEquals(2, drive.fsyncs.get());
      table.sync(); // nothing has come since
      assertEquals(2, drive.fsyncs.get());
    }
  }

  @Test
  void thoseWhoWaitShareTheNextFsync() throws Exception {
    try (BufferHash table = open(Durability.everyN(1))) {
      drive.armed = true;
      Thread[] threads = new Thread[5];
      threads[0] = start(() -> table.put(0, Tables.value(0)));
      drive.begun.await();
      for (int i = 1; i < threads.length; i++) {
        int key = i;
        threads[i] = start(() -> table.put(key, Tables.value(key)));
      }
      for (int i = 1; i < threads.length; i++) {
        while (threads[i].getState() != Thread.State.WAITING) {
          assertTrue(threads[i].isAlive(), "a put returned before it was safe");
          Thread.onSpinWait();
        }
      }
      drive.released.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      assertNull(failure.get());
      assertEquals(2, drive.fsyncs.get());
    }
  }

  /**
   * A process is killed when an incarnation has more of its operations than the log file. The
   * incarnation has the newer value, and later operations get higher numbers than it has.
   */
  @Test
  void operationsThatAnIncarnationHasAreNotAppliedAgain() throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 1, 4).durability(Durability.ON_SYNC);
    Path killed = directory.resolve("killed");
    try (BufferHash table = BufferHash.open(directory.resolve("table"), options)) {
      table.put(1, Tables.value(1));
      table.sync();
      table.put(1, Tables.value(2));
      for (long i = 2; table.statistics().get(BufferHashCount.INCARNATIONS_WRITTEN) == 0; i++) {
        table.put(i, Tables.value(i));
        table.awaitWrites();
      }
      Tables.copy(directory.resolve("table"), killed);
    }
    try (BufferHashReader reader = BufferHashReader.open(killed)) {
      assertEquals(2, Tables.number(reader.get(1)));
    }
    Path again = directory.resolve("killed-again");
    try (BufferHash table = BufferHash.open(killed, options)) {
      assertEquals(2, Tables.number(table.get(1)));
      table.put(1, Tables.value(3));
      table.sync();
      Tables.copy(killed, again);
    }
    try (BufferHash table = BufferHash.open(again, options)) {
      assertEquals(3, Tables.number(table.get(1)));
    }
  }

  /** The records of a log count only if those before them are all there. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLogIsNotSyncedBeforeTheOneBeforeIt(boolean fails) throws IOException {
    List<String> synced = new CopyOnWriteArrayList<>();
    FaultyAccess faults = new FaultyAccess(1);
    faults.failingFsyncs =
        path -> {
          synced.add(path.getFileName().toString());
          return fails && path.endsWith("log-1");
        };
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 1, 4)
            .durability(Durability.ON_SYNC)
            .fileAccess(faults);
    BufferHash table = BufferHash.open(directory, options);
    for (long i = 0; Files.notExists(RecordLog.path(directory, 2)); i++) {
      table.put(i % 50, Tables.value(i));
    }
    if (fails) {
      assertThrows(IOException.class, table::sync);
      assertThrows(IOException.class, () -> table.put(1, Tables.value(1)));
      assertThrows(IOException.class, table::close);
      assertFalse(synced.contains("log-2"), synced.toString());
    } else {
      table.sync();
      assertTrue(synced.contains("log-1"), synced.toString());
      assertTrue(synced.indexOf("log-2") > synced.lastIndexOf("log-1"), synced.toString());
      table.close();
    }
  }

  /** Wherever a log of a closed table was cut, it is refused, also after closes without a put. */
  @Test
  void aLogThatIsCutAfterACloseIsRefused() throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 2, 20).durability(Durability.ON_SYNC);
    try (BufferHash table = BufferHash.open(directory, options)) {
      for (long i = 0; i < 150_000; i++) {
        table.put(Tables.key(3, i % 50), Tables.value(i));
      }
    }
    for (int closes = 0; closes < 3; closes++) {
      int cuts = 0;
      for (Path log : logs()) {
        byte[] bytes = Files.readAllBytes(log);
        ByteBuffer blocks = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < bytes.length; at += RecordLog.blockBytes(blocks.getInt(at + 4))) {
          Files.write(log, Arrays.copyOf(bytes, at));
          assertThrows(FilterFormatException.class, () -> BufferHash.open(directory, options));
          assertThrows(FilterFormatException.class, () -> BufferHashReader.open(directory));
          cuts++;
        }
        Files.write(log, bytes);
      }
      assertTrue(cuts > 20, cuts + " cuts");
      try (BufferHash table = BufferHash.open(directory, options)) {
        for (long i = 150_000 - 50; i < 150_000; i++) {
          assertEquals(i, Tables.number(table.get(Tables.key(3, i % 50))));
        }
      }
    }
  }

  /** No byte is missing, and the message does not say so. */
  @Test
  void aLogWhoseEndIsDamagedAfterACloseIsRefused() throws IOException {
    try (BufferHash table = open(Durability.ON_SYNC)) {
      table.put(1, Tables.value(1));
    }
    Path log = logs().get(0);
    byte[] bytes = Files.readAllBytes(log);
    bytes[bytes.length - 1] ^= 1;
    Files.write(log, bytes);
    FilterFormatException refused =
        assertThrows(FilterFormatException.class, () -> BufferHash.open(directory));
    assertTrue(
        refused
            .getMessage()
            .startsWith(log + " had " + bytes.length + " bytes when it was closed, but now only "),
        refused.getMessage());
  }

  /** Of a directory that was being made, and logs that no opening needs. */
  @Test
  void anOpeningDeletesWhatIsLeftOver() throws IOException {
    try (BufferHash table = open(Durability.ON_SYNC)) {
      table.put(1, Tables.value(1));
    }
    open(Durability.NONE).close(); // nobody needs the log any more
    List<Path> left =
        Stream.of("log-1", "MANIFEST.new", "table.new").map(directory::resolve).toList();
    assertTrue(Files.exists(left.get(0)), "the log is deleted: the test needs another one");
    for (Path path : left) {
      Files.write(path, new byte[100]);
    }
    try (BufferHash table = open(Durability.NONE)) {
      assertEquals(1, Tables.number(table.get(1)));
    }
    for (Path path : left) {
      assertFalse(Files.exists(path), path.toString());
    }
  }

  /** A crash left a log in which nothing is whole, between two that have records. */
  @Test
  void aLogThatIsCutIsRefusedAlsoBeforeAnEmptyOne() throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 2, 20).durability(Durability.ON_SYNC);
    Path crashed = directory.resolve("crashed");
    try (BufferHash table = BufferHash.open(directory.resolve("table"), options)) {
      table.put(1, Tables.value(1));
      table.sync();
      Tables.copy(directory.resolve("table"), crashed);
    }
    Files.write(RecordLog.path(crashed, 2), new byte[4096]);
    try (BufferHash table = BufferHash.open(crashed, options)) {
      table.put(2, Tables.value(2));
    }
    Path first = RecordLog.path(crashed, 1);
    byte[] whole = Files.readAllBytes(first);
    Files.write(first, new byte[0]);
    assertThrows(FilterFormatException.class, () -> BufferHash.open(crashed, options));
    Files.write(first, whole);
    try (BufferHash table = BufferHash.open(crashed, options)) {
      assertEquals(1, Tables.number(table.get(1)));
      assertEquals(2, Tables.number(table.get(2)));
    }
  }

  /**
   * The newer mark is damaged, the older one names a log that was deleted since, and the process
   * ends right after the opening: it opens again.
   */
  @Test
  void anOlderMarkKnowsTheFirstLogFromTheSecondOpeningOn() throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 2, 20).durability(Durability.ON_SYNC);
    Path crashed = directory.resolve("crashed");
    Path again = directory.resolve("again");
    long puts = 0;
    try (BufferHash table = BufferHash.open(directory.resolve("table"), options)) {
      ByteBuffer marks;
      do {
        for (int i = 0; i < 1000; i++, puts++) {
          table.put(Tables.key(3, puts), Tables.value(puts));
        }
        table.sync();
        table.awaitWrites();
        byte[] file = Files.readAllBytes(directory.resolve("table").resolve(TableFile.NAME));
        marks = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
      } while (marks.getLong(16) < 2 || marks.getLong(4096 + 16) < 2);
      Tables.copy(directory.resolve("table"), crashed);
      int newer = marks.getLong(24) > marks.getLong(4096 + 24) ? 0 : 4096;
      marks.put(newer + 100, (byte) ~marks.get(newer + 100));
      int older = 4096 - newer;
      try (PageFrame frame = PageFrames.allocate(1, 4096)) {
        frame.bytes.put(0, marks.array(), older, 4096).putLong(16, 1);
        long id = BufferHashDirectory.read(crashed).id;
        new PageChecksum().stamp(frame, id, older / 4096, 1);
        frame.bytes.get(0, marks.array(), older, 4096);
      }
      Files.write(crashed.resolve(TableFile.NAME), marks.array());
    }
    try (BufferHash table = BufferHash.open(crashed, options)) {
      Tables.copy(crashed, again);
      assertEquals(puts - 1, Tables.number(table.get(Tables.key(3, puts - 1))));
    }
    try (BufferHash table = BufferHash.open(again, options)) {
      assertEquals(puts - 1, Tables.number(table.get(Tables.key(3, puts - 1))));
    }
  }

  private List<Path> logs() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> RecordLog.numberOf(file.getFileName().toString()) > 0).toList();
    }
  }

  /** Updates of few keys never fill a buffer: the logs are bounded all the same. */
  @Test
  void logsAreBoundedHoweverFewKeysThereAre() throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 2, 20).durability(Durability.ON_SYNC);
    long puts = 0;
    try (BufferHash table = BufferHash.open(directory, options)) {
      while (puts < 1_500_000) {
        puts = putFewKeys(table, puts, 50_000);
        // Puts do not wait for the writer, which deletes logs: it may lag behind them.
        for (int i = 0; i < 500 && logs().size() > 3 * TableLog.MAX_LOGS; i++) {
          LockSupport.parkNanos(10_000_000);
          table.awaitWrites();
          puts = putFewKeys(table, puts, 1000);
        }
        int logs = logs().size();
        assertTrue(logs <= 3 * TableLog.MAX_LOGS, logs + " logs");
      }
      table.sync();
      table.awaitWrites();
      assertTrue(table.statistics().get(BufferHashCount.INCARNATIONS_WRITTEN) > 0);
    }
    try (BufferHash table = BufferHash.open(directory, options)) {
      for (long i = puts - 50; i < puts; i++) {
        assertEquals(i, Tables.number(table.get(Tables.key(3, i % 50))));
      }
    }
  }

  /** Puts some values of few keys, and returns the number of the next one. */
  private static long putFewKeys(BufferHash table, long from, int count) throws IOException {
    for (long i = from; i < from + count; i++) {
      table.put(Tables.key(3, i % 50), Tables.value(i));
    }
    return from + count;
  }
}
