package io.winnow.ribbon;

import static io.winnow.TestHashes.countPositives;
import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterHeader;
import io.winnow.FilterType;
import io.winnow.image.Filters;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The determined rate against probing at high counts, in sparse, full and overfull systems. */
class RibbonRateTest {
  private static final int PROBES = 1_000_000;

  private record Solved(int width, int slots, int columns, long[] solution) {
    static Solved of(int width, int slots, int columns, long[] hashes) {
      KeySorter sorter = new KeySorter();
      sorter.partition(RibbonHashes.buffer(hashes), RibbonHasher.seedMask(0));
      RibbonBanding banding = new RibbonBanding(width);
      banding.addAll(sorter, slots, true, true);
      long[] solution = new long[slots / 64 * columns];
      banding.solve(columns, RibbonHasher.seedMask(0), solution);
      return new Solved(width, slots, columns, solution);
    }

    int blocks() {
      return slots / width;
    }

    RibbonRate measured() {
      RibbonRate rate = new RibbonRate(width);
      rate.measure(solution, columns, slots);
      return rate;
    }

    double probed(int lowerBlocks, long seed) {
      int words = width / 64;
      byte[] image = new byte[64 + 8 * words * (blocks() * columns - lowerBlocks)];
      ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).position(64);
      for (int block = 0; block < blocks(); block++) {
        int used = block < lowerBlocks ? columns - 1 : columns;
        for (int i = 0; i < used * words; i++) {
          out.putLong(solution[block * columns * words + i]);
        }
      }
      FilterHeader.write(
          image,
          FilterType.RIBBON,
          null,
          1,
          0.01,
          0.01,
          new RibbonShape(blocks(), lowerBlocks, 0, width, columns).word0(),
          new RibbonShape(blocks(), lowerBlocks, 0, width, columns).word1());
      return countPositives(Filters.open(ByteBuffer.wrap(image)), seed, PROBES) / (double) PROBES;
    }
  }

  /** Up to 4096 raw starts each one is evaluated, so nothing but the probing is left to chance. */
  @ParameterizedTest
  @CsvSource({
    "64, 64, 7, 1",
    "64, 64, 7, 40",
    "64, 64, 7, 58",
    "64, 64, 7, 64",
    "64, 64, 5, 200",
    "64, 256, 7, 230",
    "64, 256, 7, 256",
    "64, 256, 3, 1000",
    "64, 2048, 7, 1900",
    "64, 2048, 7, 2100",
    "64, 4096, 1, 3900",
    "64, 2048, 12, 1950",
    "128, 128, 7, 100",
    "128, 128, 7, 127",
    "128, 128, 7, 400",
    "128, 512, 7, 490",
    "128, 2048, 7, 2030",
    "128, 3072, 10, 3000",
    "128, 2048, 6, 2300"
  })
  void agreesWithProbing(int width, int slots, int columns, int keys) {
    Solved solved = Solved.of(width, slots, columns, distinct(keys, keys));
    RibbonRate rate = solved.measured();
    for (int lowerBlocks : new int[] {0, (solved.blocks() + 1) / 2, solved.blocks()}) {
      double determined = rate.rate(lowerBlocks);
      double probed = solved.probed(lowerBlocks, keys);
      double sigma = Math.sqrt(determined * (1 - determined) / PROBES);
      assertEquals(determined, probed, 5 * sigma + 1.0 / PROBES, lowerBlocks + " lower blocks");
    }
  }

  /** Beyond that starts are sampled, and what crowds is looked at closely. */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void samplingAgreesWithProbingWhereKeysCrowd(int width) {
    for (double overhead : new double[] {0.02, 0.05, 0.09}) {
      int slots = 100_096 / width * width;
      int keys = (int) (slots / (1 + overhead));
      Solved solved = Solved.of(width, slots, 7, distinct(keys, keys));
      double determined = solved.measured().rate(0);
      double probed = solved.probed(0, keys);
      double sigma = Math.sqrt(determined * (1 - determined) / PROBES);
      double sampling = 0.02 * (determined - 0x1p-7); // only the excess is sampled
      assertEquals(determined, probed, 5 * Math.hypot(sigma, sampling) + 1.0 / PROBES);
    }
  }

  /**
   * The sampled rate against that of all starts, each filter's own: no leaning to one side, and a
   * spread that the tenth of a per cent which the builder keeps in reserve covers.
   */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void samplingIsUnbiased(int width) {
    double sum = 0;
    double sumOfSquares = 0;
    int filters = 60;
    int slots = 20_096 / width * width;
    int keys = (int) (slots / (width == 64 ? 1.075 : 1.035));
    for (int i = 0; i < filters; i++) {
      Solved solved = Solved.of(width, slots, 7, distinct(i, keys));
      double sampled = solved.measured().rate(0);
      double exact = exactRate(solved);
      double error = (sampled - exact) / exact;
      sum += error;
      sumOfSquares += error * error;
    }
    double mean = sum / filters;
    double deviation = Math.sqrt(sumOfSquares / filters);
    assertTrue(Math.abs(mean) < 0.0002, "mean error " + mean);
    assertTrue(deviation < 0.0005, "standard error " + deviation);
  }

  /** A stretch of 40 starts whose windows are all zero is found wherever it lies. */
  @Test
  void noStretchLongerThanAStratumIsMissed() {
    int slots = 314 * 64;
    Random random = new Random(1);
    for (int first = 5000; first < 5128; first += 3) {
      long[] solution = random.longs(slots / 64 * 7).toArray();
      for (int slot = first; slot < first + 40 + 63; slot++) {
        for (int column = 0; column < 7; column++) {
          solution[slot / 64 * 7 + column] &= ~(1L << slot % 64);
        }
      }
      Solved solved = new Solved(64, slots, 7, solution);
      double exact = exactRate(solved);
      assertTrue(exact > 0x1p-7 + 40.0 / slots);
      assertEquals(1, solved.measured().rate(0) / exact, 0.001);
    }
  }

  /** Strata do not grow with the system: four million slots are sampled as closely as a chunk. */
  @Test
  void samplingIsAsPreciseInLargeSystems() {
    int slots = 62_500 * 64;
    Solved solved = Solved.of(64, slots, 7, distinct(1, (int) (slots / 1.075)));
    double exact = exactRate(solved);
    assertTrue(exact > 1.1 * 0x1p-7, "there is something to miss");
    assertEquals(1, solved.measured().rate(0) / exact, 0.00002);
  }

  /** All starts, cut into systems so small that each start is evaluated. */
  private static double exactRate(Solved solved) {
    int width = solved.width();
    int windows = solved.slots() - width + 1;
    double sum = 0;
    int pieceBlocks = 16;
    int words = width / 64 * solved.columns();
    RibbonRate rate = new RibbonRate(width);
    for (int first = 0; first < solved.blocks(); first += pieceBlocks) {
      // Windows that begin in these blocks reach one block further; at the end there is none.
      int blocks = Math.min(pieceBlocks + 1, solved.blocks() - first);
      long[] piece = new long[blocks * words];
      System.arraycopy(solved.solution(), first * words, piece, 0, piece.length);
      rate.measure(piece, solved.columns(), blocks * width);
      // The rate is over raw starts, of which the edges have a quarter width too many each.
      double all = rate.rate(0) * RibbonHasher.rawStarts((long) blocks * width, width);
      double atFirst = edgeRate(rate, piece, solved.columns(), width, 0);
      double atLast = edgeRate(rate, piece, solved.columns(), width, blocks - 1);
      sum += all - width / 4 * (atFirst + atLast);
      boolean isLast = first + blocks == solved.blocks();
      sum += first == 0 ? width / 4 * atFirst : 0;
      if (isLast) {
        sum += width / 4 * atLast;
        break;
      }
      sum -= atLast; // that window begins the next piece
    }
    return sum / (windows + width / 2);
  }

  /** The rate of the single window that is one whole block. */
  private static double edgeRate(
      RibbonRate rate, long[] solution, int columns, int width, int block) {
    long[] one = new long[width / 64 * columns];
    System.arraycopy(solution, block * one.length, one, 0, one.length);
    rate.measure(one, columns, width);
    return rate.rate(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void lowerBlocksGrowWithTheRateAndKeepIt(int width) {
    for (int slots : new int[] {width, 5 * width, 30 * width, 800 * width}) {
      Solved solved = Solved.of(width, slots, 7, distinct(slots, (int) (slots * 0.93)));
      RibbonRate rate = solved.measured();
      int blocks = solved.blocks();
      int last = -1;
      for (double asked = 0.004; asked < 0.05; asked *= 1.01) {
        int lowerBlocks = rate.lowerBlocks(asked, blocks);
        assertTrue(lowerBlocks >= last && lowerBlocks <= blocks);
        if (lowerBlocks >= 0) {
          assertTrue(rate.rate(lowerBlocks) <= asked * (1 + 1e-12));
        }
        if (lowerBlocks < blocks) {
          assertTrue(rate.rate(lowerBlocks + 1) > asked * (1 - 1e-12), "one more is too many");
        }
        last = lowerBlocks;
      }
      assertEquals(-1, rate.lowerBlocks(1e-9, blocks));
      assertEquals(blocks, rate.lowerBlocks(1, blocks));
      for (int lower = 1; lower <= blocks; lower++) {
        assertTrue(rate.rate(lower) >= rate.rate(lower - 1));
      }
    }
  }

  /** One window, columns set by hand: what passes can be counted on the fingers. */
  @Test
  void ranksOfOneWindow() {
    assertWindow(1, 0, 0); // nothing set: everything passes
    assertWindow(0.5, 0b10, 0);
    assertWindow(0.5, 0b11, 0);
    assertWindow(0, 0b01, 0); // the coefficient that is always 1 alone: nothing passes
    assertWindow(0, 0b11, 0b10); // the same as a sum of columns
    assertWindow(0.25, 0b111, 0b10);
    assertWindow(0.5, 0b110, 0b110); // twice the same column
    assertWindow(0.25, Long.MIN_VALUE, Long.MIN_VALUE | 2);
    assertWindow(0.25, -1, 0b100);
  }

  private static void assertWindow(double expected, long first, long second) {
    RibbonRate narrow = new RibbonRate(64);
    narrow.measure(new long[] {first, second}, 2, 64);
    assertEquals(expected, narrow.rate(0));
    RibbonRate wide = new RibbonRate(128);
    wide.measure(new long[] {first, 0, second, 0}, 2, 128);
    assertEquals(expected, wide.rate(0));
    wide.measure(new long[] {first, 1L << 40, second, 0}, 2, 128); // the high word counts too
    assertEquals(second == 0 ? 0.5 : 0.25, wide.rate(0));
  }

  @Test
  void aSystemIsForgottenWithTheNext() {
    RibbonRate rate = new RibbonRate(64);
    Solved large = Solved.of(64, 64_000, 7, distinct(1, 60_000));
    Solved small = Solved.of(64, 640, 7, distinct(1, 500));
    rate.measure(small.solution(), 7, 640);
    double expected = rate.rate(3);
    rate.measure(large.solution(), 7, 64_000);
    rate.measure(small.solution(), 7, 640);
    assertEquals(expected, rate.rate(3));
  }
}
