package io.winnow.ribbon;

import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One layer: who is kept, who goes on, and that what is kept is solved. */
class BumpedBandingTest {
  private final KeySorter sorter = new KeySorter();
  private final BumpedBanding banding = new BumpedBanding();

  private long[] sorted(long[] hashes, int slots) {
    sorter.sortByThird(RibbonHashes.buffer(hashes), 0, slots);
    return Arrays.copyOf(sorter.mixed, sorter.count);
  }

  private Elimination addAll(int slots, int columns) {
    return banding.addAll(sorter, slots, columns, false);
  }

  private static int threshold(long[] words, int bucket) {
    return (int) (words[bucket / 32] >>> 2 * (bucket % 32)) & 3;
  }

  private static boolean isBumped(long[] thresholds, int start) {
    int[] limits = {128, 36, 17, 0};
    return start % 128 < limits[threshold(thresholds, start / 128)];
  }

  @ParameterizedTest
  @CsvSource({
    "2, 64, 7",
    "70, 64, 7",
    "500, 64, 1",
    "140, 128, 3",
    "1600, 1536, 7",
    "1600, 1536, 1",
    "1600, 2560, 7",
    "1500, 1024, 2",
    "20000, 19200, 7",
    "20000, 19200, 56",
    "60000, 57408, 7",
    "155000, 148352, 10"
  })
  void keptKeysAreSolvedAndTheOthersGoOn(int keys, int slots, int columns) {
    long[] hashes = distinct(keys + columns, keys);
    long[] sorted = sorted(hashes, slots);
    assertEquals(Elimination.DONE, addAll(slots, columns));
    long[] solution = new long[slots / 64 * columns];
    banding.system.solve(columns, solution);

    long starts = BumpedLayer.starts(slots);
    long[] expected = new long[keys];
    int bumped = 0;
    for (long x : sorted) {
      int start = RibbonHasher.plainStart(x, starts);
      if (isBumped(banding.thresholds, start)) {
        expected[bumped++] = x;
      } else {
        long mask = (1L << columns) - 1;
        assertEquals(RibbonHasher.fingerprint(x) & mask, sums(solution, columns, start, x));
      }
    }
    assertEquals(bumped, banding.bumped.count());
    long[] actual = IntStream.range(0, bumped).mapToLong(banding.bumped::get).toArray();
    expected = Arrays.copyOf(expected, bumped);
    Arrays.sort(actual);
    Arrays.sort(expected);
    assertArrayEquals(expected, actual);

    int bumpedStarts = 0;
    for (int start = 0; start < starts; start++) {
      bumpedStarts += isBumped(banding.thresholds, start) ? 1 : 0;
    }
    assertEquals(bumpedStarts / (double) starts, banding.bumpedShare(), 1e-12);
    if (keys > 10_000) {
      double share = bumped / (double) keys;
      assertTrue(share > 0.04 && share < 0.05, share + " bumped");
    }
  }

  /** What the columns come to for a key, bit by bit. */
  private static long sums(long[] solution, int columns, int start, long x) {
    long row = RibbonHasher.row(x);
    long sums = 0;
    for (int column = 0; column < columns; column++) {
      for (int i = 0; i < 64; i++) {
        int slot = start + i;
        if ((row >>> i & 1) != 0) {
          sums ^= (solution[slot / 64 * columns + column] >>> slot % 64 & 1) << column;
        }
      }
    }
    return sums;
  }

  /** A third is bumped exactly if a plain system cannot take it beside all that came before. */
  @ParameterizedTest
  @CsvSource({"300, 256, 7", "1400, 1344, 7", "1400, 1344, 1", "1400, 1216, 3", "6000, 5760, 7"})
  void thresholdsAreThoseOfAPlainSystem(int keys, int slots, int columns) {
    for (int round = 0; round < 5; round++) {
      long[] sorted = sorted(distinct(round, keys), slots);
      assertEquals(Elimination.DONE, addAll(slots, columns));
      long starts = BumpedLayer.starts(slots);
      Map<Integer, TreeMap<Integer, PlainThird>> buckets = new HashMap<>();
      for (long x : sorted) {
        int start = RibbonHasher.plainStart(x, starts);
        buckets
            .computeIfAbsent(start / 128, bucket -> new TreeMap<>())
            .computeIfAbsent(BumpedLayer.third(start), third -> new PlainThird(keys))
            .add(equation(x, start, slots, columns));
      }
      Map<Integer, BigInteger> system = new HashMap<>();
      for (int bucket = 0; bucket < BumpedLayer.buckets(slots); bucket++) {
        int expected = BumpedLayer.THIRDS;
        for (var third : buckets.getOrDefault(bucket, new TreeMap<>()).descendingMap().entrySet()) {
          Map<Integer, BigInteger> attempt = new HashMap<>(system);
          if (!third.getValue().addTo(attempt, slots)) {
            expected = 2 - third.getKey();
            break;
          }
          system = attempt;
        }
        assertEquals(expected, threshold(banding.thresholds, bucket), "bucket " + bucket);
      }
    }
  }

  /** A key's coefficients in the low bits, one per slot, and its fingerprint above them. */
  private static BigInteger equation(long x, int start, int slots, int columns) {
    BigInteger row = new BigInteger(Long.toUnsignedString(RibbonHasher.row(x))).shiftLeft(start);
    long right = RibbonHasher.fingerprint(x) & ((1L << columns) - 1);
    return row.or(BigInteger.valueOf(right).shiftLeft(slots));
  }

  private static final class PlainThird {
    private final BigInteger[] equations;
    private int count;

    PlainThird(int most) {
      equations = new BigInteger[most];
    }

    void add(BigInteger equation) {
      equations[count++] = equation;
    }

    /** False if one of the equations contradicts the others. */
    boolean addTo(Map<Integer, BigInteger> system, int slots) {
      for (int i = 0; i < count; i++) {
        BigInteger equation = equations[i];
        while (equation.signum() != 0) {
          int lowest = equation.getLowestSetBit();
          if (lowest >= slots) {
            return false;
          }
          BigInteger pivot = system.get(lowest);
          if (pivot == null) {
            system.put(lowest, equation);
            break;
          }
          equation = equation.xor(pivot);
        }
      }
      return true;
    }
  }

  /** A repeat is found where it is kept; where it is bumped, both of it go on. */
  @ParameterizedTest
  @ValueSource(ints = {1, 7, 20})
  void repeatsAreFoundOrGoOnTogether(int columns) {
    Random random = new Random(columns);
    int found = 0;
    for (int round = 0; round < 300; round++) {
      int keys = 1000 + random.nextInt(1000);
      int slots = (int) BumpedRibbonSizing.slots(keys);
      long[] hashes = distinct(round, keys);
      int original = random.nextInt(keys);
      int repeat = (original + 2 + random.nextInt(keys - 3)) % keys; // not side by side
      hashes[repeat] = hashes[original];
      sorted(hashes, slots);
      if (addAll(slots, columns) == Elimination.DONE) {
        long x = RibbonHasher.mix(hashes[original], 0);
        int passedOn = 0;
        for (int i = 0; i < banding.bumped.count(); i++) {
          passedOn += banding.bumped.get(i) == x ? 1 : 0;
        }
        assertEquals(2, passedOn);
      } else {
        found++;
      }
    }
    assertTrue(found > 240, found + " of 300 found");
  }

  @Test
  void oneBucketTakesNoMoreThanItCan() {
    int slots = 19_200;
    sorted(RibbonHashes.crowded(1000), slots);
    assertEquals(Elimination.DONE, addAll(slots, 7));
    assertEquals(1000, banding.bumped.count());
    assertTrue(banding.bumpedShare() < 0.01);
  }

  @Test
  void keysThatAreKnownToBeDistinctAreNotSearchedForRepeats() {
    int keys = 1600;
    int slots = 1536;
    long[] hashes = distinct(4, keys);
    hashes[2] = hashes[0];
    sorted(hashes, slots);
    assertEquals(Elimination.REPEATED, banding.addAll(sorter, slots, 7, false));
    assertEquals(Elimination.DONE, banding.addAll(sorter, slots, 7, true));
  }

  @Test
  void scratchOfALargerLayerDoesNotShow() {
    long[] small = distinct(1, 1600);
    sorted(small, 1536);
    assertEquals(Elimination.DONE, addAll(1536, 7));
    long[] expected = new long[24 * 7];
    banding.system.solve(7, expected);
    long[] thresholds = Arrays.copyOf(banding.thresholds, 1);
    sorted(distinct(2, 50_000), 47_872);
    assertEquals(Elimination.DONE, addAll(47_872, 7));
    sorted(small, 1536);
    assertEquals(Elimination.DONE, addAll(1536, 7));
    long[] again = new long[24 * 7];
    banding.system.solve(7, again);
    assertArrayEquals(expected, again);
    assertArrayEquals(thresholds, Arrays.copyOf(banding.thresholds, 1));
    sorted(new long[] {5, 6, 5}, 64);
    assertEquals(Elimination.REPEATED, addAll(64, 7));
  }
}
