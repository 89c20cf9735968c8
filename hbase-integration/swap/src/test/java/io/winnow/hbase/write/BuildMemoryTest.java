package io.winnow.hbase.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.base.ScratchPool;
import io.winnow.ribbon.BumpedRibbonSizing;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The account of memory: nothing beyond the limit, one build always, and all given back. */
class BuildMemoryTest {
  private static final long LIMIT = 10_000;

  private final BuildMemory memory = new BuildMemory();

  private long bytes() {
    ScratchPool.dropIdle(); // of other tests: not of this account
    return memory.bytes();
  }

  @Test
  void roomIsKeptForTheLargestBuild() {
    BuildMemory.Reservation first = memory.reserve(LIMIT, 1000, 4000);
    assertNotNull(first);
    assertNotNull(memory.reserve(LIMIT, 5000, 100));
    assertEquals(6000, bytes());
    assertNull(memory.reserve(LIMIT, 1, 100), "its build would fit, the first one's not any more");
    first.close();
    assertNotNull(memory.reserve(LIMIT, 4900, 100));
    assertNull(memory.reserve(LIMIT, 1, 100));
    assertEquals(9900, bytes());
  }

  /** The metric does not count what past builds left for later ones; the limit does. */
  @Test
  void scratchOfPastBuildsIsNotUnderConstruction() {
    BuildMemory.Reservation file = memory.reserve(1L << 40, 1000, 4000);
    FilterBuilder builder = FilterBuilder.of(BumpedRibbonSizing.forRate(0.01));
    for (long key = 0; key < 50_000; key++) {
      builder.add(key * 0x9E3779B97F4A7C15L);
    }
    builder.finish();
    assertTrue(memory.bytes() > 1000, "scratch is kept");
    assertEquals(1000, memory.underConstruction());
    file.close();
    assertEquals(0, memory.underConstruction());
  }

  @Test
  void reservationsGrowAndShrinkAndAreGivenBackOnce() {
    BuildMemory.Reservation a = memory.reserve(LIMIT, 1000, 1000);
    BuildMemory.Reservation b = memory.reserve(LIMIT, 1000, 1000);
    a.growTo(8000, 500);
    assertEquals(9000, bytes());
    assertFalse(b.resize(1001, 1000));
    assertThrows(BuildMemory.FullException.class, () -> b.growTo(1001, 0));
    assertThrows(BuildMemory.FullException.class, () -> b.growTo(1000, 1001));
    assertEquals(9000, bytes());
    assertTrue(a.resize(500, 0));
    b.growTo(8500, 1000);
    a.close();
    a.close();
    assertEquals(8500, bytes());
    assertTrue(a.resize(5000, 0), "of a file that is done with: no account, no failure");
    assertEquals(8500, bytes());
    b.run();
    assertEquals(0, bytes());
    assertNotNull(memory.reserve(LIMIT, LIMIT, 0));
  }

  @Test
  void buildsThatDoNotFitTogetherWait() throws Exception {
    AtomicInteger building = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicLong mostBytes = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      BuildMemory.Reservation file = memory.reserve(LIMIT, 100, 4000);
      Thread thread =
          new Thread(
              () -> {
                for (int round = 0; round < 20; round++) {
                  build(
                      file,
                      4000,
                      () -> {
                        most.accumulateAndGet(building.incrementAndGet(), Math::max);
                        mostBytes.accumulateAndGet(bytes(), Math::max);
                        LockSupport.parkNanos(2_000_000); // others come meanwhile
                        building.decrementAndGet();
                        return null;
                      });
                }
                file.close();
              });
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertTrue(most.get() <= 2, most + " at once");
    assertTrue(mostBytes.get() <= LIMIT, mostBytes + " bytes");
    assertEquals(0, bytes());
  }

  /** And one that waits for a build goes on when it ends, interrupted or not. */
  @Test
  void waitingKeepsTheInterrupt() throws Exception {
    BuildMemory.Reservation first = memory.reserve(LIMIT, 100, 6000);
    BuildMemory.Reservation second = memory.reserve(LIMIT, 100, 6000);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Thread builder =
        new Thread(
            () ->
                build(
                    first,
                    6000,
                    () -> {
                      inside.countDown();
                      return awaited(end);
                    }));
    builder.start();
    assertTrue(inside.await(10, TimeUnit.MINUTES));
    AtomicInteger state = new AtomicInteger();
    Thread waiter =
        new Thread(
            () -> {
              build(second, 6000, () -> state.compareAndSet(0, 1));
              state.addAndGet(Thread.currentThread().isInterrupted() ? 10 : 0);
            });
    waiter.start();
    waiter.interrupt();
    while (waiter.getState() != Thread.State.TIMED_WAITING && state.get() == 0) {
      Thread.sleep(1);
    }
    assertEquals(0, state.get(), "it waits");
    end.countDown();
    waiter.join();
    builder.join();
    assertEquals(11, state.get());
    assertEquals(200, bytes());
  }

  private static Object awaited(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void buildThatThrowsGivesItsScratchBack() {
    BuildMemory.Reservation file = memory.reserve(LIMIT, 100, 6000);
    assertThrows(
        OutOfMemoryError.class,
        () ->
            build(
                file,
                6000,
                () -> {
                  assertEquals(6100, bytes());
                  throw new OutOfMemoryError("a fault");
                }));
    assertEquals(100, bytes());
  }

  /** Whoever closes a file's part does not ask whether it builds. */
  @Test
  void closingDuringABuildGivesEachByteBackOnce() {
    BuildMemory.Reservation other = memory.reserve(LIMIT, 1000, 3000);
    BuildMemory.Reservation file = memory.reserve(LIMIT, 100, 4000);
    build(
        file,
        4000,
        () -> {
          file.close();
          file.close();
          return assertEqualBytes(1000);
        });
    assertEqualBytes(1000);
    build(file, 2000, () -> assertEqualBytes(3000)); // the account is right for one that goes on
    assertEqualBytes(1000);
    other.close();
    assertEqualBytes(0);
  }

  private Object assertEqualBytes(long expected) {
    assertEquals(expected, bytes());
    return null;
  }

  /** It has nothing any more, and must not get what it waits for. */
  @Test
  void closingWhileItWaitsForRoomIsForGood() throws Exception {
    BuildMemory.Reservation builder = memory.reserve(LIMIT, 100, 3000);
    BuildMemory.Reservation waiting = memory.reserve(LIMIT, 100, 3000);
    Thread[] waiter = new Thread[1];
    build(
        builder,
        6000,
        () -> {
          waiter[0] = new Thread(() -> waiting.growTo(5000, 2000));
          waiter[0].start();
          while (waiter[0].getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
          }
          waiting.close();
          return null;
        });
    waiter[0].join();
    assertEquals(100, bytes());
    BuildMemory.Reservation next = memory.reserve(LIMIT, 6900, 2000);
    assertNotNull(next, "the builder's 100 and its 3000 remain, and no build of the closed one");
    assertNull(memory.reserve(LIMIT, 1, 2000));
    builder.close();
    assertEquals(6900, bytes());
    assertNotNull(memory.reserve(LIMIT, 1100, 2000));
    next.close();
  }

  /** With a limit that is too small for anything, one build at a time still runs. */
  @Test
  void oneBuildAloneAlwaysRuns() {
    BuildMemory.Reservation file = memory.reserve(LIMIT, 100, 0);
    assertEquals("built", build(file, 1_000_000, () -> "built"));
  }

  /** Small builds that would fit do not go on for ever before a large one. */
  @Test
  void buildsGoOnInTheOrderInWhichTheyCame() throws Exception {
    BuildMemory.Reservation first = memory.reserve(LIMIT, 100, 2000);
    BuildMemory.Reservation large = memory.reserve(LIMIT, 100, 9000);
    BuildMemory.Reservation small = memory.reserve(LIMIT, 100, 2000);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads =
        List.of(
            new Thread(
                () ->
                    build(
                        first,
                        2000,
                        () -> {
                          inside.countDown();
                          return awaited(end);
                        })),
            new Thread(() -> build(large, 9000, () -> order.add("large"))),
            new Thread(() -> build(small, 2000, () -> order.add("small"))));
    threads.get(0).start();
    assertTrue(inside.await(10, TimeUnit.MINUTES));
    for (Thread thread : threads.subList(1, 3)) {
      thread.start();
      while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
        Thread.sleep(1);
      }
    }
    assertEquals(List.of(), order, "the small one would fit, and waits for the large one");
    end.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of("large", "small"), order);
    assertEquals(300, bytes());
  }

  /** It gets the stock filter, which is no failure. */
  @Test
  void fileThatFindsNoRoomForABuildThatGoesOnIsNotBegun() {
    BuildMemory.Reservation first = memory.reserve(LIMIT, 100, 9000);
    build(
        first,
        9000,
        () -> {
          assertNull(memory.reserve(LIMIT, 950, 100));
          return null;
        });
    assertNotNull(memory.reserve(LIMIT, 850, 100));
  }

  @Test
  void reservationThatIsClosedInItsBuildIsGivenBackOnce() {
    BuildMemory.Reservation file = memory.reserve(LIMIT, 100, 6000);
    build(
        file,
        6000,
        () -> {
          file.close();
          return null;
        });
    assertEquals(0, bytes());
  }

  /** As a file's filter builds a chunk. */
  private static <T> T build(BuildMemory.Reservation file, long scratch, Supplier<T> build) {
    file.begin(scratch);
    try {
      return build.get();
    } finally {
      file.end();
    }
  }
}
