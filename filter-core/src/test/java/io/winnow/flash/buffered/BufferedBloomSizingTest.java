package io.winnow.flash.buffered;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.bloom.BloomSizing;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class BufferedBloomSizingTest {

  @Test
  void keysBelongWhereTheFormatSays() {
    Random random = new Random(1);
    for (int shape = 0; shape < 100; shape++) {
      BufferedBloomSizing sizing =
          new BufferedBloomSizing(
              1 + random.nextInt(shape < 50 ? 20 : 1 << 12),
              1 + random.nextInt(shape < 50 ? 5 : 256),
              4096,
              1 + random.nextInt(9),
              4 + random.nextInt(5));
      PlainBufferedBloom plain = PlainBufferedBloom.of(sizing);
      for (int i = 0; i < 50; i++) {
        long hash = splitMix(shape, i);
        long mixed = BufferedBloomSizing.mix(hash);
        assertEquals(plain.group(hash), sizing.group(mixed), sizing + ", hash " + hash);
        assertEquals(plain.entry(hash), sizing.entry(mixed), sizing + ", hash " + hash);
        assertEquals(
            plain.page(hash) - sizing.group(mixed) * sizing.groupPages(),
            sizing.page(sizing.entry(mixed)),
            sizing + ", hash " + hash);
      }
    }
  }

  /** A size that no opening accepts is refused before pages are written. */
  @Test
  void morePagesThanAnArrayHasVersionsOfAreRefused() {
    long memory = 16L << 30;
    BufferedBloomSizing most = new BufferedBloomSizing((1 << 24) - 1, 128, 4096, 3, 4);
    assertTrue(BlockSweeps.blockBytes(most, memory) > 0);
    BufferedBloomSizing tooMany = new BufferedBloomSizing(1 << 24, 128, 4096, 3, 4);
    assertRefused(() -> BlockSweeps.blockBytes(tooMany, memory), "2147483648 pages, must be below");
  }

  /** Structured hashes spread, too: chi-square of the pages, five sigma. */
  @Test
  void keysSpreadEvenly() {
    BufferedBloomSizing sizing = new BufferedBloomSizing(13, 7, 4096, 3, 4);
    for (int shift : new int[] {0, 20, 40}) {
      int[] counts = new int[13 * 7];
      int keys = 200_000;
      for (long i = 0; i < keys; i++) {
        long mixed = BufferedBloomSizing.mix(i << shift);
        counts[sizing.group(mixed) * 7 + sizing.page(sizing.entry(mixed))]++;
      }
      double expected = keys / 91.0;
      double chiSquare = 0;
      for (int count : counts) {
        chiSquare += (count - expected) * (count - expected) / expected;
      }
      assertTrue(Math.abs(chiSquare - 90) < 5 * Math.sqrt(180), shift + ": " + chiSquare);
    }
  }

  @Test
  void theMeanOverAPoissonDistribution() {
    for (double mean : new double[] {0.01, 0.5, 3, 100, 763.2, 50_000, 3e6}) {
      assertEquals(1, BufferedBloomSizing.poissonMean(mean, n -> 1), 1e-12);
      assertEquals(mean, BufferedBloomSizing.poissonMean(mean, n -> n), 1e-6 * mean);
      assertEquals(
          mean * mean + mean,
          BufferedBloomSizing.poissonMean(mean, n -> n * n),
          1e-4 * (mean * mean + mean));
      assertEquals(
          Math.exp(mean * Math.expm1(-1 / mean)),
          BufferedBloomSizing.poissonMean(mean, n -> Math.exp(-n / mean)),
          1e-4);
    }
    assertEquals(7, BufferedBloomSizing.poissonMean(0, n -> n + 7));
  }

  /** The spread makes the rate worse, the more so the fewer keys a page has. */
  @Test
  void theSpreadOfKeysCounts() {
    double atTheMean = new BloomSizing(8L * 4088 * 1000, 7).expectedRate(1000 * 3400);
    double pages = new BufferedBloomSizing(10, 100, 4096, 7, 8).expectedRate(1000 * 3400);
    assertTrue(pages > atTheMean * 1.0015 && pages < atTheMean * 1.01, pages / atTheMean + "");
    double few = new BufferedBloomSizing(10, 100, 4096, 7, 8).expectedRate(1000 * 100);
    double fewAtTheMean = new BloomSizing(8L * 4088 * 1000, 7).expectedRate(1000 * 100);
    assertTrue(few > fewAtTheMean * 1.1, few / fewAtTheMean + "");
    double narrow = new BufferedBloomSizing(10, 100, 4096, 7, 4).expectedRate(1000 * 100);
    assertEquals(100 * 100 * 0x1p-32, narrow - few, 1e-7);
  }

  @Test
  void theFewestPagesThatKeepTheRate() {
    Random random = new Random(2);
    for (int i = 0; i < 40; i++) {
      long keys = 1 + (long) Math.exp(random.nextDouble() * 17);
      double rate = Math.exp(Math.log(0.5) - random.nextDouble() * 12);
      int k = random.nextInt(3) == 0 ? 1 + random.nextInt(12) : 0;
      BufferedBloomSizing sizing = BufferedBloomSizing.forRate(keys, rate, 4096, 256, k);
      String what = keys + " keys, rate " + rate + ": " + sizing;
      assertTrue(sizing.expectedRate(keys) <= rate, what);
      assertTrue(k == 0 || sizing.hashFunctions() == k, what);
      if (sizing.pages() > sizing.groups()) {
        BufferedBloomSizing fewer =
            BufferedBloomSizing.ofPages(
                sizing.pages() - sizing.groups(),
                4096,
                256,
                sizing.hashFunctions(),
                sizing.entryBytes());
        assertTrue(fewer.expectedRate(keys) > rate, what);
      }
    }
  }

  /** The paper's filter, and one that is as good with less flash. */
  @Test
  void knownShapes() {
    BufferedBloomOptions paper =
        BufferedBloomOptions.defaults().keys(50_000_000).pages(65_536).hashFunctions(2);
    BufferedBloomSizing sizing = paper.sizing();
    assertEquals(new BufferedBloomSizing(256, 256, 4096, 2, 4), sizing);
    assertEquals(256L << 20, sizing.sizeInBytes());
    assertEquals(0.0021, sizing.expectedRate(50_000_000), 0.0001); // its "below 0.25 %"

    BufferedBloomSizing ours = BufferedBloomOptions.defaults().keys(50_000_000).sizing();
    assertEquals(4, ours.entryBytes());
    assertTrue(ours.hashFunctions() >= 4 && ours.hashFunctions() <= 6, ours.toString());
    assertEquals(86e6, ours.sizeInBytes(), 10e6);
    assertTrue(ours.expectedRate(50_000_000) <= 0.0025, ours.toString());

    BufferedBloomSizing many =
        BufferedBloomOptions.defaults().keys(50_000_000).pages(65_536).sizing();
    assertEquals(2, many.hashFunctions());
    BufferedBloomSizing full =
        BufferedBloomOptions.defaults().keys(50_000_000).pages(10_000).sizing();
    assertTrue(full.expectedRate(50_000_000) > 0.0025 && full.hashFunctions() > 2, full.toString());
  }

  @Test
  void requestsFollowFromTheMemory() {
    BufferedBloomOptions options = BufferedBloomOptions.defaults().keys(50_000_000);
    assertEquals(1 << 20, options.sizing().groupBytes(), 8192);
    assertEquals(1 << 16, options.memoryBudget(1 << 20).sizing().groupBytes(), 4096);
    assertEquals(4096, options.memoryBudget(5000).sizing().groupBytes());
    assertEquals(1 << 18, options.requestBytes(1 << 18).sizing().groupBytes(), 4096);
    assertEquals(1 << 16, options.pageBytes(1 << 16).requestBytes(4096).sizing().groupBytes());
  }

  @Test
  void lowerRatesTakeWiderEntries() {
    BufferedBloomOptions options = BufferedBloomOptions.defaults().keys(50_000_000);
    assertEquals(4, options.rate(0.01).sizing().entryBytes());
    assertEquals(5, options.rate(1e-4).sizing().entryBytes());
    assertEquals(6, options.rate(1e-6).sizing().entryBytes());
    assertEquals(4, options.rate(1e-6).keys(100).sizing().entryBytes());
  }

  @Test
  void badArgumentsAreNamed() {
    BufferedBloomOptions options = BufferedBloomOptions.defaults();
    assertRefused(() -> options.sizing(), "number of keys");
    assertRefused(() -> options.pages(10).sizing(), "hash functions");
    assertRefused(() -> options.keys(0), "0 keys");
    assertRefused(() -> options.rate(0.6), "0.6");
    assertRefused(() -> options.rate(1e-7), "1.0E-7");
    assertRefused(() -> options.rate(Double.NaN), "NaN");
    assertRefused(() -> options.pageBytes(5000), "5000");
    assertRefused(() -> options.pages(0), "0 pages");
    assertRefused(() -> options.hashFunctions(65), "65");
    assertRefused(() -> options.requestBytes(4095), "4095");
    assertRefused(() -> options.memoryBudget(0), "0 bytes");
    assertRefused(() -> options.maxWait(Duration.ofNanos(999_999)), "1 ms");
    assertRefused(() -> options.maxWait(Duration.ofMinutes(10)), "9 minutes");
    assertRefused(() -> options.pages(1L << 40).hashFunctions(1).sizing(), "2^24");
    assertRefused(() -> new BufferedBloomSizing(0, 1, 4096, 1, 4), "0 groups");
    assertRefused(() -> new BufferedBloomSizing((1 << 24) + 1, 1, 4096, 1, 4), "16777217");
    assertRefused(() -> new BufferedBloomSizing(1, 0, 4096, 1, 4), "0 pages");
    assertRefused(() -> new BufferedBloomSizing(1, 4097, 4096, 1, 4), "4097");
    assertRefused(() -> new BufferedBloomSizing(1, 1, 4097, 1, 4), "4097");
    assertRefused(() -> new BufferedBloomSizing(1, 1, 4096, 0, 4), "0 hash");
    assertRefused(() -> new BufferedBloomSizing(1, 1, 4096, 1, 3), "3 bytes");
    assertRefused(() -> new BufferedBloomSizing(1, 1, 4096, 1, 9), "9 bytes");
  }

  private static void assertRefused(Executable call, String value) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(value), message);
  }
}
