package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Threads whose operations are all synced share the syncs, and each learns what became of its own.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupCommitTest {
  private static final int THREADS = 16;

  @TempDir private Path directory;

  private interface Work {
    void run(int thread) throws Exception;
  }

  private static void inThreads(Work work) throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int number = t;
      threads.add(
          new Thread(
              () -> {
                try {
                  work.run(number);
                } catch (Throwable e) {
                  failure.set(e);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(null, failure.get());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private CascadeOptions options(FaultyAccess access) {
    return CascadeOptions.defaults()
        .memoryBudget(1 << 19)
        .expectedMaximum(1_000_000)
        .durability(Durability.everyN(1))
        .fileAccess(access);
  }

  private static long key(int thread, int i) {
    return TestHashes.splitMix(thread, i);
  }

  @Test
  void threadsShareCommits() throws Exception {
    int each = 100;
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger running = new AtomicInteger(THREADS);
    AtomicInteger committed = new AtomicInteger();
    AtomicInteger commits = new AtomicInteger();
    GroupCommit group =
        new GroupCommit(
            (slots, in) -> {
              while (begun.get() - committed.get() < running.get()) {
                Thread.yield(); // so slow is the drive that each thread has its next operation
              }
              commits.incrementAndGet();
              committed.addAndGet(slots.length);
              in[0] = slots.length;
            });
    inThreads(
        thread -> {
          for (int i = 0; i < each; i++) {
            begun.incrementAndGet();
            group.commit(key(thread, i));
          }
          running.decrementAndGet();
        });
    assertEquals(THREADS * each, committed.get());
    assertTrue(4 * commits.get() < THREADS * each, commits + " commits");
  }

  @Test
  void commitOfSeveralThreadsHasOneSync() throws Exception {
    int each = 100;
    AtomicInteger syncs = new AtomicInteger();
    FaultyAccess access = new FaultyAccess(1);
    access.failingFsyncs =
        path -> {
          if (path.getFileName().toString().startsWith("log-")) {
            syncs.incrementAndGet();
            Pacing.await(1_000_000); // as long as a drive takes; it has time for others
          }
          return false;
        };
    try (CascadeFilter filter = CascadeFilter.open(directory, options(access))) {
      inThreads(
          thread -> {
            for (int i = 0; i < each; i++) {
              filter.insert(key(thread, i));
              assertTrue(filter.mightContain(key(thread, i)));
            }
          });
      assertTrue(syncs.get() < THREADS * each, syncs + " syncs");
      assertEquals(THREADS * each, filter.statistics().get(CascadeCount.OPERATIONS));
    }
  }

  /**
   * Of a group that fails in its middle the first ones are in, and the others' threads are told.
   */
  @Test
  void eachLearnsWhatBecameOfItsOwn() throws Exception {
    CountDownLatch allWait = new CountDownLatch(1);
    List<long[]> groups = new ArrayList<>();
    GroupCommit commits =
        new GroupCommit(
            (slots, in) -> {
              if (groups.isEmpty()) {
                await(allWait);
              }
              groups.add(slots);
              in[0] = (slots.length + 1) / 2;
              if (slots.length > 1) {
                throw new IOException("the drive is away");
              }
            });
    AtomicInteger failed = new AtomicInteger();
    List<Thread> committers = new CopyOnWriteArrayList<>();
    inThreads(
        thread -> {
          if (thread == THREADS - 1) {
            while (committers.size() < THREADS - 1
                || committers.stream().anyMatch(t -> t.getState() != Thread.State.WAITING)) {
              Thread.sleep(1);
            }
            allWait.countDown();
            return;
          }
          committers.add(Thread.currentThread());
          try {
            commits.commit(thread);
          } catch (IOException e) {
            assertEquals("the drive is away", e.getMessage());
            failed.incrementAndGet();
          }
        });
    int expected = 0;
    for (long[] group : groups) {
      expected += group.length > 1 ? group.length / 2 : 0;
    }
    assertEquals(expected, failed.get());
    assertTrue(expected > 0, "a group of several");
    assertThrows(
        IllegalStateException.class,
        () ->
            new GroupCommit(
                    (slots, in) -> {
                      throw new IllegalStateException("closed");
                    })
                .commit(1));
  }

  /** Lets the first wait of a kind fail for want of memory. */
  private static void failFirst(GroupCommit commits, String condition, String method)
      throws ReflectiveOperationException {
    Field field = GroupCommit.class.getDeclaredField(condition);
    field.setAccessible(true);
    Condition real = (Condition) field.get(commits);
    AtomicInteger calls = new AtomicInteger();
    field.set(
        commits,
        Proxy.newProxyInstance(
            Condition.class.getClassLoader(),
            new Class<?>[] {Condition.class},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method) && calls.getAndIncrement() == 0) {
                throw new OutOfMemoryError("injected");
              }
              return called.invoke(real, arguments);
            }));
  }

  private static FutureTask<Void> begin(GroupCommit commits, long slot)
      throws InterruptedException {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              commits.commit(slot);
              return null;
            });
    Thread thread = new Thread(task);
    thread.start();
    while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    return task;
  }

  /** Its operation is taken and will be committed: if it threw, the caller would try it again. */
  @Test
  void whoHasNoMemoryToWaitLearnsWhatBecameOfItsOwn() throws Exception {
    CountDownLatch mayGo = new CountDownLatch(1);
    List<Long> committed = new ArrayList<>();
    GroupCommit commits =
        new GroupCommit(
            (slots, in) -> {
              await(mayGo);
              LongStream.of(slots).forEach(committed::add);
            });
    failFirst(commits, "committed", "awaitUninterruptibly");
    FutureTask<Void> first = begin(commits, 1);
    FutureTask<Void> second = begin(commits, 2);
    mayGo.countDown();
    first.get();
    second.get();
    commits.commit(3);
    assertEquals(List.of(1L, 2L, 3L), committed);
  }

  /** If it gave up, nobody would commit any more, and all that come later would wait for ever. */
  @Test
  void whoHasNoMemoryToWaitForOthersCommitsWithoutThem() throws Exception {
    CountDownLatch mayGo = new CountDownLatch(1);
    List<Integer> groups = new ArrayList<>();
    GroupCommit commits =
        new GroupCommit(
            (slots, in) -> {
              await(mayGo);
              groups.add(slots.length);
              Pacing.await(10_000_000); // so that the next one waits for as many
            });
    FutureTask<Void> first = begin(commits, 1);
    FutureTask<Void> second = begin(commits, 2);
    FutureTask<Void> third = begin(commits, 3);
    failFirst(commits, "arrived", "awaitNanos");
    mayGo.countDown();
    first.get();
    second.get();
    third.get();
    begin(commits, 4).get();
    begin(commits, 5).get();
    assertEquals(List.of(1, 2, 1, 1), groups);
  }
}
