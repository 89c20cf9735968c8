package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.winnow.TestHashes;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An fsync of the directory that fails drops what was changed there since the last one, by
 * whomever: the next fsync succeeds, and does nothing about it.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DirectoryPowerFailureTest {
  private static final long SEED = 20261126;
  private static final int DRIVES = 6;
  private static final int CUTS = 4;

  @TempDir private Path temporary;

  private static CascadeOptions options() {
    return CascadeOptions.defaults()
        .memoryBudget(1 << 19)
        .fanOut(2)
        .mergeThreads(2)
        .expectedMaximum(1_000_000)
        .directIo(false);
  }

  private SimulatedDrive drive(int seed) throws IOException {
    Path directory = Files.createDirectory(directory(seed));
    return new SimulatedDrive(directory, new Random(seed), () -> 0, () -> 0);
  }

  private Path directory(int seed) {
    return temporary.resolve("cascade-" + seed);
  }

  private static long key(long i) {
    return TestHashes.splitMix(SEED, i);
  }

  /** Cuts the power now, some times: what it leaves has the first keys. */
  private void assertSafe(SimulatedDrive drive, int seed, int keys) throws IOException {
    long[] all = LongStream.range(0, keys).map(DirectoryPowerFailureTest::key).toArray();
    for (int cut = 0; cut < CUTS; cut++) {
      Path left = temporary.resolve("left-" + seed + "-" + cut);
      drive.cutNow().writeTo(left);
      try (CascadeFilter afterACut = CascadeFilter.open(left, options())) {
        assertEquals(keys, afterACut.mightContain(all, 0, keys).cardinality(), "seed " + seed);
        assertEquals(0, afterACut.statistics().get(CascadeCount.FAILED_LOOKUPS));
      }
    }
  }

  /** A merge and an insert that come to their fsyncs of the directory at the same time. */
  private static final class Meeting {
    private final CascadeFilter filter;
    private final SimulatedDrive drive;
    private final boolean mergeFails;
    private final CountDownLatch mergeIsThere = new CountDownLatch(1);
    private final CountDownLatch mayInsert = new CountDownLatch(1);
    private final Thread inserter = new Thread(this::insertUntilItFails);

    /** Held while the first thread inserts: it would wait for a merge that meets the inserter. */
    private final ReentrantLock inserts = new ReentrantLock();

    private int left;
    private volatile boolean insertIsThere;
    private volatile Thread failing;
    private volatile int inserted;
    private volatile Throwable unexpected;

    /** The merge comes to its n-th one. */
    Meeting(CascadeFilter filter, SimulatedDrive drive, int n, boolean mergeFails) {
      this.filter = filter;
      this.drive = drive;
      this.mergeFails = mergeFails;
      this.left = n;
    }

    /** Inserts until a merge of levels is there, and then until a log is begun. */
    void run() throws IOException, InterruptedException {
      drive.beforeDirectoryFsync = this::beforeDirectoryFsync;
      drive.failingFsyncs = path -> fails();
      long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      while (mergeIsThere.getCount() > 0) {
        inserts.lock();
        try {
          int end = inserted + (int) capacity / 2;
          for (; mergeIsThere.getCount() > 0 && inserted < end; inserted++) {
            filter.insert(key(inserted));
          }
        } finally {
          inserts.unlock();
        }
        while (mergeIsThere.getCount() > 0
            && filter.statistics().get(CascadeCount.RUNNING_MERGES) > 0) {
          Thread.onSpinWait();
        }
      }
      inserter.start();
      inserter.join();
      assertEquals(null, unexpected);
      drive.failingFsyncs = path -> false;
      filter.awaitMerges();
      filter.insert(key(inserted));
      inserted++;
      filter.sync();
    }

    private void insertUntilItFails() {
      try {
        long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
        for (int end = inserted + (int) capacity; inserted < end; inserted++) {
          filter.insert(key(inserted));
        }
        assertEquals(true, mergeFails, "no insert has failed");
      } catch (IOException e) {
        unexpected = mergeFails ? e : null;
      } catch (RuntimeException | Error e) {
        unexpected = e;
      }
    }

    private void beforeDirectoryFsync() {
      Thread now = Thread.currentThread();
      try {
        if (now == inserter) {
          insertIsThere = true;
          mayInsert.await();
        } else if (now.getName().contains("-merge-") && isTheMeeting()) {
          awaitInsert(true);
          failing = mergeFails ? now : inserter;
          if (!mergeFails) {
            mayInsert.countDown();
            awaitInsert(false);
          }
        }
      } catch (InterruptedException e) {
        unexpected = e;
      }
    }

    private boolean isTheMeeting() {
      if (filter.statistics().get(CascadeCount.FROZEN_ENTRIES) > 0 || !inserts.tryLock()) {
        return false; // an insert would wait for the merge
      }
      try {
        boolean is = mergeIsThere.getCount() > 0 && left-- == 0;
        if (is) {
          mergeIsThere.countDown();
        }
        return is;
      } finally {
        inserts.unlock();
      }
    }

    /** Until it is there, or over, or waits for what this thread has. */
    private void awaitInsert(boolean isThere) throws InterruptedException {
      int blocked = 0;
      while (blocked < 100 && inserter.getState() != Thread.State.TERMINATED) {
        if (isThere && insertIsThere) {
          return;
        }
        blocked = inserter.getState() == Thread.State.BLOCKED ? blocked + 1 : 0;
        Thread.sleep(1);
      }
    }

    /** Once, by the thread that is to fail; the other one comes after it. */
    private boolean fails() {
      if (Thread.currentThread() != failing) {
        return false;
      }
      failing = null;
      mayInsert.countDown();
      return true;
    }
  }

  @ParameterizedTest
  @CsvSource({"0, false", "0, true", "1, false", "1, true", "2, false", "2, true"})
  void aThreadsFailureTakesNothingFromAnother(int n, boolean mergeFails)
      throws IOException, InterruptedException {
    for (int seed = 0; seed < DRIVES; seed++) {
      SimulatedDrive drive = drive(seed);
      try (CascadeFilter filter =
          CascadeFilter.open(directory(seed), options().fileAccess(drive))) {
        Meeting meeting = new Meeting(filter, drive, n, mergeFails);
        meeting.run();
        assertSafe(drive, seed, meeting.inserted);
      }
    }
  }

  /** It may be in the system's cache alone, and the opening's own sync promises what it names. */
  @Test
  void anOpeningDoesNotTakeTheManifestForSafe() throws IOException {
    int keys = 1000;
    for (int seed = 0; seed < DRIVES; seed++) {
      SimulatedDrive drive = drive(seed);
      Path directory = directory(seed);
      CascadeOptions options = options().durability(Durability.NONE).fileAccess(drive);
      CascadeFilter filter = CascadeFilter.open(directory, options);
      for (int i = 0; i < keys; i++) {
        filter.insert(key(i));
      }
      drive.failingFsyncs = path -> path.equals(directory) && namesALevel(directory);
      assertThrows(IOException.class, filter::sync);
      assertThrows(IOException.class, filter::close);
      drive.failingFsyncs = path -> false;
      try (CascadeFilter again = CascadeFilter.open(directory, options)) {
        again.sync();
        assertSafe(drive, seed, keys);
      }
    }
  }

  static boolean namesALevel(Path directory) {
    try {
      return Files.readString(directory.resolve("MANIFEST")).contains("\nlevel ");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
