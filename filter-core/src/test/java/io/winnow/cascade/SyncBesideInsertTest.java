package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sync of another thread writes what is in the log, and must not find what comes to nothing. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SyncBesideInsertTest extends FaultyCascade {
  private static final int BATCH = 256;

  /** A sync in a thread of its own, which is in the newest log's fsync, or waits for it. */
  private static FutureTask<Void> beginSync(CascadeFilter filter) throws InterruptedException {
    FutureTask<Void> sync =
        new FutureTask<>(
            () -> {
              filter.sync();
              return null;
            });
    Thread thread = new Thread(sync);
    thread.start();
    while (thread.isAlive() && !waitsForTheNewestLog(thread)) {
      Thread.sleep(1);
    }
    return sync;
  }

  private static boolean waitsForTheNewestLog(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(
                frame ->
                    frame.getClassName().equals(RecordLog.class.getName())
                        && frame.getMethodName().equals("force"));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * A delete is to be synced, and what has to be safe before it fails. Meanwhile another thread's
   * sync writes the log. If the delete were there, nobody could take it back any more: with the
   * second attempt a crash would find two deletes, and a key that was inserted twice would be lost.
   */
  @ParameterizedTest
  @ValueSource(ints = {4, 20}) // with shared syncs and without
  void anInsertThatFailsLeavesNothingForASyncToWrite(int every) throws Exception {
    Path path = directory.resolve("cascade");
    Path secondLog = RecordLog.path(path, 2);
    CascadeOptions options = options().deletes(true).durability(Durability.everyN(every));
    CountDownLatch levelMayBeSafe = new CountDownLatch(1);
    CountDownLatch firstMayGo = new CountDownLatch(1);
    CountDownLatch secondHasWritten = new CountDownLatch(1);
    AtomicInteger logSyncs = new AtomicInteger();
    Thread inserting = Thread.currentThread();
    try (CascadeFilter filter = CascadeFilter.open(path, options)) {
      Predicate<Path> levelWaits =
          file -> {
            if (file.getFileName().toString().startsWith("level-")) {
              await(levelMayBeSafe);
            }
            return false;
          };
      faults.failingFsyncs = levelWaits;
      insert(filter, 1, 2);
      long next = 1; // until the last one was synced
      while (filter.statistics().get(CascadeCount.FROZEN_ENTRIES) == 0
          || filter.statistics().get(CascadeCount.OPERATIONS) % every != 0) {
        insert(filter, next, ++next);
      }
      faults.replaced = false;
      faults.failingFsyncs =
          file -> {
            if (file.equals(secondLog)) {
              if (logSyncs.incrementAndGet() == 1) {
                await(firstMayGo);
              } else {
                secondHasWritten.countDown();
              }
            } else if (file.equals(path) && Thread.currentThread() == inserting) {
              firstMayGo.countDown();
              await(secondHasWritten);
              return true;
            }
            boolean merging = Thread.currentThread().getName().contains("-merge");
            return levelWaits.test(file) || file.equals(path) && faults.replaced && merging;
          };
      insert(filter, next, next + every - 2);
      FutureTask<Void> first = beginSync(filter); // in its fsync
      insert(filter, next + every - 2, next + every - 1);
      FutureTask<Void> second = beginSync(filter); // behind it, for what came since
      levelMayBeSafe.countDown();
      filter.awaitMerges(); // the manifest is switched, and that is not safe
      assertThrows(IOException.class, () -> filter.delete(key(1)));
      first.get();
      second.get();
      faults.failingFsyncs = file -> false;
      filter.delete(key(1));
      assertPresent(filter, 1, next + every - 1);
      try (CascadeFilter afterACrash = CascadeFilter.open(copy(path), options)) {
        assertPresent(afterACrash, 1, next + every - 1);
        assertTrue(afterACrash.mightContain(key(1)));
      }
    }
  }

  /** Else those that fail together could not be taken back together: they are in two blocks. */
  @Test
  void aSyncHasAllOfABatchOrNone() throws Exception {
    RecordLog log = RecordLog.create(faults, directory, SEED, 1, 1, 1 << 16);
    FutureTask<Void> appending =
        new FutureTask<>(
            () -> {
              long[] slots = new long[3 * BATCH];
              for (int i = 0; i < 1000; i++) {
                log.append(slots, i % BATCH, BATCH);
              }
              return null;
            });
    new Thread(appending).start();
    while (!appending.isDone()) {
      log.write();
    }
    appending.get();
    log.write();
    log.close();
    ByteBuffer file =
        ByteBuffer.wrap(Files.readAllBytes(RecordLog.path(directory, 1)))
            .order(ByteOrder.LITTLE_ENDIAN);
    List<Integer> parts = new ArrayList<>();
    int operations = 0;
    for (int at = 0; at < file.limit(); ) {
      int inBlock = file.getInt(at + 4) / Long.BYTES;
      if (inBlock % BATCH != 0) {
        parts.add(inBlock);
      }
      operations += inBlock;
      at += RecordLog.HEADER_BYTES + inBlock * Long.BYTES;
    }
    assertEquals(List.of(), parts);
    assertEquals(1000 * BATCH, operations);
    assertTrue(file.limit() > 0);
  }
}
