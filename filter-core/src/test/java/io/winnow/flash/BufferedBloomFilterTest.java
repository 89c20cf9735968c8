package io.winnow.flash;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.Allocation;
import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BufferedBloomFilterTest {
  private static final Duration LONG = Duration.ofMinutes(9);

  @TempDir private Path directory;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  /** Small enough that blocks are full all the time. */
  private static BufferedBloomOptions small() {
    return BufferedBloomOptions.defaults()
        .pages(16)
        .hashFunctions(3)
        .requestBytes(4 * 4096)
        .memoryBudget(2 * 4 * 4096 + 4 * 1000)
        .maxWait(LONG);
  }

  // ---- Against a model ----

  /**
   * Inserts, probes of all kinds, drains, syncs, and opening again. Before a probe is answered more
   * keys may come in; so its answer lies between that of the model when it was asked and that when
   * it was told. After a drain there is nothing between.
   */
  @ParameterizedTest
  @CsvSource({
    // page bytes, request bytes, memory for blocks, hash functions, longest wait in ms, mostly
    // probes
    "4096, 16384, 2000, 3, 540000, false",
    "4096, 4096, 1200, 1, 540000, true",
    "4096, 65536, 100000, 7, 540000, false",
    "8192, 16384, 4000, 4, 540000, true",
    "65536, 65536, 3000, 2, 540000, false",
    "4096, 32768, 3000, 3, 1, true",
  })
  void answersAsTheModelDoes(
      int pageBytes, int requestBytes, int memory, int k, int waitMillis, boolean mostlyProbes)
      throws Exception {
    long seed = pageBytes + k;
    Random random = new Random(seed);
    Checker checker = new Checker();
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults()
            .pageBytes(pageBytes)
            .pages(8)
            .requestBytes(requestBytes)
            .hashFunctions(k)
            .memoryBudget(2L * requestBytes + memory)
            .maxWait(Duration.ofMillis(waitMillis))
            .directIo(pageBytes > 8192)
            .onAnswer(checker);
    BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options);
    checker.model = PlainBufferedBloom.of(filter.sizing());
    long inserted = 0;
    for (int step = 0; step < (waitMillis == 1 ? 10_000 : 30_000); step++) {
      String where = "seed " + seed + ", step " + step;
      boolean known = inserted > 0 && random.nextBoolean();
      long hash = splitMix(seed, known ? random.nextLong(inserted) : -1L - random.nextInt(1 << 20));
      int what = random.nextInt(10_000);
      if (what < (mostlyProbes ? 500 : 6000)) {
        hash = splitMix(seed, inserted);
        checker.add(hash); // before it is in, since answers may have it at once
        filter.insert(hash);
        inserted++;
      } else if (what < 6010) {
        long[] hashes = new long[3 + random.nextInt(200)];
        int count = random.nextInt(hashes.length - 2);
        for (int i = 0; i < count; i++) {
          hashes[3 + i] = splitMix(seed, inserted + i);
          checker.add(hashes[3 + i]);
        }
        filter.insert(hashes, 3, count);
        inserted += count;
      } else if (what < 6020) {
        long[] hashes = new long[2 + random.nextInt(200)];
        int firstTag = random.nextInt();
        for (int i = 2; i < hashes.length; i++) {
          hashes[i] = splitMix(seed, random.nextLong(2 * inserted + 1));
          checker.ask(firstTag + i - 2, hashes[i], where);
        }
        filter.probe(hashes, 2, hashes.length - 2, firstTag);
      } else if (what < 7500) {
        boolean answer = filter.mightContain(hash);
        assertTrue(answer || !known, where + ": a key is lost");
        assertTrue(checker.modelSays(hash) || !answer, where + ": more than the model");
      } else if (what < 9500) {
        int tag = random.nextInt();
        checker.ask(tag, hash, where);
        filter.probe(hash, tag);
      } else if (what < 9980) {
        boolean least = checker.modelSays(hash);
        long asked = hash;
        checker.futures.add(
            filter.probe(hash).thenAccept(answer -> checker.check(asked, answer, least, where)));
      } else if (what < 9988) {
        filter.drain();
        assertEquals(0, filter.statistics().waitingKeys() + filter.statistics().waitingProbes());
        checker.allAreAnswered(where);
        for (int i = 0; i < 300; i++) {
          long any = splitMix(seed, random.nextLong(2 * inserted + 1));
          assertEquals(checker.modelSays(any), filter.mightContain(any), where);
        }
      } else if (what < 9994) {
        filter.sync(step);
        assertEquals(step, filter.mark());
      } else {
        filter.close();
        checker.allAreAnswered(where);
        filter = BufferedBloomFilter.open(directory, options);
        assertTrue(filter.isWhole());
        assertEquals(inserted, filter.statistics().keys());
      }
    }
    assertEquals(0, filter.statistics().doubts());
    assertNull(filter.statistics().lastFailure());
    filter.close();
    filter.close();
    checker.allAreAnswered("closed");
    assertTrue(checker.told > 500, "told: " + checker.told);
    PlainBufferedBloom read = PlainBufferedBloom.read(directory.resolve("filter"));
    assertTrue(read.whole);
    assertEquals(inserted, read.keys);
    for (int i = 0; i < read.pages.length; i++) {
      assertEquals(checker.model.pages[i], read.pages[i], "page " + i);
    }
  }

  /** The model, and what was asked and not told yet. Answers may come from the timer's thread. */
  private static final class Checker implements ProbeListener {
    private PlainBufferedBloom model;
    private final Map<Integer, List<Asked>> asked = new HashMap<>();
    private final List<CompletableFuture<Void>> futures = new ArrayList<>();
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private int told;

    private record Asked(long hash, boolean least, String where) {}

    synchronized void add(long hash) {
      model.add(hash);
    }

    synchronized boolean modelSays(long hash) {
      return model.mightContain(hash);
    }

    synchronized void ask(int tag, long hash, String where) {
      asked
          .computeIfAbsent(tag, t -> new ArrayList<>())
          .add(new Asked(hash, model.mightContain(hash), where));
    }

    @Override
    public synchronized void answered(int tag, boolean mightContain) {
      List<Asked> probes = asked.get(tag);
      if (probes == null) {
        failures.add("tag " + tag + " was not asked, or was told before");
        return;
      }
      Asked probe = probes.remove(0);
      if (probes.isEmpty()) {
        asked.remove(tag);
      }
      check(probe.hash, mightContain, probe.least, probe.where);
    }

    synchronized void check(long hash, boolean answer, boolean least, String where) {
      told++;
      if (least && !answer) {
        failures.add(where + ": lost");
      }
      if (answer && !model.mightContain(hash)) {
        failures.add(where + ": more than the model");
      }
    }

    synchronized void allAreAnswered(String where) {
      assertEquals(Map.of(), asked, where);
      futures.forEach(future -> assertTrue(future.isDone(), where));
      futures.forEach(CompletableFuture::join);
      futures.clear();
      assertEquals(List.of(), failures);
    }
  }

  @Test
  void noKeyIsLostAndTheRateIsTheExpectedOne() throws IOException {
    int keys = 200_000;
    int probes = 400_000;
    int[] positives = new int[1];
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults()
            .keys(keys)
            .rate(0.01)
            .memoryBudget(1 << 18)
            .onAnswer((tag, mightContain) -> positives[0] += mightContain ? 1 : 0)
            .maxWait(LONG);
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options)) {
      for (long hash : distinct(1, keys)) {
        filter.insert(hash);
      }
      for (long hash : distinct(1, keys)) {
        filter.probe(hash, 0);
      }
      filter.drain();
      assertEquals(keys, positives[0]);
      positives[0] = 0;
      for (int i = 0; i < probes; i++) {
        filter.probe(splitMix(~1, i), 0);
      }
      filter.drain();
      double expected = filter.sizing().expectedRate(keys);
      assertTrue(expected <= 0.01 && expected > 0.008, "expected: " + expected);
      double sigma = Math.sqrt(expected * (1 - expected) / probes);
      double spread = 5 * expected * 0.02; // of what keys and bits there happen to be in each page
      assertEquals(expected, positives[0] / (double) probes, 5 * sigma + spread);
      assertEquals(expected, filter.statistics().expectedRate());
    }
  }

  @Test
  void keysOfBytes() throws Exception {
    BufferedBloomOptions options = small().hashedBy(KeyHash.XXH3);
    BitSet answers = new BitSet();
    byte[] key = "a key".getBytes(StandardCharsets.UTF_8);
    byte[] other = "another key".getBytes(StandardCharsets.UTF_8);
    BufferedBloomFilter.create(directory, options).close();
    try (BufferedBloomFilter filter =
        BufferedBloomFilter.open(directory, small().onAnswer(answers::set))) {
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
    Path hashes = directory.resolve("hashes");
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(hashes, small())) {
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
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options)) {
      filter.insert(hashes, 0, keys / 2);
      filter.sync();
      filter.insert(hashes, keys / 2, keys / 2);
      assertEquals(keys, filter.statistics().keys());
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

  // ---- What it costs ----

  /** Figure 4 of the paper: bytes per key are in inverse proportion to the buffer. */
  @Test
  void largerBuffersCostLessPerKey() throws IOException {
    int keys = 300_000;
    double[] perKey = new double[3];
    double[] perProbe = new double[3];
    for (int i = 0; i < 3; i++) {
      long blocks = 50_000L << i;
      BufferedBloomOptions options =
          BufferedBloomOptions.defaults()
              .pages(64)
              .hashFunctions(4)
              .requestBytes(1 << 16)
              .memoryBudget(2 * (1 << 16) + blocks)
              .maxWait(LONG)
              .onAnswer((tag, mightContain) -> {});
      try (BufferedBloomFilter filter =
          BufferedBloomFilter.create(directory.resolve("" + i), options)) {
        assertEquals(4, filter.sizing().groups());
        for (int key = 0; key < keys; key++) {
          filter.insert(splitMix(1, key));
        }
        IoCounters.Snapshot built = filter.statistics().io();
        double capacity = (blocks / 4 - 96) / 4.0; // of a block, in keys
        assertEquals(keys / capacity, built.writes(), 6 + 0.001 * built.writes());
        assertEquals(built.reads(), built.writes());
        assertEquals(built.reads() << 16, built.readBytes(), "whole groups");
        assertEquals(built.writes() << 16, built.writtenBytes());
        perKey[i] = (built.readBytes() + built.writtenBytes()) / (double) keys;
        filter.drain();
        IoCounters.Snapshot drained = filter.statistics().io();
        for (int key = 0; key < keys; key++) {
          filter.probe(splitMix(2, key), key);
        }
        IoCounters.Snapshot probed = filter.statistics().io().since(drained);
        assertEquals(0, probed.writes());
        perProbe[i] = probed.readBytes() / (double) keys;
      }
    }
    for (int i = 1; i < 3; i++) {
      assertEquals(2, perKey[i - 1] / perKey[i], 0.2);
      assertEquals(2, perProbe[i - 1] / perProbe[i], 0.2);
    }
    assertEquals(perKey[0], perProbe[0], 0.05 * perKey[0]); // twice the room, half of the I/O
  }

  @Test
  void anImmediateProbeReadsOnePage() throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, small())) {
      filter.insert(1);
      filter.sync();
      IoCounters.Snapshot before = filter.statistics().io();
      for (int i = 0; i < 100; i++) {
        filter.mightContain(splitMix(3, i));
      }
      IoCounters.Snapshot read = filter.statistics().io().since(before);
      assertEquals(new IoCounters.Snapshot(100, 100 * 4096, 0, 0), read);
      filter.insert(2);
      before = filter.statistics().io();
      assertTrue(filter.mightContain(2)); // it waits: no look at its page
      assertEquals(before, filter.statistics().io());
    }
  }

  /** A few probes read the pages that they need, and those between only if they are few. */
  @Test
  void aSparseSweepReadsWhatItNeeds() throws IOException {
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults()
            .pages(256)
            .hashFunctions(2)
            .memoryBudget(4 << 20)
            .requestBytes(1 << 20)
            .maxWait(LONG);
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options)) {
      assertEquals(1, filter.sizing().groups());
      BitSet needed = new BitSet();
      for (int i = 0; i < 5; i++) {
        filter.probe(splitMix(5, i));
        needed.set(
            filter.sizing().page(filter.sizing().entry(BufferedBloomSizing.mix(splitMix(5, i)))));
      }
      filter.drain();
      long requests = 0;
      long pages = 0;
      for (int first = needed.nextSetBit(0); first >= 0; ) {
        int last = first;
        for (int next = needed.nextSetBit(last + 1);
            next >= 0 && next - last <= 17;
            next = needed.nextSetBit(last + 1)) {
          last = next;
        }
        requests++;
        pages += last - first + 1;
        first = needed.nextSetBit(last + 1);
      }
      assertTrue(requests > 1, "requests: " + requests);
      assertEquals(new IoCounters.Snapshot(requests, pages * 4096, 0, 0), filter.statistics().io());
    }
  }

  /** The room of a block goes to keys, and probes are answered without a write. */
  @Test
  void probesThatFillABlockLeaveItsKeysThere() throws IOException {
    AtomicInteger told = new AtomicInteger();
    BufferedBloomOptions options =
        small().pages(4).onAnswer((tag, mightContain) -> told.incrementAndGet());
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options)) {
      for (int i = 0; i < 100; i++) {
        filter.insert(splitMix(1, i));
      }
      for (int i = 0; i < 5000; i++) {
        filter.probe(splitMix(1, i % 100), i);
      }
      BufferedBloomStatistics statistics = filter.statistics();
      assertEquals(100, statistics.waitingKeys());
      assertEquals(0, statistics.io().writes());
      assertTrue(told.get() > 4000);
      assertTrue(statistics.sweeps() > 5, statistics.toString());
    }
    assertEquals(5000, told.get());
  }

  @Test
  void insertsAllocateNothing() throws IOException {
    BufferedBloomOptions options = small().memoryBudget(8 << 20);
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options)) {
      int[] next = new int[1];
      Runnable inserts =
          () -> {
            for (int i = 0; i < 10_000; i++) {
              try {
                filter.insert(splitMix(1, next[0]++));
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            }
          };
      inserts.run();
      assertEquals(0, Allocation.bytesOf(inserts));
    }
  }

  // ---- In time ----

  /** Nobody else calls the filter. Keys wait on meanwhile: no time-out writes them. */
  @Test
  void probesAreAnsweredWhenTheyHaveWaitedForLongEnough() throws Exception {
    CountDownLatch told = new CountDownLatch(100);
    BufferedBloomOptions options =
        small()
            .maxWait(Duration.ofMillis(20))
            .onAnswer(
                (tag, mightContain) -> {
                  if (mightContain == (tag < 50)) {
                    told.countDown();
                  }
                });
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options)) {
      for (int round = 0; round < 3; round++) { // the timer sleeps in between
        filter.insert(splitMix(1, round));
        assertTrue(filter.probe(splitMix(1, round)).get(1, TimeUnit.MINUTES));
        assertFalse(filter.probe(splitMix(2, round)).get(1, TimeUnit.MINUTES));
      }
      for (int i = 0; i < 50; i++) {
        filter.insert(splitMix(3, i));
        filter.probe(splitMix(3, i), i);
        filter.probe(splitMix(4, i), 50 + i);
      }
      assertTrue(told.await(1, TimeUnit.MINUTES), "left: " + told.getCount());
      BufferedBloomStatistics statistics = filter.statistics();
      assertEquals(0, statistics.waitingProbes());
      assertEquals(53, statistics.waitingKeys());
      assertEquals(0, statistics.io().writes());
      assertEquals(0, statistics.sweeps());
      assertTrue(statistics.timeouts() >= 4, statistics.toString());
      assertTrue(statistics.longestWaitNanos() > 0);
    }
  }

  /** Four sweeps of 10 ns: the last one must be done when the fourth block is due. */
  @Test
  void theTimerBeginsEarlyWhenManyBlocksAreDueAtOnce() {
    assertEquals(0, due(10, 31, 31, 31, 31));
    assertEquals(1, latestBegin(10, 31, 31, 31, 31));
    assertEquals(1, due(10, 30, 30, 30, 30));
    assertEquals(1, due(10, 30, 30, 30, 10));
    assertEquals(2, due(10, 10, 10, 10, 30));
    assertEquals(1, due(10, 0, 31, 31, 31));
    assertEquals(4, due(10, 0, 0, 0, 0));
    assertEquals(0, due(10, 5, 15, 25, 35));
    assertEquals(5, latestBegin(10, 5, 15, 25, 35));
    assertEquals(1, due(10, 5, 5, 25, 35));
    assertEquals(0, due(10));
  }

  private static int due(long sweepNanos, long... left) {
    return ProbeTimer.due(waiting(left), left.length, sweepNanos);
  }

  private static long latestBegin(long sweepNanos, long... left) {
    return ProbeTimer.latestBegin(waiting(left), 0, left.length, sweepNanos);
  }

  private static long[] waiting(long[] left) {
    return LongStream.of(left).map(l -> l << ProbeTimer.GROUP_BITS | 77).sorted().toArray();
  }

  // ---- Listeners ----

  /** The pattern of de-duplication: who is told "absent" inserts. */
  @Test
  void aListenerMayInsertAndProbe() throws IOException {
    AtomicReference<BufferedBloomFilter> filter = new AtomicReference<>();
    BitSet told = new BitSet();
    int[] inserted = new int[1];
    ProbeListener listener =
        (tag, mightContain) -> {
          assertFalse(told.get(tag), "told twice");
          told.set(tag);
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
        BufferedBloomFilter.create(directory, small().onAnswer(listener))) {
      filter.set(opened);
      for (int tag = 0; tag < 10_000; tag++) {
        opened.probe(splitMix(1, tag / 2), tag);
      }
      while (told.cardinality() < 15_000) {
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
    BitSet told = new BitSet();
    ProbeListener listener =
        (tag, mightContain) -> {
          told.set(tag);
          if (tag % 10 == 3) {
            throw new IllegalArgumentException("tag " + tag);
          }
        };
    BufferedBloomFilter filter = BufferedBloomFilter.create(directory, small().onAnswer(listener));
    filter.insert(1);
    for (int tag = 0; tag < 50; tag++) {
      filter.probe(splitMix(1, tag), tag);
    }
    CompletableFuture<Boolean> future = filter.probe(1);
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> filter.drain());
    assertTrue(thrown.getMessage().endsWith("3"), thrown.getMessage());
    assertEquals(50, told.cardinality());
    assertTrue(future.getNow(false));
    filter.probe(7, 3);
    assertThrows(IllegalArgumentException.class, filter::close);
    try (BufferedBloomFilter again = BufferedBloomFilter.open(directory, small())) {
      assertTrue(again.isWhole()); // the close was a close all the same
      assertTrue(again.mightContain(1));
    }
  }

  // ---- Many threads ----

  @Test
  void manyThreads() throws Exception {
    int threads = 4;
    int each = 20_000;
    AtomicInteger told = new AtomicInteger();
    BitSet lost = new BitSet();
    BufferedBloomOptions options =
        small()
            .maxWait(Duration.ofMillis(5))
            .onAnswer(
                (tag, mightContain) -> {
                  told.incrementAndGet();
                  if (tag >= 0 && !mightContain) {
                    lost.set(tag); // by one thread at a time
                  }
                });
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options)) {
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
    assertEquals(2 * threads * each, told.get());
    assertEquals(0, lost.cardinality());
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      assertTrue(filter.isWhole());
      assertEquals(threads * each, filter.statistics().keys());
      for (int key = 0; key < threads * each; key += 17) {
        assertTrue(filter.mightContain(splitMix(1, key)));
      }
    }
  }

  // ---- Misuse ----

  @Test
  void onlyOneAtATimeHasADirectory() throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, small())) {
      IOException e =
          assertThrows(IOException.class, () -> BufferedBloomFilter.open(directory, small()));
      assertTrue(e.getMessage().contains("is open in this process"), e.getMessage());
      filter.insert(1);
    }
    assertThrows(
        FileAlreadyExistsException.class, () -> BufferedBloomFilter.create(directory, small()));
    BufferedBloomFilter.open(directory, small()).close();
  }

  @Test
  void aFilterThatIsMissingIsNoEmptyOne() {
    assertThrows(NoSuchFileException.class, () -> BufferedBloomFilter.open(directory, small()));
    assertThrows(
        NoSuchFileException.class,
        () -> BufferedBloomFilter.open(directory.resolve("nowhere"), small()));
    assertFalse(Files.exists(directory.resolve("nowhere")));
  }

  /** A crash while it is made leaves a file that never counts. */
  @Test
  void whatACrashedCreateLeftIsReplaced() throws IOException {
    Files.write(directory.resolve("filter.new"), new byte[12345]);
    BufferedBloomFilter.create(directory, small()).close();
    assertFalse(Files.exists(directory.resolve("filter.new")));
  }

  @Test
  void tooLittleMemoryIsRefused() throws IOException {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> BufferedBloomFilter.create(directory, small().memoryBudget(2 * 4 * 4096 + 400)));
    assertTrue(e.getMessage().contains("33168 bytes of memory"), e.getMessage());
    assertTrue(e.getMessage().contains("4 blocks"), e.getMessage());
    BufferedBloomFilter.create(directory, small()).close();
    assertThrows(
        IllegalArgumentException.class,
        () -> BufferedBloomFilter.open(directory, small().memoryBudget(1000)));
    BufferedBloomFilter.open(directory, small().memoryBudget(1 << 20)).close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterItIsClosedItIsRefused(boolean used) throws IOException {
    BufferedBloomFilter filter =
        BufferedBloomFilter.create(directory, small().onAnswer((tag, mightContain) -> {}));
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
