package io.winnow.flash.buffered;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.PageFrames;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Long random sequences of operations against a plain filter. */
class BufferedBloomModelTest {
  @TempDir private Path directory;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

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
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options);
    checker.model = PlainBufferedBloom.of(filter.sizing());
    long inserted = 0;
    int steps = Boolean.getBoolean("winnow.long") ? 30_000 : 10_000;
    for (int step = 0; step < (waitMillis == 1 ? 10_000 : steps); step++) {
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
          checker.expect(firstTag + i - 2, hashes[i], where);
        }
        filter.probe(hashes, 2, hashes.length - 2, firstTag);
      } else if (what < 7500) {
        boolean answer = filter.mightContain(hash);
        assertTrue(answer || !known, where + ": a key is lost");
        assertTrue(checker.modelSays(hash) || !answer, where + ": more than the model");
      } else if (what < 9500) {
        int tag = random.nextInt();
        checker.expect(tag, hash, where);
        filter.probe(hash, tag);
      } else if (what < 9980) {
        boolean least = checker.modelSays(hash);
        long probed = hash;
        checker.futures.add(
            filter.probe(hash).thenAccept(answer -> checker.check(probed, answer, least, where)));
      } else if (what < 9988) {
        filter.drain();
        assertEquals(
            0,
            filter.statistics().get(BufferedBloomCount.WAITING_KEYS)
                + filter.statistics().get(BufferedBloomCount.WAITING_PROBES));
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
        assertEquals(inserted, filter.statistics().get(BufferedBloomCount.KEYS));
      }
    }
    assertEquals(0, filter.statistics().get(BufferedBloomCount.DOUBTS));
    assertNull(filter.statistics().lastFailure());
    filter.close();
    filter.close();
    checker.allAreAnswered("closed");
    assertTrue(checker.delivered > 500, "delivered: " + checker.delivered);
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
    private final Map<Integer, List<Pending>> pending = new HashMap<>();
    private final List<CompletableFuture<Void>> futures = new ArrayList<>();
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private int delivered;

    private record Pending(long hash, boolean least, String where) {}

    synchronized void add(long hash) {
      model.add(hash);
    }

    synchronized boolean modelSays(long hash) {
      return model.mightContain(hash);
    }

    synchronized void expect(int tag, long hash, String where) {
      pending
          .computeIfAbsent(tag, t -> new ArrayList<>())
          .add(new Pending(hash, model.mightContain(hash), where));
    }

    @Override
    public synchronized void answered(int tag, boolean mightContain) {
      List<Pending> probes = pending.get(tag);
      if (probes == null) {
        failures.add("tag " + tag + " was not probed, or was delivered before");
        return;
      }
      Pending probe = probes.remove(0);
      if (probes.isEmpty()) {
        pending.remove(tag);
      }
      check(probe.hash, mightContain, probe.least, probe.where);
    }

    synchronized void check(long hash, boolean answer, boolean least, String where) {
      delivered++;
      if (least && !answer) {
        failures.add(where + ": lost");
      }
      if (answer && !model.mightContain(hash)) {
        failures.add(where + ": more than the model");
      }
    }

    synchronized void allAreAnswered(String where) {
      assertEquals(Map.of(), pending, where);
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
            .maxWait(BufferedBlooms.LONG);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
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
      assertEquals(keys, filter.statistics().get(BufferedBloomCount.KEYS));
    }
  }
}
