package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 10, unit = TimeUnit.MINUTES)
class CascadeListenerTest {
  private static final int KEYS = 100_000;

  @TempDir private Path directory;

  /** A listener must not take the files' reads and writes from the caller's file access. */
  @Test
  void theFileAccessOfTheOptionsReadsAndWritesWithAListenerToo() throws IOException {
    LongAdder reads = new LongAdder();
    LongAdder writes = new LongAdder();
    FileAccess counting =
        new FileAccess() {
          @Override
          public int read(FileChannel file, ByteBuffer into, long position) throws IOException {
            reads.increment();
            return FileAccess.super.read(file, into, position);
          }

          @Override
          public int write(FileChannel file, ByteBuffer from, long position) throws IOException {
            writes.increment();
            return FileAccess.super.write(file, from, position);
          }
        };
    CascadeOptions options =
        CascadeOptions.defaults()
            .memoryBudget(1 << 20)
            .durability(Durability.NONE)
            .fileAccess(counting)
            .listener(new Recorder(false));
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      filter.insert(1);
      filter.sync();
      long written = writes.sum();
      assertTrue(written >= 3, written + " writes: a page, its fences, two manifests");
      assertTrue(filter.mightContain(1));
      assertEquals(1, reads.sum());
    }
  }

  /** Writes down what it is told, and throws each time, if it is to. */
  private static final class Recorder implements CascadeListener {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<Merged> merges = new CopyOnWriteArrayList<>();
    private final List<Long> waits = new CopyOnWriteArrayList<>();
    private final boolean throwing;
    private volatile int stalls;

    Recorder(boolean throwing) {
      this.throwing = throwing;
    }

    private void report(String what) {
      events.add(what);
      if (throwing) {
        throw new StackOverflowError("of the listener");
      }
    }

    @Override
    public void mergeBegan(int rank, long entries) {
      report("began");
    }

    @Override
    public void mergeEnded(Merged merge) {
      merges.add(merge);
      report("ended");
    }

    @Override
    public void insertWaited(long nanos, boolean stalled) {
      waits.add(nanos);
      stalls += stalled ? 1 : 0;
      report("waited");
    }

    @Override
    public void fsynced(Path path, long nanos, boolean failed) {
      report(
          (failed ? "failed " : "fsync ") + path.getFileName().toString().replaceAll("\\d+", ""));
    }

    @Override
    public void lookupFailed(Throwable reason) {
      report("lookup");
    }

    @Override
    public void pageLost(double doubtfulShare, Throwable reason) {
      report(doubtfulShare > 0 && doubtfulShare < 0.1 ? "lost" : "lost " + doubtfulShare);
    }

    int count(String what) {
      return Collections.frequency(events, what);
    }
  }

  private static CascadeOptions options(CascadeListener listener) {
    return CascadeOptions.defaults()
        .memoryBudget(1 << 19)
        .fanOut(2)
        .expectedMaximum(1_000_000)
        .listener(listener);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void itIsToldAndMayThrow(boolean throwing) throws IOException {
    Recorder recorder = new Recorder(throwing);
    long[] keys = TestHashes.distinct(5, 4 * KEYS);
    FaultyAccess access = new FaultyAccess(5);
    try (CascadeFilter filter =
        CascadeFilter.open(directory, options(recorder).fileAccess(access))) {
      filter.insert(keys, 0, keys.length);
      filter.sync();
      filter.awaitMerges();
      CascadeStatistics statistics = filter.statistics();
      while (recorder.count("ended") < recorder.count("began")) {
        Thread.onSpinWait(); // it is told a little later
      }
      assertTrue(recorder.merges.size() > 3, recorder.events.toString());
      assertEquals(
          statistics.get(CascadeCount.ENTRIES_MERGED),
          recorder.merges.stream().mapToLong(CascadeListener.Merged::entriesOut).sum());
      assertEquals(recorder.stalls, statistics.get(CascadeCount.STALLS));
      assertEquals(
          recorder.waits.stream().mapToLong(nanos -> nanos).sum(),
          statistics.get(CascadeCount.STALLED_NANOS) + statistics.get(CascadeCount.PACED_NANOS));
      assertEquals(
          recorder.waits.stream().mapToLong(nanos -> nanos).max().orElse(0),
          statistics.get(CascadeCount.LONGEST_WAIT_NANOS));
      assertEquals(
          statistics.io().writtenBytes(),
          recorder.merges.stream().mapToLong(CascadeListener.Merged::bytesWritten).sum());
      assertEquals(
          statistics.io().readBytes(),
          recorder.merges.stream().mapToLong(CascadeListener.Merged::bytesRead).sum(),
          0.2 * statistics.io().readBytes()); // the ends of chunks are read twice
      assertTrue(recorder.merges.stream().allMatch(m -> m.failure() == null && m.nanos() > 0));
      assertTrue(recorder.count("fsync log-") > 0, recorder.events.toString());
      assertTrue(recorder.count("fsync MANIFEST.new") > 0, recorder.events.toString());
      assertEquals(recorder.merges.size(), recorder.count("fsync level-"));
      access.failingReads = path -> path.getFileName().toString().startsWith("level-");
      int failed = filter.mightContain(keys, 0, 1000).cardinality();
      assertEquals(1000, failed);
      assertEquals(filter.statistics().get(CascadeCount.FAILED_LOOKUPS), recorder.count("lookup"));
      access.failingReads = path -> false;
      assertEquals(1000, filter.mightContain(keys, 0, 1000).cardinality());
    }
  }

  @Test
  void itIsToldOfALostPageAndOfAFailedFsync() throws IOException {
    long[] keys = TestHashes.distinct(6, KEYS);
    CascadeOptions unlogged = options(new Recorder(false)).durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, unlogged)) {
      filter.insert(keys, 0, KEYS / 2);
      filter.sync(); // to flash
    }
    Path level;
    try (Stream<Path> files = Files.list(directory)) {
      level = files.filter(f -> f.toString().contains("level-")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(level);
    bytes[2 * 4096 + 77] ^= 1;
    Files.write(level, bytes);
    Recorder recorder = new Recorder(true);
    FaultyAccess access = new FaultyAccess(6);
    CascadeFilter filter = CascadeFilter.open(directory, options(recorder).fileAccess(access));
    filter.insert(keys, KEYS / 2, KEYS / 2);
    filter.insert(TestHashes.distinct(7, 2 * KEYS), 0, 2 * KEYS);
    filter.awaitMerges();
    assertTrue(filter.statistics().doubtfulShare() > 0);
    assertEquals(1, recorder.count("lost"), recorder.events.toString());
    assertEquals(KEYS, filter.mightContain(keys, 0, KEYS).cardinality());
    access.failingFsyncs = path -> path.getFileName().toString().startsWith("log-");
    filter.insert(1);
    assertThrows(IOException.class, filter::sync);
    assertEquals(1, recorder.count("failed log-"), recorder.events.toString());
    access.failingFsyncs = path -> false;
    assertThrows(IOException.class, filter::close);
  }

  /** The only thread is busy with another merge when the filter is closed. */
  @Test
  void itIsToldOfTheEndOfAMergeOnWhichNoThreadWorks() throws Exception {
    Recorder recorder = new Recorder(false);
    FaultyAccess access = new FaultyAccess(8);
    CountDownLatch mayRead = new CountDownLatch(1);
    AtomicBoolean isHeld = new AtomicBoolean();
    CascadeFilter filter =
        CascadeFilter.open(directory, options(recorder).mergeThreads(1).fileAccess(access));
    access.failingReads =
        path -> {
          boolean flushes = filter.statistics().get(CascadeCount.FROZEN_ENTRIES) > 0;
          if (!flushes && isHeld.compareAndSet(false, true)) {
            try {
              mayRead.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
          return false;
        };
    try {
      long inserted = 0;
      while (!isHeld.get()) {
        filter.insert(TestHashes.splitMix(8, inserted++));
        while (!isHeld.get() && isMerging(filter, 1)) {
          Thread.onSpinWait();
        }
      }
      while (!isMerging(filter, 2)) { // of a level in memory, too
        filter.insert(TestHashes.splitMix(8, inserted++));
      }
      FutureTask<Void> closing =
          new FutureTask<>(
              () -> {
                filter.close();
                return null;
              });
      Thread closer = new Thread(closing);
      closer.start();
      while (closer.getState() != Thread.State.WAITING) { // for the thread that merges
        Thread.onSpinWait();
      }
      mayRead.countDown();
      closing.get();
    } finally {
      mayRead.countDown();
    }
    assertEquals(recorder.count("began"), recorder.count("ended"));
    assertEquals(0, PageFrames.liveFrames());
  }

  private static boolean isMerging(CascadeFilter filter, int merges) {
    return filter.statistics().get(CascadeCount.RUNNING_MERGES) >= merges;
  }

  /** They hold locks of their own filters meanwhile. */
  @Test
  void listenersOfTwoFiltersMayAskForTheOthersStatistics() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    CountDownLatch asked = new CountDownLatch(2);
    List<CascadeFilter> filters = new CopyOnWriteArrayList<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (int i = 0; i < 2; i++) {
      int other = 1 - i;
      AtomicBoolean first = new AtomicBoolean(true);
      CascadeListener listener =
          new CascadeListener() {
            @Override
            public void mergeBegan(int rank, long entries) {
              if (first.getAndSet(false)) {
                try {
                  both.await();
                  filters.get(other).statistics();
                  asked.countDown();
                } catch (InterruptedException | BrokenBarrierException e) {
                  failure.set(e);
                }
              }
            }
          };
      filters.add(CascadeFilter.open(directory.resolve("" + i), options(listener)));
    }
    long[] keys = TestHashes.distinct(9, KEYS);
    List<Thread> threads =
        filters.stream().map(f -> daemon(() -> f.insert(keys, 0, KEYS), failure)).toList();
    assertTrue(asked.await(5, TimeUnit.MINUTES), "they wait for each other");
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(null, failure.get());
    for (CascadeFilter filter : filters) {
      filter.close();
    }
  }

  /** What a thread does. */
  private interface Task {
    void run() throws IOException;
  }

  private static Thread daemon(Task task, AtomicReference<Throwable> failure) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException | RuntimeException | Error e) {
                failure.set(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
