package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.DamagedPageException;
import io.winnow.flash.PageFrames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a drive can do to a filter while it runs. */
class CascadeFaultTest {
  private static final long SEED = 20261121;

  @TempDir private Path directory;
  private final FaultyAccess faults = new FaultyAccess(SEED);

  private CascadeOptions options() {
    return CascadeOptions.defaults()
        .memoryBudget(1 << 19)
        .fanOut(2)
        .expectedMaximum(1_000_000)
        .fileAccess(faults);
  }

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  private static long key(long i) {
    return TestHashes.splitMix(SEED, i);
  }

  private static void insert(CascadeFilter filter, long from, long to) throws IOException {
    for (long i = from; i < to; i++) {
      filter.insert(key(i));
    }
  }

  /** Of many keys the last thousand, and a few thousand of the others. */
  private static void assertPresent(CascadeFilter filter, long from, long to) {
    long step = Math.max(1, (to - from) / 2000);
    long[] keys =
        LongStream.range(from, to)
            .filter(i -> i >= to - 1000 || i % step == 0)
            .map(CascadeFaultTest::key)
            .toArray();
    assertEquals(keys.length, filter.mightContain(keys, 0, keys.length).cardinality());
    assertEquals(0, filter.statistics().failedLookups());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shortReadsAndWritesMakeNoDifference(boolean direct) throws IOException {
    faults.shortTransfers = true;
    CascadeOptions options = options().directIo(direct);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      insert(filter, 0, 300_000);
      filter.awaitMerges();
      assertTrue(filter.statistics().entriesMerged() > 0);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertPresent(filter, 0, 300_000);
    }
  }

  @Test
  void aFullDriveIsAClearErrorAndNothingIsLost() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      insert(filter, 0, 200_000);
      filter.awaitMerges();
      faults.freeBytes.set(600_000);
      long taken = 200_000;
      IOException full = null;
      while (full == null) {
        try {
          filter.insert(key(taken));
          taken++;
        } catch (IOException e) {
          full = e;
        }
        assertTrue(taken < 10_000_000, "it never got full");
      }
      assertTrue(full.getMessage().contains("No space left"), full.getMessage());
      assertTrue(full.getMessage().contains(directory.toString()), full.getMessage());
      assertPresent(filter, 0, taken);
      faults.freeBytes.set(Long.MAX_VALUE);
      insertWithPatience(filter, taken);
      insert(filter, taken + 1, taken + 200_000);
      filter.awaitMerges();
      assertPresent(filter, 0, taken + 200_000);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      assertPresent(filter, 0, 400_000);
    }
  }

  /** The failure of a merge that ran meanwhile may still be told once. */
  private static void insertWithPatience(CascadeFilter filter, long i) throws IOException {
    try {
      filter.insert(key(i));
    } catch (IOException e) {
      filter.insert(key(i));
    }
  }

  @Test
  void afterAFailedFsyncOfTheLogNothingIsPromisedAnyMore() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      insert(filter, 0, 5000);
      filter.sync();
      insert(filter, 5000, 6000);
      faults.failingFsyncs = path -> path.getFileName().toString().startsWith("log-");
      assertThrows(IOException.class, filter::sync);
      faults.failingFsyncs = path -> false;
      IOException refused = assertThrows(IOException.class, () -> filter.insert(key(6000)));
      assertTrue(refused.getMessage().contains("fsync"), refused.getMessage());
      assertPresent(filter, 0, 6000);
      assertThrows(IOException.class, filter::close);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      assertPresent(filter, 0, 5000);
      insert(filter, 5000, 6000);
    }
  }

  /** Whatever fails, and whenever: what a sync acknowledged is there at the next opening. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void failingFsyncsLoseNothingThatWasAcknowledged(long seed) throws IOException {
    Random random = new Random(seed);
    Durability[] durabilities = {Durability.NONE, Durability.ON_SYNC, Durability.everyN(20_000)};
    long safe = 0;
    long next = 0;
    int failures = 0;
    for (int opening = 0; opening < 6 || failures == 0; opening++) {
      faults.failingFsyncs = path -> false;
      CascadeOptions options = options().durability(durabilities[random.nextInt(3)]);
      CascadeFilter filter = CascadeFilter.open(directory, options);
      try {
        assertPresent(filter, 0, safe);
        next = safe; // what was not acknowledged may be there or not: insert it again
        faults.failingFsyncs =
            path -> {
              synchronized (random) {
                return random.nextInt(25) == 0;
              }
            };
        for (int step = 0; step < 8; step++) {
          long until = next + random.nextInt(30_000);
          while (next < until) {
            filter.insert(key(next));
            next++;
          }
          filter.sync();
          safe = next;
        }
      } catch (IOException e) {
        failures++;
      } finally {
        try {
          filter.close();
          safe = next;
        } catch (IOException e) {
          failures++;
        }
      }
    }
    faults.failingFsyncs = path -> false;
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      assertPresent(filter, 0, safe);
    }
  }

  @Test
  void aDamagedPageIsPresentForLookupsAndAnErrorForMerges() throws IOException {
    CascadeOptions options = options().durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      insert(filter, 0, 40_000);
      filter.sync();
      filter.awaitMerges();
      Path level = directory.resolve("level-" + filter.statistics().levels().get(0).file());
      byte[] bytes = Files.readAllBytes(level);
      for (int page = 0; page < filter.statistics().levels().get(0).pages(); page += 3) {
        bytes[page * 4096 + 1234] ^= 16;
      }
      Files.write(level, bytes);
      int positives = 0;
      for (long i = 0; i < 40_000; i += 20) {
        assertTrue(filter.mightContain(key(i)));
        positives += filter.mightContain(key(-1 - i)) ? 1 : 0;
      }
      assertTrue(positives > 2000 / 4, "a damaged page has to answer present: " + positives);
      CascadeStatistics statistics = filter.statistics();
      assertTrue(statistics.failedLookups() > 0);
      assertInstanceOf(DamagedPageException.class, statistics.lastLookupFailure());
      assertTrue(statistics.lastLookupFailure().getMessage().contains(level.toString()));
      insert(filter, 40_000, 40_010);
      IOException failure = assertThrows(IOException.class, filter::sync);
      assertTrue(
          failure.getMessage().matches("(?s).*page \\d+ of .*level-.*"), failure::getMessage);
      for (long i = 0; i < 40_010; i += 10) {
        assertTrue(filter.mightContain(key(i)));
      }
      assertThrows(IOException.class, filter::close);
    }
  }

  @Test
  void aReadThatFailsIsAnsweredPresent() throws IOException {
    CascadeFilter filter = CascadeFilter.open(directory, options().durability(Durability.NONE));
    try (filter) {
      insert(filter, 0, 20_000);
      filter.sync();
      filter.awaitMerges();
      Path level = directory.resolve("level-" + filter.statistics().levels().get(0).file());
      try (var channel =
          java.nio.channels.FileChannel.open(level, java.nio.file.StandardOpenOption.WRITE)) {
        channel.truncate(0);
      }
      long[] keys = new long[200];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = key(i);
        assertTrue(filter.mightContain(keys[i]));
      }
      assertEquals(200, filter.mightContain(keys, 0, keys.length).cardinality());
      assertEquals(400, filter.statistics().failedLookups());
    }
    assertFalse(Files.exists(directory.resolve("MANIFEST.new")));
  }
}
