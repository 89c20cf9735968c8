package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Inserts go on, and freeze levels, while a manifest is switched and while files are deleted. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CascadeSwitchTest {
  private static final long SEED = 12;

  @TempDir private Path directory;
  private final FaultyAccess faults = new FaultyAccess(SEED);
  private final AtomicBoolean isHeld = new AtomicBoolean();
  private final CountDownLatch release = new CountDownLatch(1);

  /** Lock of the thread that inserts, which would wait for a held merge. */
  private final ReentrantLock inserts = new ReentrantLock();

  private long inserted;

  private CascadeOptions options() {
    return CascadeOptions.defaults()
        .memoryBudget(1 << 19)
        .fanOut(2)
        .expectedMaximum(4_000_000)
        .mergeThreads(2)
        .durability(Durability.NONE)
        .fileAccess(faults);
  }

  private void insert(CascadeFilter filter, long count) throws IOException {
    for (long end = inserted + count; inserted < end; inserted++) {
      filter.insert(TestHashes.splitMix(SEED, inserted));
    }
  }

  private void assertPresent(CascadeFilter filter) {
    for (long i = 0; i < inserted; i += i < inserted - 1000 ? 97 : 1) {
      assertTrue(filter.mightContain(TestHashes.splitMix(SEED, i)), "key " + i);
    }
    assertEquals(0, filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
  }

  /** Holds the first thread that comes while nobody inserts, until the test has seen enough. */
  private boolean hold() {
    if (!inserts.tryLock()) {
      return false;
    }
    boolean isFirst = isHeld.compareAndSet(false, true);
    inserts.unlock();
    if (isFirst) {
      try {
        release.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    return false;
  }

  /** Whether the manifest that is being switched to is that of a merge of levels on flash. */
  private boolean namesFewer(CascadeFilter filter) {
    if (filter.statistics().get(CascadeCount.FROZEN_ENTRIES) > 0) {
      return false; // it would be waited for
    }
    try (Stream<String> lines = Files.lines(directory.resolve("MANIFEST"))) {
      long named = lines.filter(line -> line.startsWith("level ")).count();
      return named < filter.statistics().levels().size();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aLevelIsFrozenDuringASwitch() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      faults.failingFsyncs = path -> path.equals(directory) && namesFewer(filter) && hold();
      long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      while (!isHeld.get()) {
        inserts.lock();
        try {
          if (!isHeld.get()) {
            insert(filter, capacity / 2);
            filter.sync(); // nothing is frozen after that, and the switch may be of another merge
          }
        } finally {
          inserts.unlock();
        }
        while (!isHeld.get() && filter.statistics().get(CascadeCount.RUNNING_MERGES) > 0) {
          Thread.onSpinWait();
        }
      }
      int levels = filter.statistics().levels().size();
      insert(filter, capacity + 1);
      assertEquals(
          capacity,
          filter.statistics().get(CascadeCount.FROZEN_ENTRIES),
          100.0,
          "frozen meanwhile");
      assertEquals(levels, filter.statistics().levels().size(), "not switched yet");
      assertPresent(filter);
      release.countDown();
      faults.failingFsyncs = path -> false;
      filter.awaitMerges();
      assertEquals(0, filter.statistics().get(CascadeCount.FROZEN_ENTRIES));
      assertTrue(filter.statistics().levels().size() <= levels);
      assertPresent(filter);
    } finally {
      release.countDown();
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      assertPresent(filter);
    }
  }

  @Test
  void levelsAreWrittenWhileOneIsDeleted() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      faults.failingDeletes = path -> path.getFileName().toString().startsWith("level-") && hold();
      long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      while (!isHeld.get()) {
        insert(filter, capacity / 2);
      }
      insert(filter, 5 * capacity);
      filter.sync();
      release.countDown();
      filter.awaitMerges();
      try (Stream<Path> files = Files.list(directory)) {
        assertEquals(
            filter.statistics().levels().size(),
            files.filter(file -> file.getFileName().toString().startsWith("level-")).count());
      }
      assertPresent(filter);
    } finally {
      release.countDown();
    }
  }
}
