package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.PageFrames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lookups, inserts and changes of how merges run, all at once. */
class CascadeConcurrencyTest {
  private static final int KEYS = 600_000;

  @TempDir private Path directory;

  @Test
  void whatIsInIsFoundWhileMergesRun() throws Exception {
    CascadeOptions options =
        CascadeOptions.defaults()
            .memoryBudget(1 << 19)
            .fanOut(2)
            .mergeThreads(2)
            .deletes(true)
            .expectedMaximum(KEYS);
    AtomicLong inserted = new AtomicLong();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      for (int t = 0; t < 3; t++) {
        Random random = new Random(t);
        boolean batched = t == 2;
        threads.add(
            new Thread(
                () -> {
                  try {
                    while (inserted.get() < KEYS) {
                      if (batched) {
                        lookUpBatch(filter, inserted.get(), random);
                      } else {
                        lookUp(filter, inserted.get(), random);
                      }
                    }
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                }));
      }
      threads.add(
          new Thread(
              () -> {
                try {
                  Random random = new Random(99);
                  while (inserted.get() < KEYS) {
                    filter.setFanOut(2 + random.nextInt(5));
                    filter.setMergeThreads(1 + random.nextInt(3));
                    filter.setMergeBytesPerSecond(
                        random.nextBoolean() ? 0 : 20_000_000 + random.nextInt(20_000_000));
                    iterateSome();
                    assertTrue(filter.statistics().get(CascadeCount.OPERATIONS) <= 2L * KEYS);
                    Thread.sleep(20);
                  }
                } catch (Throwable e) {
                  failure.set(e);
                }
              }));
      threads.forEach(Thread::start);
      long[] batch = new long[1000];
      for (int i = 0; i < KEYS; i += batch.length) {
        for (int j = 0; j < batch.length; j++) {
          batch[j] = TestHashes.splitMix(1, i + j);
        }
        filter.insert(batch, 0, batch.length);
        inserted.set(i + batch.length);
        long passing = TestHashes.splitMix(2, i);
        filter.insert(passing);
        filter.delete(passing);
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(null, failure.get());
      filter.setMergeBytesPerSecond(0);
      filter.awaitMerges();
      assertEquals(0, filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
      assertEquals(null, filter.statistics().lastMergeFailure());
      assertEquals(0, filter.statistics().get(CascadeCount.RUNNING_MERGES));
    }
    assertEquals(0, PageFrames.liveFrames());
  }

  /** An engine interrupts its threads: they find themselves interrupted, and the keys are in. */
  @Test
  void anInterruptedThreadGoesOn() throws Exception {
    int keys = 200_000;
    CascadeOptions options = CascadeOptions.defaults().memoryBudget(1 << 19).expectedMaximum(keys);
    long[] hashes = TestHashes.distinct(3, keys);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread thread =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
                filter.insert(hashes, 0, keys);
                filter.sync();
                filter.awaitMerges();
                for (int i = 0; i < keys; i += 100) {
                  assertTrue(filter.mightContain(hashes[i]));
                }
                assertEquals(keys / 5, filter.mightContain(hashes, 0, keys / 5).cardinality());
                assertEquals(0, filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
                assertTrue(Thread.currentThread().isInterrupted());
              } catch (Throwable e) {
                failure.set(e);
              }
            });
    thread.start();
    thread.join();
    assertEquals(null, failure.get());
  }

  private static void lookUp(CascadeFilter filter, long inserted, Random random) {
    for (int i = 0; i < 100 && inserted > 0; i++) {
      long key = random.nextLong(inserted);
      assertTrue(filter.mightContain(TestHashes.splitMix(1, key)), () -> "key " + key);
    }
  }

  private static void lookUpBatch(CascadeFilter filter, long inserted, Random random) {
    long[] keys = new long[500];
    for (int i = 0; i < keys.length && inserted > 0; i++) {
      keys[i] = TestHashes.splitMix(1, random.nextLong(inserted));
    }
    if (inserted > 0) {
      assertEquals(keys.length, filter.mightContain(keys, 0, keys.length).cardinality());
    }
  }

  private void iterateSome() throws Exception {
    try (CascadeReader reader = CascadeReader.open(directory);
        Fingerprints fingerprints = Fingerprints.of(reader)) {
      long last = -1;
      for (int i = 0; i < 5000 && fingerprints.next(); i++) {
        assertTrue(fingerprints.fingerprint() >= last);
        last = fingerprints.fingerprint();
      }
    }
  }
}
