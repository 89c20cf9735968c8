package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.drive.FlashCounters;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.store.Durability;
import io.winnow.flash.store.FlashStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What stays when the ring comes round. */
class EvictionTest {
  private static final long SEED = 4;
  private static final int ROUNDS = 4;

  @TempDir private Path directory;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  private static long key(long i) {
    return Tables.key(SEED, i);
  }

  private static BufferHashOptions options(Eviction eviction) {
    return Tables.small(BufferHashOptions.ofFingerprints(8), 2, 6).eviction(eviction);
  }

  /** As many puts as the flash has room for, so many times. */
  private static long enough(BufferHash table, int rounds) {
    return rounds * Tables.entriesOnFlash(table.layout());
  }

  @Test
  void fullDiscardForgetsWhatIsOld() throws IOException {
    try (BufferHash table = BufferHash.open(directory, options(Eviction.fifo()))) {
      long n = enough(table, ROUNDS);
      for (long i = 0; i < n; i++) {
        table.put(key(i), Tables.value(i));
      }
      table.awaitWrites();
      for (int i = 0; i < 500; i++) {
        assertNull(table.get(key(i)));
        assertEquals(n - 1 - i, Tables.number(table.get(key(n - 1 - i))));
      }
      assertTrue(
          table.statistics().get(BufferHashCount.INCARNATIONS_EVICTED) > 12,
          "" + table.statistics());
      assertEquals(0, table.statistics().get(BufferHashCount.RETAINED));
    }
  }

  /** One key in 50 is of high priority; some of these are updated, and some deleted, later. */
  @ParameterizedTest
  @EnumSource(IncarnationFilterKind.class)
  void partialDiscardKeepsWhatHasPriority(IncarnationFilterKind filters) throws IOException {
    Eviction eviction = Eviction.keeping((hash, key, value) -> Tables.number(value) % 50 == 0);
    BufferHashOptions options = options(eviction).filters(filters);
    long n;
    try (BufferHash table = BufferHash.open(directory, options)) {
      n = enough(table, 3);
      for (long i = 0; i < n; i++) {
        table.put(key(i), Tables.value(i));
        if (i == 8000) { // in another incarnation than the values that this is newer than
          table.put(key(50), Tables.value(5_000_000));
          table.delete(key(100));
          table.put(key(150), Tables.value(1)); // of low priority now
        }
      }
      table.awaitWrites();
      check(table, n);
      FlashStatistics<BufferHashCount> statistics = table.statistics();
      assertTrue(statistics.get(BufferHashCount.RETAINED) > n / 50 / 2, statistics.toString());
      assertEquals(0, statistics.get(BufferHashCount.NOT_RETAINED), statistics.toString());
    }
    try (BufferHash table = BufferHash.open(directory, options)) {
      check(table, n);
    }
  }

  private static void check(BufferHash table, long n) throws IOException {
    assertEquals(5_000_000, Tables.number(table.get(key(50))));
    assertNull(table.get(key(100)), "it was deleted, and its older value had priority");
    assertNull(table.get(key(150)), "it was updated, and its older value had priority");
    for (long i = 200; i < n; i += 50) {
      byte[] value = table.get(key(i));
      assertNotNull(value, "key " + i + " of " + n);
      assertEquals(i, Tables.number(value));
    }
    for (long i = 1; i < 1000; i++) {
      assertTrue(i % 50 == 0 || table.get(key(i)) == null, "key " + i);
    }
  }

  /** What is to be kept is more than there is room for: puts go on, and the newest are there. */
  @Test
  void aPredicateThatKeepsAllDoesNotFillTheTable() throws IOException {
    Eviction eviction = Eviction.keeping((hash, key, value) -> true);
    try (BufferHash table = BufferHash.open(directory, options(eviction))) {
      long n = enough(table, 3);
      for (long i = 0; i < n; i++) {
        table.put(key(i), Tables.value(i));
      }
      table.awaitWrites();
      for (long i = n - 500; i < n; i++) {
        assertEquals(i, Tables.number(table.get(key(i))));
      }
      assertTrue(table.statistics().get(BufferHashCount.NOT_RETAINED) > 0, "" + table.statistics());
      assertTrue(table.statistics().get(BufferHashCount.RETAINED) > 0, "" + table.statistics());
    }
  }

  @Test
  void usedEntriesStay() throws IOException {
    try (BufferHash table = BufferHash.open(directory, options(Eviction.leastRecentlyUsed()))) {
      long n = enough(table, ROUNDS);
      int used = 100;
      byte[][] expected = new byte[used][];
      for (long i = 0; i < n; i++) {
        table.put(key(i), Tables.value(i));
        if (i < used) {
          expected[(int) i] = Tables.value(i);
        }
        if (i % 20 == 0) {
          int asked = (int) (i / 20 % used);
          if (i >= used) {
            assertArrayEquals(expected[asked], table.get(key(asked)), "put " + i);
          }
        }
        if (i == 5000) {
          expected[7] = Tables.value(-7);
          table.put(key(7), expected[7]);
          table.delete(key(8));
          expected[8] = null;
        }
      }
      for (int i = 0; i < used; i++) {
        assertArrayEquals(expected[i], table.get(key(i)));
      }
      for (int i = used; i < 1000; i++) {
        assertNull(table.get(key(i)), "it was never used");
      }
      assertTrue(
          table.statistics().get(BufferHashCount.REINSERTED) > used, "" + table.statistics());
    }
  }

  /**
   * While a lookup reads an old entry, a newer one of the key may be put and written to flash: the
   * old one must not become the newest.
   */
  @Test
  void aUsedEntryStaysWhereItIsIfIncarnationsHaveChangedSince() {
    Geometry geometry =
        BufferHashLayout.geometry(Tables.small(BufferHashOptions.ofFingerprints(8), 1, 4));
    IncarnationFilters filters = new BloomSlices(new BloomSizing(64, 1), geometry.slots);
    SuperTable table =
        new SuperTable(0, geometry.slots, filters, new WriteBuffer(geometry, 100), false);
    table.recover(0, Incarnation.lost(0), false, 0);
    table.recovered(0);
    FlashCounters<BufferHashCount> counters = new FlashCounters<>(BufferHashCount.class);
    try (PageReader reader = new PageReader(geometry, null, counters)) {
      assertSame(Records.NOT_HERE, table.find(key(1), null, reader));
      table.recover(1, Incarnation.lost(0), false, 0);
      assertFalse(table.reinsert(key(1), null, Tables.value(1), reader.changes));
      assertSame(Records.NOT_HERE, table.find(key(1), null, reader));
      assertTrue(table.reinsert(key(1), null, Tables.value(1), reader.changes));
      assertFalse(table.reinsert(key(1), null, Tables.value(2), reader.changes), "a buffer has it");
    }
  }

  /** A retained entry is in the log before its safe copy goes. */
  @Test
  void whatIsRetainedSurvivesAStop() throws IOException {
    Eviction eviction = Eviction.keeping((hash, key, value) -> Tables.number(value) < 100);
    BufferHashOptions options = options(eviction).durability(Durability.ON_SYNC);
    SimulatedDrive drive = Tables.drive(directory, SEED);
    long n;
    BufferHash table = BufferHash.open(directory, options.fileAccess(drive));
    try {
      n = enough(table, 1);
      for (long i = 0; i < 100; i++) {
        table.put(key(i), Tables.value(i));
      }
      table.sync();
      for (long i = 100; table.statistics().get(BufferHashCount.RETAINED) < 100 && i < 5 * n; i++) {
        table.put(key(i), Tables.value(i));
      }
      assertEquals(100, table.statistics().get(BufferHashCount.RETAINED));
      drive.stopIn(1);
    } finally {
      stop(table);
    }
    drive.cutPower();
    assertFirstHundred(options);
  }

  /** Without a log a sync writes what it retains too: the safe copy is overwritten. */
  @Test
  void whatASyncRetainsIsDurable() throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 1, 6)
            .durability(Durability.NONE)
            .eviction(Eviction.keeping((hash, key, value) -> Tables.number(value) < 100));
    SimulatedDrive drive = Tables.drive(directory, SEED);
    BufferHash table = BufferHash.open(directory, options.fileAccess(drive));
    try {
      long puts = 0;
      long perBuffer = 0;
      for (long written = 0; written < table.layout().incarnations(); puts++) {
        table.put(key(puts), Tables.value(puts));
        table.awaitWrites();
        if (table.statistics().get(BufferHashCount.INCARNATIONS_WRITTEN) > written) {
          perBuffer = puts / ++written; // this put is in the next buffer
        }
      }
      for (long end = puts + perBuffer - 1; puts < end; puts++) { // a full buffer
        table.put(key(puts), Tables.value(puts));
      }
      assertEquals(0, table.statistics().get(BufferHashCount.RETAINED));
      table.sync();
      assertEquals(100, table.statistics().get(BufferHashCount.RETAINED));
      drive.stopIn(1);
    } finally {
      stop(table);
    }
    drive.cutPower();
    assertFirstHundred(options);
  }

  /**
   * What the log has is more than a buffer: taking it in evicts. The safe copy of what is retained
   * then goes, and no log has it. That is slow here: the opening waits for it.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatAnOpeningRetainsSurvivesAStop(boolean logged) throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 1, 6).durability(Durability.ON_SYNC);
    SimulatedDrive drive = Tables.drive(directory, SEED);
    BufferHash table = BufferHash.open(directory, options.fileAccess(drive));
    try {
      long i = 0;
      for (;
          table.statistics().get(BufferHashCount.INCARNATIONS_WRITTEN)
              < table.layout().incarnations();
          i++) {
        table.put(key(i), Tables.value(i));
        table.awaitWrites();
      }
      drive.failingWrites = path -> path.endsWith(TableFile.NAME);
      for (long end = i + table.layout().bufferEntries * 9L / 8; i < end; i++) {
        table.put(key(i), Tables.value(i));
      }
      table.sync();
      drive.stopIn(1);
    } finally {
      stop(table);
    }
    drive.cutPower();

    SimulatedDrive next = Tables.drive(directory, SEED);
    BufferHashOptions keeping =
        options
            .eviction(Eviction.keeping(slowAtFirst(100)))
            .durability(logged ? Durability.ON_SYNC : Durability.NONE);
    BufferHash opened = BufferHash.open(directory, keeping.fileAccess(next));
    try {
      assertEquals(100, opened.statistics().get(BufferHashCount.RETAINED));
      next.stopIn(1);
    } finally {
      stop(opened);
    }
    next.cutPower();
    assertFirstHundred(keeping);
  }

  private void assertFirstHundred(BufferHashOptions options) throws IOException {
    try (BufferHash again = BufferHash.open(directory, options)) {
      for (int i = 0; i < 100; i++) {
        byte[] value = again.get(key(i));
        assertNotNull(value, "key " + i);
        assertEquals(i, Tables.number(value));
      }
    }
  }

  /** Keeps values below a limit, and takes a while for the first. */
  private static Eviction.Priority slowAtFirst(long limit) {
    AtomicBoolean began = new AtomicBoolean();
    return (hash, key, value) -> {
      if (!began.getAndSet(true)) {
        LockSupport.parkNanos(300_000_000);
      }
      return Tables.number(value) < limit;
    };
  }

  private static void stop(BufferHash table) {
    try {
      table.close();
    } catch (IOException e) {
      Throwable first = e;
      while (first.getCause() != null) {
        first = first.getCause();
      }
      assertTrue(first.getMessage().contains("injected"), e.toString());
    }
  }
}
