package io.winnow.flash.buffered;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.store.FlashStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When deferred probes are answered, and how a listener is told. */
class BufferedBloomProbesTest {
  @TempDir private Path directory;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  /** Nobody else calls the filter. Keys wait on meanwhile: no time-out writes them. */
  @Test
  void probesAreAnsweredWhenTheyHaveWaitedForLongEnough() throws Exception {
    CountDownLatch delivered = new CountDownLatch(100);
    BufferedBloomOptions options =
        BufferedBlooms.small()
            .maxWait(Duration.ofMillis(20))
            .onAnswer(
                (tag, mightContain) -> {
                  if (mightContain == (tag < 50)) {
                    delivered.countDown();
                  }
                });
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      for (int round = 0; round < 3; round++) { // the timer sleeps in between
        filter.insert(splitMix(1, round));
        assertTrue(filter.probe(splitMix(1, round)).get(10, TimeUnit.MINUTES));
        assertFalse(filter.probe(splitMix(2, round)).get(10, TimeUnit.MINUTES));
      }
      for (int i = 0; i < 50; i++) {
        filter.insert(splitMix(3, i));
        filter.probe(splitMix(3, i), i);
        filter.probe(splitMix(4, i), 50 + i);
      }
      assertTrue(delivered.await(10, TimeUnit.MINUTES), "left: " + delivered.getCount());
      FlashStatistics<BufferedBloomCount> statistics = filter.statistics();
      assertEquals(0, statistics.get(BufferedBloomCount.WAITING_PROBES));
      assertEquals(53, statistics.get(BufferedBloomCount.WAITING_KEYS));
      assertEquals(0, statistics.io().writes());
      assertEquals(0, statistics.get(BufferedBloomCount.SWEEPS));
      assertTrue(statistics.get(BufferedBloomCount.TIMEOUTS) >= 4, statistics.toString());
      assertTrue(statistics.get(BufferedBloomCount.LONGEST_WAIT_NANOS) > 0);
    }
  }

  /** There is one block, so that the timer does not sweep it before the inserts do. */
  @ParameterizedTest
  @ValueSource(ints = {1, 100})
  void anInsertThatMakesRoomDeliversTheAnswersThatItFound(int batch) throws IOException {
    AtomicInteger delivered = new AtomicInteger();
    BufferedBloomOptions options =
        BufferedBlooms.small()
            .pages(4)
            .onAnswer((tag, mightContain) -> delivered.incrementAndGet());
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      for (int tag = 0; tag < 10; tag++) {
        filter.probe(splitMix(2, tag), tag);
      }
      long next = 0;
      while (filter.statistics().get(BufferedBloomCount.SWEEPS) == 0) {
        long first = next;
        filter.insert(
            LongStream.range(0, batch).map(i -> splitMix(1, first + i)).toArray(), 0, batch);
        next += batch;
      }
      assertEquals(10, delivered.get());
    }
  }

  /** Four sweeps of 10 ns: the last one must be done when the fourth block is due. */
  @Test
  void theTimerBeginsEarlyWhenManyBlocksAreDueAtOnce() {
    assertEquals(1, nextSweep(10, 31, 31, 31, 31));
    assertEquals(-1, nextSweep(10, 30, 30, 30, 30));
    assertEquals(-1, nextSweep(10, 30, 30, 30, 10));
    assertEquals(-2, nextSweep(10, 10, 10, 10, 30));
    assertEquals(-1, nextSweep(10, 0, 31, 31, 31));
    assertEquals(-4, nextSweep(10, 0, 0, 0, 0));
    assertEquals(5, nextSweep(10, 5, 15, 25, 35));
    assertEquals(-1, nextSweep(10, 5, 5, 25, 35));
  }

  @Test
  void sweepsBeginAtOnceWhereAllBlocksWaitAndNoneWasSweptYet() {
    for (int groups : new int[] {1, 2, 7, 256, 4099}) {
      long maxWait = 750_000_000;
      long[] left = new long[groups];
      Arrays.fill(left, maxWait);
      long guess = ProbeTimer.firstGuess(groups, maxWait);
      assertEquals(groups > 1, nextSweep(guess, left) < 0, groups + " blocks");
    }
  }

  private static long nextSweep(long sweepNanos, long... left) {
    long[] waiting =
        LongStream.of(left).map(l -> l << ProbeTimer.GROUP_BITS | 77).sorted().toArray();
    return ProbeTimer.nextSweep(waiting, left.length, sweepNanos);
  }

  // ---- Listeners ----

  /** The pattern of de-duplication: who is told "absent" inserts. */
  @Test
  void aListenerMayInsertAndProbe() throws IOException {
    AtomicReference<BufferedBloomFilter> filter = new AtomicReference<>();
    BitSet delivered = new BitSet();
    int[] inserted = new int[1];
    ProbeListener listener =
        (tag, mightContain) -> {
          assertFalse(delivered.get(tag), "delivered twice");
          delivered.set(tag);
          try {
            if (!mightContain) {
              filter.get().insert(splitMix(1, tag / 2));
              inserted[0]++;
            }
            if (tag < 5000) {
              filter.get().probe(splitMix(1, tag / 2), tag + 10_000);
            }
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        };
    try (BufferedBloomFilter opened =
        BufferedBloomFilter.open(directory, BufferedBlooms.small().onAnswer(listener))) {
      filter.set(opened);
      for (int tag = 0; tag < 10_000; tag++) {
        opened.probe(splitMix(1, tag / 2), tag);
      }
      while (delivered.cardinality() < 15_000) {
        opened.drain();
      }
      for (int i = 0; i < 5000; i++) {
        assertTrue(opened.mightContain(splitMix(1, i)));
      }
      assertTrue(inserted[0] >= 4000, "inserted: " + inserted[0]);
    }
  }

  /** What a listener throws comes out of the call that told it; all others are told, too. */
  @Test
  void aListenerThatThrowsTakesNoAnswerFromOthers() throws IOException {
    BitSet delivered = new BitSet();
    ProbeListener listener =
        (tag, mightContain) -> {
          delivered.set(tag);
          if (tag % 10 == 3) {
            throw new IllegalArgumentException("tag " + tag);
          }
        };
    // 256 blocks: with a few, the timer thinks at first that it must sweep, and tells in its thread
    BufferedBloomOptions options =
        BufferedBlooms.small().pages(1024).memoryBudget(2 * 4 * 4096 + 4 * 64_000);
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options.onAnswer(listener));
    filter.insert(1);
    for (int tag = 0; tag < 50; tag++) {
      filter.probe(splitMix(1, tag), tag);
    }
    CompletableFuture<Boolean> future = filter.probe(1);
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> filter.drain());
    assertTrue(thrown.getMessage().endsWith("3"), thrown.getMessage());
    assertEquals(50, delivered.cardinality());
    assertTrue(future.getNow(false));
    filter.probe(7, 3);
    assertThrows(IllegalArgumentException.class, filter::close);
    try (BufferedBloomFilter again = BufferedBloomFilter.open(directory, options)) {
      assertTrue(again.isWhole()); // the close was a close all the same
      assertTrue(again.mightContain(1));
    }
  }
}
