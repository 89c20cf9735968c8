package io.winnow.flash.buffered;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.KeyHash;
import io.winnow.flash.drive.PageFrames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BufferedBloomFilterTest {
  @TempDir(factory = TempDirFactory.Standard.class)
  private Path directory;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  @Test
  void keysOfBytes() throws Exception {
    BufferedBloomOptions options = BufferedBlooms.small();
    BitSet answers = new BitSet();
    byte[] key = "a key".getBytes(StandardCharsets.UTF_8);
    byte[] other = "another key".getBytes(StandardCharsets.UTF_8);
    BufferedBloomFilter.open(directory, options).close();
    try (BufferedBloomFilter filter =
        BufferedBloomFilter.open(directory, BufferedBlooms.small().onAnswer(answers::set))) {
      assertEquals(KeyHash.XXH3, filter.keyHash()); // as it was made
      filter.insert(key);
      assertTrue(filter.mightContain(key));
      assertTrue(filter.mightContain(KeyHash.XXH3.hash(key)));
      assertFalse(filter.mightContain(other));
      filter.probe(key, 7);
      filter.probe(other, 8);
      CompletableFuture<Boolean> later = filter.probe(key);
      CompletableFuture<Boolean> otherLater = filter.probe(other);
      filter.drain();
      assertEquals(BitSet.valueOf(new long[] {1 << 7}), answers);
      assertTrue(later.getNow(false));
      assertFalse(otherLater.getNow(true));
    }
    Path hashes = directory.resolve("hashes"); // as 0.1.0 made it without a hash function
    options.keyHash = null;
    BufferedBloomFilter.open(hashes, options).close();
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(hashes, BufferedBlooms.small())) {
      assertNull(filter.keyHash());
      assertThrows(IllegalStateException.class, () -> filter.insert(key));
      assertThrows(IllegalStateException.class, () -> filter.mightContain(key));
      assertThrows(IllegalStateException.class, () -> filter.probe(key));
      assertThrows(IllegalStateException.class, () -> filter.probe(1, 1)); // nobody to tell
    }
  }

  /** More keys than are brought into order at a time, before and after the head has to change. */
  @Test
  void largeBatches() throws IOException {
    int keys = 30_000;
    long[] hashes = distinct(1, keys);
    BitSet present = new BitSet();
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults().keys(keys).memoryBudget(1 << 18).onAnswer(present::set);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      filter.insert(hashes, 0, keys / 2);
      filter.sync();
      filter.insert(hashes, keys / 2, keys / 2);
      assertEquals(keys, filter.statistics().get(BufferedBloomCount.KEYS));
      filter.probe(hashes, 10, keys - 10, 1010);
      filter.drain();
      assertEquals(1010, present.nextSetBit(0));
      assertEquals(1000 + keys, present.nextClearBit(1010));
      assertEquals(1000 + keys, present.length());
      assertThrows(IndexOutOfBoundsException.class, () -> filter.insert(hashes, 1, keys));
      assertThrows(IndexOutOfBoundsException.class, () -> filter.probe(hashes, -1, 1, 0));
    }
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      for (int i = 0; i < keys; i += 11) {
        assertTrue(filter.mightContain(hashes[i]));
      }
    }
  }

  // ---- Many threads ----

  @Test
  void manyThreads() throws Exception {
    int threads = 4;
    int each = 20_000;
    AtomicInteger delivered = new AtomicInteger();
    BitSet lost = new BitSet();
    BufferedBloomOptions options =
        BufferedBlooms.small()
            .maxWait(Duration.ofMillis(5))
            .onAnswer(
                (tag, mightContain) -> {
                  delivered.incrementAndGet();
                  if (tag >= 0 && !mightContain) {
                    lost.set(tag); // by one thread at a time
                  }
                });
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      Thread[] all = new Thread[threads + 1];
      AtomicInteger running = new AtomicInteger(threads);
      for (int t = 0; t < threads; t++) {
        int thread = t;
        all[t] =
            new Thread(
                () -> {
                  try {
                    for (int i = 0; i < each; i++) {
                      int key = thread * each + i;
                      filter.insert(splitMix(1, key));
                      filter.probe(splitMix(1, key), key);
                      filter.probe(splitMix(2, key), -1);
                      if (i % 16 == 0 && !filter.mightContain(splitMix(1, thread * each + i / 2))) {
                        throw new AssertionError("lost");
                      }
                    }
                  } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                  } finally {
                    running.decrementAndGet();
                  }
                });
      }
      all[threads] =
          new Thread(
              () -> {
                try {
                  for (long mark = 1; running.get() > 0; mark++) {
                    filter.sync(mark);
                    filter.statistics();
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      for (Thread thread : all) {
        thread.start();
      }
      for (Thread thread : all) {
        thread.join();
      }
      assertNull(failure.get(), () -> failure.get().toString());
    }
    assertEquals(2 * threads * each, delivered.get());
    assertEquals(0, lost.cardinality());
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      assertTrue(filter.isWhole());
      assertEquals(threads * each, filter.statistics().get(BufferedBloomCount.KEYS));
      for (int key = 0; key < threads * each; key += 17) {
        assertTrue(filter.mightContain(splitMix(1, key)));
      }
    }
  }

  // ---- Misuse ----

  @Test
  void onlyOneAtATimeHasADirectory() throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, BufferedBlooms.small())) {
      IOException e =
          assertThrows(
              IOException.class, () -> BufferedBloomFilter.open(directory, BufferedBlooms.small()));
      assertTrue(e.getMessage().contains("is open in this process"), e.getMessage());
      filter.insert(1);
    }
    try (BufferedBloomFilter again = BufferedBloomFilter.open(directory)) {
      assertTrue(again.mightContain(1));
      assertEquals(BufferedBlooms.small().sizing(), again.sizing());
    }
  }

  /** Options for an existing filter need not say how large a new one would be. */
  @Test
  void optionsWithoutASizeCreateNoFilter() throws IOException {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> BufferedBloomFilter.open(directory, BufferedBloomOptions.defaults()));
    assertTrue(refused.getMessage().contains("set the number of keys"), refused.getMessage());
    assertFalse(Files.exists(directory.resolve("filter")));
    BufferedBloomFilter.open(directory, BufferedBlooms.small()).close();
    BufferedBloomFilter.open(directory, BufferedBloomOptions.defaults()).close();
  }

  /** A crash while it is made leaves a file that never counts. */
  @Test
  void whatACrashedCreateLeftIsReplaced() throws IOException {
    Files.write(directory.resolve("filter.new"), new byte[12345]);
    BufferedBloomFilter.open(directory, BufferedBlooms.small()).close();
    assertFalse(Files.exists(directory.resolve("filter.new")));
  }

  @Test
  void tooLittleMemoryIsRefused() throws IOException {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                BufferedBloomFilter.open(
                    directory, BufferedBlooms.small().memoryBudget(2 * 4 * 4096 + 400)));
    assertTrue(e.getMessage().contains("33168 bytes of memory"), e.getMessage());
    assertTrue(e.getMessage().contains("4 blocks"), e.getMessage());
    BufferedBloomFilter.open(directory, BufferedBlooms.small()).close();
    assertThrows(
        IllegalArgumentException.class,
        () -> BufferedBloomFilter.open(directory, BufferedBlooms.small().memoryBudget(1000)));
    BufferedBloomFilter.open(directory, BufferedBlooms.small().memoryBudget(1 << 20)).close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterItIsClosedItIsRefused(boolean used) throws IOException {
    BufferedBloomFilter filter =
        BufferedBloomFilter.open(
            directory, BufferedBlooms.small().onAnswer((tag, mightContain) -> {}));
    if (used) {
      filter.insert(1);
      filter.mightContain(1);
      filter.probe(1, 1);
    }
    filter.close();
    assertThrows(IllegalStateException.class, () -> filter.insert(1));
    assertThrows(IllegalStateException.class, () -> filter.mightContain(1));
    assertThrows(IllegalStateException.class, () -> filter.probe(1, 1));
    assertThrows(IllegalStateException.class, () -> filter.probe(1));
    assertThrows(IllegalStateException.class, filter::drain);
    assertThrows(IllegalStateException.class, filter::sync);
    assertThrows(IllegalStateException.class, filter::declareWhole);
  }
}
