package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Memory and fan-out may change, while a filter runs or from one opening to the next. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("long")
class CascadeChangeTest {
  private static final long SEED = 8;
  private static final int SMALL = 1 << 19;

  @TempDir private Path directory;
  private final FaultyAccess faults = new FaultyAccess(SEED);

  private CascadeOptions options(long memoryBytes) {
    return CascadeOptions.defaults()
        .memoryBudget(memoryBytes)
        .expectedMaximum(4_000_000)
        .fileAccess(faults);
  }

  private static long[] keys(long from, long to) {
    return LongStream.range(from, to).map(i -> TestHashes.splitMix(SEED, i)).toArray();
  }

  private static void insert(CascadeFilter filter, long from, long to) throws IOException {
    long[] keys = keys(from, to);
    filter.insert(keys, 0, keys.length);
  }

  private static void assertPresent(CascadeFilter filter, long to) {
    long[] keys = keys(0, to);
    assertEquals(keys.length, filter.mightContain(keys, 0, keys.length).cardinality());
  }

  /**
   * The log of a large memory makes a frozen level that a small one's first rank has no room for.
   */
  @Test
  void memoryThatShrinksFindsAPlaceForWhatTheLogHas() throws IOException {
    long capacity;
    try (CascadeFilter filter = CascadeFilter.open(directory, options(SMALL))) {
      capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      insert(filter, 0, capacity + 1);
      filter.awaitMerges();
    }
    long all = 1 + capacity * 9 / 2;
    try (CascadeFilter filter = CascadeFilter.open(directory, options(16 * SMALL))) {
      insert(filter, capacity + 1, all);
      assertEquals(1, filter.statistics().levels().size(), "all of it is in the log");
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options(SMALL))) {
      insert(filter, all, all + 3 * capacity);
      filter.awaitMerges();
      assertEquals(0, filter.statistics().get(CascadeCount.FROZEN_ENTRIES));
      assertPresent(filter, all + 3 * capacity);
    }
  }

  /** Each session adds a small level, and ends before the largest merge would. */
  @Test
  void levelsStayFewWhereNoSessionIsLongEnoughForTheLargestMerge() throws IOException {
    CascadeOptions options = options(SMALL).durability(Durability.NONE);
    long next = 1_500_000;
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      insert(filter, 0, next);
      filter.awaitMerges();
    }
    int most = 0;
    for (int session = 0; session < 40; session++) {
      try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
        long more = filter.statistics().get(CascadeCount.MEMORY_CAPACITY) / 2;
        insert(filter, next, next + more);
        next += more;
        filter.sync();
        most = Math.max(most, filter.statistics().levels().size());
      }
    }
    assertTrue(most <= 8, most + " levels");
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      for (long i = 0; i < next; i += 997) {
        assertTrue(filter.mightContain(TestHashes.splitMix(SEED, i)), "key " + i);
      }
      filter.awaitMerges();
      assertTrue(filter.statistics().levels().size() <= 4, "at rest one of each rank");
    }
  }

  /** Two large levels that come to be of one rank, and a small one before them. */
  @Test
  void aFanOutThatMakesTwoLevelsOfARankLetsInsertsGoOn() throws IOException {
    CascadeOptions options = options(SMALL).durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options.fanOut(6))) {
      long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      long inserted = 0;
      while (filter.statistics().levels().size() < 2
          || filter.statistics().levels().get(0).entries() < 9 * capacity / 2) {
        insert(filter, inserted, inserted + capacity / 2);
        inserted += capacity / 2;
        filter.awaitMerges();
      }
      filter.setFanOut(2);
      int ranks = 0;
      for (CascadeStatistics.Level level : filter.statistics().levels()) {
        ranks |= 1 << level.rank();
      }
      assertTrue(Integer.bitCount(ranks) < filter.statistics().levels().size(), "two of a rank");
      insert(filter, inserted, inserted + 3 * capacity);
      filter.awaitMerges();
      assertPresent(filter, inserted + 3 * capacity);
    }
  }

  /**
   * A merge that began with a large fan-out has all ranks below its own to itself; with a small one
   * these hold next to nothing. It goes to the rank that it has by the new one. So what comes in
   * finds a place for as long as the merge takes.
   */
  @Test
  void aSmallerFanOutLetsNoInsertWaitForAMergeThatRuns() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicBoolean isHeld = new AtomicBoolean();
    CascadeOptions options = options(SMALL).durability(Durability.NONE).mergeThreads(2);
    try (CascadeFilter filter = CascadeFilter.open(directory, options.fanOut(4))) {
      long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      long inserted = 0;
      while (filter.statistics().levels().stream().noneMatch(level -> level.rank() == 2)) {
        insert(filter, inserted, inserted + capacity / 2);
        inserted += capacity / 2;
        filter.awaitMerges();
      }
      String second =
          "level-"
              + filter.statistics().levels().get(filter.statistics().levels().size() - 1).file();
      faults.failingReads =
          path -> {
            if (path.endsWith(second) && isHeld.compareAndSet(false, true)) {
              try {
                release.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            }
            return false;
          };
      while (!isHeld.get()) {
        insert(filter, inserted, inserted + capacity / 8);
        inserted += capacity / 8;
      }
      filter.setFanOut(2);
      insert(filter, inserted, inserted + 4 * capacity);
      inserted += 4 * capacity;
      assertTrue(filter.statistics().get(CascadeCount.RUNNING_MERGES) > 0, "it is held");
      release.countDown();
      filter.awaitMerges();
      for (long i = 0; i < inserted; i += 97) {
        assertTrue(filter.mightContain(TestHashes.splitMix(SEED, i)), "key " + i);
      }
    } finally {
      release.countDown();
    }
  }

  /** More logs than memory has room for, and a drive that takes nothing: it can be read. */
  @Test
  void aFilterOpensOnAFullDriveWithMoreInItsLogsThanMemoryHolds() throws IOException {
    int each = 60_000;
    int logs = 4;
    for (int i = 0; i < logs; i++) {
      try (CascadeFilter filter = CascadeFilter.open(directory, options(16 * SMALL))) {
        insert(filter, (long) i * each, (i + 1L) * each);
      }
    }
    faults.freeBytes.set(0);
    try (CascadeFilter filter = CascadeFilter.open(directory, options(SMALL))) {
      assertTrue(filter.statistics().get(CascadeCount.MEMORY_CAPACITY) < (logs - 2L) * each);
      assertPresent(filter, (long) logs * each);
    }
    faults.freeBytes.set(Long.MAX_VALUE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options(SMALL))) {
      filter.awaitMerges();
      assertPresent(filter, (long) logs * each);
    }
  }
}
