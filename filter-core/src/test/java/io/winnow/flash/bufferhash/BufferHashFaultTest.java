package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a drive can do to a table. */
class BufferHashFaultTest extends BufferHashFaults {
  private static final int PAGE = 4096;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shortReadsAndWritesMakeNoDifference(boolean direct) throws IOException {
    drive.shortTransfers = true;
    BufferHashOptions options = options().directIo(direct).durability(Durability.ON_SYNC);
    try (BufferHash table = BufferHash.open(directory, options)) {
      put(table, 0, 8000);
    }
    try (BufferHash table = BufferHash.open(directory, options)) {
      assertPresent(table, 0, 8000);
      assertTrue(
          table.statistics().get(BufferHashCount.LOOKUP_READS) > 1000, "" + table.statistics());
    }
  }

  /**
   * A power failure may tear all that was written since the last fsync: it must not be both marks.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneMarkAtMostIsWrittenBetweenTwoFsyncs(boolean logged) throws IOException {
    List<byte[]> marks = new ArrayList<>(); // as they were at each fsync
    drive.failingFsyncs =
        path -> {
          if (path.endsWith(TableFile.NAME)) {
            marks.add(marks(path));
          }
          return false;
        };
    BufferHashOptions options = options().durability(logged ? Durability.ON_SYNC : Durability.NONE);
    for (int life = 0; life < 3; life++) {
      try (BufferHash table = BufferHash.open(directory, options)) {
        put(table, 2000 * life, 2000 * life + 1500);
        table.sync();
        put(table, 2000 * life + 1500, 2000 * life + 2000);
        table.sync();
        table.sync();
      }
    }
    assertTrue(marks.size() > 10, marks.size() + " fsyncs");
    for (int i = 1; i < marks.size(); i++) {
      byte[] before = marks.get(i - 1);
      byte[] after = marks.get(i);
      assertTrue(
          Arrays.equals(before, 0, PAGE, after, 0, PAGE)
              || Arrays.equals(before, PAGE, 2 * PAGE, after, PAGE, 2 * PAGE),
          "both marks were written before fsync " + i);
    }
  }

  /**
   * The last mark may not be safe: the process that wrote it ended before an fsync, or after one
   * that failed. An opening overwrites the other mark only after it has made this one safe.
   */
  @Test
  void anOpeningMakesTheLastMarkSafeFirst() throws IOException {
    byte[] killed;
    try (BufferHash table = BufferHash.open(directory, options())) {
      put(table, 0, 1500);
      table.sync();
      killed = Files.readAllBytes(directory.resolve(TableFile.NAME));
    }
    Files.write(directory.resolve(TableFile.NAME), killed);
    AtomicInteger writes = new AtomicInteger();
    List<byte[]> marks = new ArrayList<>(); // as they were at each fsync
    List<Integer> written = new ArrayList<>(); // requests by then
    drive.failingWrites = path -> path.endsWith(TableFile.NAME) && writes.incrementAndGet() < 0;
    drive.failingFsyncs =
        path -> {
          if (path.endsWith(TableFile.NAME)) {
            marks.add(marks(path));
            written.add(writes.get());
          }
          return false;
        };
    BufferHash.open(directory, options()).close();
    assertArrayEquals(Arrays.copyOf(killed, 2 * PAGE), marks.get(0));
    assertEquals(1, written.get(0), "an fsync alone may do nothing");
  }

  private static byte[] marks(Path table) {
    try (InputStream in = Files.newInputStream(table)) {
      return in.readNBytes(2 * PAGE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Buffers that cannot be written stay, puts fail in the end, and all goes on afterwards. */
  @Test
  void aDriveThatFailsIsAClearErrorAndNothingIsLost() throws IOException {
    try (BufferHash table = BufferHash.open(directory, options())) {
      put(table, 0, 3000);
      table.awaitWrites();
      drive.failingWrites = path -> path.endsWith(TableFile.NAME);
      long taken = putUntilItFails(table, 3000);
      assertPresent(table, 0, taken);
      IOException notSafe = assertThrows(IOException.class, table::sync);
      assertTrue(notSafe.getMessage().contains("injected"), notSafe.getMessage());
      drive.failingWrites = path -> false;
      put(table, taken, taken + 2000);
      table.sync();
      assertPresent(table, 0, taken + 2000);
      assertEquals(0, table.statistics().get(BufferHashCount.INCARNATIONS_EVICTED));
    }
  }

  /** The drive may have lost what was written, and the next fsync would not tell. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anFsyncThatFailedIsFailedForEver(boolean logged) throws IOException {
    BufferHashOptions options = options().durability(logged ? Durability.ON_SYNC : Durability.NONE);
    BufferHash table = BufferHash.open(directory, options);
    put(table, 0, 3000);
    table.sync();
    table.awaitWrites();
    drive.failingFsyncs = path -> path.endsWith(TableFile.NAME);
    long taken = putUntilItFails(table, 3000);
    drive.failingFsyncs = path -> false;
    assertPresent(table, 0, taken);
    IOException refused = assertThrows(IOException.class, () -> put(table, taken, taken + 100_000));
    assertTrue(refused.getMessage().contains("open it again"), refused.getMessage());
    long there = logged ? taken : 3000; // of which a sync has returned
    if (logged) {
      table.sync();
      table.close();
    } else {
      assertThrows(IOException.class, table::sync);
      assertThrows(IOException.class, table::close);
    }

    try (BufferHash again = BufferHash.open(directory, options)) {
      assertPresent(again, 0, there);
      put(again, there, there + 2000);
      again.sync();
    }
    try (BufferHash again = BufferHash.open(directory, options)) {
      assertPresent(again, 0, there + 2000);
    }
  }

  @Test
  void aPutWhoseFsyncFailedIsFound() throws IOException {
    BufferHashOptions options = options().durability(Durability.everyN(1));
    BufferHash table = BufferHash.open(directory, options);
    put(table, 0, 100);
    drive.failingFsyncs = path -> path.getFileName().toString().startsWith("log-");
    assertThrows(IOException.class, () -> put(table, 100, 101));
    assertPresent(table, 0, 101);
    assertThrows(IOException.class, () -> put(table, 101, 102), "the log has ended");
    drive.failingFsyncs = path -> false;
    assertThrows(IOException.class, table::close);
    try (BufferHash again = BufferHash.open(directory, options)) {
      assertPresent(again, 0, 100);
    }
  }

  /**
   * What a failed fsync left in the system's cache is read there, and a later fsync does nothing
   * about it: it has to be written again, before the log that has it is deleted.
   */
  @ParameterizedTest
  @ValueSource(strings = {TableFile.NAME, "log-"})
  void afterAFailedFsyncAnOpeningMakesSafeWhatItFinds(String file) throws IOException {
    boolean isLog = !file.equals(TableFile.NAME);
    SimulatedDrive machine = Tables.drive(directory, SEED);
    BufferHashOptions options = options().durability(Durability.ON_SYNC).fileAccess(machine);
    BufferHash table = BufferHash.open(directory, options);
    put(table, 0, 1000);
    table.sync();
    machine.failingFsyncs = path -> path.getFileName().toString().startsWith(file);
    put(table, 1000, 3000);
    if (isLog) {
      assertThrows(IOException.class, table::sync);
      assertThrows(IOException.class, table::close);
    } else {
      table.awaitWrites();
      assertNotNull(table.statistics().lastFailure());
      table.close();
    }
    machine.failingFsyncs = path -> false;

    BufferHash again = BufferHash.open(directory, options);
    long there = 0;
    while (there < 3000 && again.get(key(there)) != null) {
      there++;
    }
    assertTrue(there >= (isLog ? 1000 : 3000), "there are " + there);
    if (!isLog) {
      put(again, there, there + 8000);
      there += 8000;
      again.sync();
      again.awaitWrites(); // and the logs of before are deleted
    }
    machine.stopIn(1);
    assertThrows(IOException.class, () -> put(again, 0, 100_000));
    assertThrows(IOException.class, again::close);
    machine.cutPower();
    try (BufferHash afterwards =
        BufferHash.open(directory, options().durability(Durability.ON_SYNC))) {
      assertPresent(afterwards, 0, there);
    }
  }

  /** Its manifest, that is: an opening would find it, and take it for safe. */
  @Test
  void aTableThatCannotBeMadeSafeIsMadeAnew() throws IOException {
    for (int seed = 0; seed < 8; seed++) {
      Path made = directory.resolve("made-" + seed);
      SimulatedDrive machine = Tables.drive(made, seed);
      BufferHashOptions options = options().durability(Durability.ON_SYNC).fileAccess(machine);
      machine.failingFsyncs = path -> Files.exists(made.resolve("MANIFEST"));
      assertThrows(IOException.class, () -> BufferHash.open(made, options));
      machine.failingFsyncs = path -> false;
      Path left = directory.resolve("left-" + seed);
      try (BufferHash table = BufferHash.open(made, options)) {
        put(table, 0, 1000);
        table.sync();
        machine.cutNow().writeTo(left);
      }
      try (BufferHash table = BufferHash.open(left, options())) {
        assertPresent(table, 0, 1000);
      }
    }
  }

  /** How many are in when the first one fails. */
  private static long putUntilItFails(BufferHash table, long from) {
    for (long taken = from; taken < 100_000; taken++) {
      try {
        table.put(key(taken), Tables.value(taken));
      } catch (IOException e) {
        assertTrue(e.getMessage().contains("injected"), e.getMessage());
        assertTrue(e.getMessage().contains(TableFile.NAME), e.getMessage());
        return taken;
      }
    }
    throw new AssertionError("it never failed");
  }

  @Test
  void aLogThatFailsToSyncTakesNothingMore() throws IOException {
    BufferHashOptions options = options().durability(Durability.ON_SYNC);
    long synced = 100;
    BufferHash table = BufferHash.open(directory, options);
    try {
      put(table, 0, synced);
      table.sync();
      put(table, synced, 200);
      drive.failingFsyncs = path -> path.getFileName().toString().startsWith("log-");
      assertThrows(IOException.class, table::sync);
      drive.failingFsyncs = path -> false;
      IOException refused = assertThrows(IOException.class, () -> put(table, 200, 201));
      assertTrue(
          refused.getMessage().contains("no more operations are accepted"), refused.getMessage());
      assertPresent(table, 0, 200);
    } finally {
      assertThrows(IOException.class, table::close);
    }
    try (BufferHash again = BufferHash.open(directory, options)) {
      assertPresent(again, 0, synced);
    }
  }

  /** A page that cannot be read is an error, and no answer. */
  @Test
  void aFailingReadIsNoAnswer() throws IOException {
    try (BufferHash table = BufferHash.open(directory, options())) {
      put(table, 0, 3000);
      table.sync();
      drive.failingReads = path -> path.endsWith(TableFile.NAME);
      IOException failure = assertThrows(IOException.class, () -> table.get(key(5)));
      assertTrue(failure.getMessage().contains("injected"), failure.getMessage());
      long[] some = {key(4), key(5), key(6)};
      failure = assertThrows(IOException.class, () -> table.get(some, 0, some.length));
      assertTrue(failure.getMessage().contains("injected"), failure.getMessage());
      long failed = table.statistics().get(BufferHashCount.FAILED_LOOKUPS);
      assertTrue(failed >= 2, failed + " failed lookups");
      table.put(key(5), Tables.value(55));
      assertEquals(55, Tables.number(table.get(key(5))), "what is newer is in memory");
      table.delete(key(6));
      assertNull(table.get(key(6)));
      drive.failingReads = path -> false;
      assertPresent(table, 7, 3000);
      assertEquals(failed, table.statistics().get(BufferHashCount.FAILED_LOOKUPS));
    }
  }

  /** Else what could not be read would be keys that are not there. */
  @Test
  void anOpeningThatCannotReadAllIsRefused() throws IOException {
    try (BufferHash table = BufferHash.open(directory, options())) {
      put(table, 0, 3000);
    }
    AtomicInteger reads = new AtomicInteger();
    drive.failingReads = path -> path.endsWith(TableFile.NAME) && reads.incrementAndGet() > 10;
    IOException refused =
        assertThrows(IOException.class, () -> BufferHash.open(directory, options()));
    assertTrue(refused.getMessage().contains("injected"), refused.getMessage());
    drive.failingReads = path -> false;
    try (BufferHash table = BufferHash.open(directory, options())) {
      assertPresent(table, 0, 3000);
    }
  }

  /** The next incarnation is written over the page that a lookup is about to read. */
  @Test
  void aLookupBeginsAgainIfItsPageWasOverwritten() throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 1, 2).fileAccess(drive);
    try (BufferHash table = BufferHash.open(directory, options)) {
      put(table, 0, 1500);
      table.sync();
      AtomicBoolean first = new AtomicBoolean(true);
      drive.failingReads =
          path -> {
            if (first.getAndSet(false)) {
              assertDoesNotThrow(() -> put(table, 1500, 8000));
              table.awaitWrites();
            }
            return false;
          };
      assertNull(table.get(key(0)));
      assertFalse(first.get());
      assertTrue(table.statistics().get(BufferHashCount.INCARNATIONS_EVICTED) >= 2);
      assertEquals(0, table.statistics().get(BufferHashCount.FAILED_LOOKUPS));
    }
  }

  /** Slots are overwritten while others read them: they look again, and meet no half of a page. */
  @Test
  void lookupsAndOverwritesAtOnce() throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    AtomicBoolean done = new AtomicBoolean();
    long[] newest = {0};
    try (BufferHash table =
        BufferHash.open(
            directory,
            Tables.small(BufferHashOptions.ofFingerprints(8), 1, 2)
                .durability(Durability.ON_SYNC))) {
      put(table, 0, 4000);
      Thread[] readers = new Thread[3];
      for (int t = 0; t < readers.length; t++) {
        Random random = new Random(t);
        readers[t] =
            new Thread(
                () -> {
                  try {
                    while (!done.get()) {
                      long i;
                      synchronized (newest) {
                        i = Math.max(0, newest[0] - random.nextInt(4000));
                      }
                      byte[] value = table.get(key(i));
                      assertTrue(value == null || Tables.number(value) == i);
                    }
                  } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                  }
                });
        readers[t].start();
      }
      for (long i = 4000; i < 60_000 && failure.get() == null; i++) {
        table.put(key(i), Tables.value(i));
        if (i % 100 == 0) {
          synchronized (newest) {
            newest[0] = i;
          }
        }
      }
      done.set(true);
      for (Thread reader : readers) {
        reader.join();
      }
      assertNull(failure.get());
      assertTrue(
          table.statistics().get(BufferHashCount.INCARNATIONS_EVICTED) > 20,
          "" + table.statistics());
    }
  }

  /** The drive does some writes of pages elsewhere, or not at all, and says nothing. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void wrongWritesLoseNothingInSilence(long seed) throws IOException {
    SimulatedDrive wrong = Tables.drive(directory, seed);
    BufferHashOptions options = options().durability(Durability.ON_SYNC);
    int keys = 5000;
    try (BufferHash table = BufferHash.open(directory, options.fileAccess(wrong))) {
      wrong.setWrongWrites(150_000, 150_000);
      for (int round = 0; round < 2; round++) { // the second has newer values
        for (long i = 0; i < keys; i++) {
          table.put(key(i), Tables.value(round * 10L * keys + i));
        }
      }
      table.sync();
      table.awaitWrites();
      assertAnswersOrSays(table, keys, wrong);
      wrong.setWrongWrites(0, 0);
    }
    try (BufferHash table = BufferHash.open(directory, options)) {
      assertAnswersOrSays(table, keys, wrong);
      table.forgetLost();
      for (long i = 0; i < keys; i++) {
        table.put(key(i), Tables.value(i));
        assertEquals(i, Tables.number(table.get(key(i))));
      }
    } catch (FilterFormatException e) {
      assertTrue(e.getMessage().contains("mark"), e.getMessage());
    }
  }

  private static void assertAnswersOrSays(BufferHash table, int keys, SimulatedDrive wrong)
      throws IOException {
    for (long i = 0; i < keys; i++) {
      try {
        byte[] value = table.get(key(i));
        assertNotNull(value, "key " + i + " after " + wrong.wrongWrites() + " wrong writes");
        assertEquals(10L * keys + i, Tables.number(value), "an older value");
      } catch (DamagedPageException e) {
        assertTrue(wrong.wrongWrites() > 0, e.toString());
      }
    }
  }
}
