package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.ZipfianGenerator;

class ScrambledZipfTest {
  private static final long SEED = 20261121;
  private static final int DRAWS = 400_000;

  @Test
  void ranksComeAsOftenAsYcsbsOwn() {
    ZipfianGenerator theirs =
        new ZipfianGenerator(
            0,
            ScrambledZipfianGenerator.ITEM_COUNT,
            ScrambledZipfianGenerator.USED_ZIPFIAN_CONSTANT,
            ScrambledZipfianGenerator.ZETAN);
    SplittableRandom random = new SplittableRandom(SEED);
    int[] theirTop = new int[4];
    int[] ourTop = new int[4];
    for (int i = 0; i < DRAWS; i++) {
      theirTop[bucket(theirs.nextValue())]++;
      ourTop[bucket(ScrambledZipf.rank(random.nextDouble()))]++;
    }
    for (int bucket = 0; bucket < 4; bucket++) {
      double sigma = Math.sqrt(2.0 * theirTop[bucket]);
      assertEquals(theirTop[bucket], ourTop[bucket], 5 * sigma, "bucket " + bucket);
    }
  }

  private static int bucket(long rank) {
    return rank < 1 ? 0 : rank < 2 ? 1 : rank < 100_000 ? 2 : 3;
  }

  @Test
  void itemsAreSpreadAndRepeatable() {
    long[] asked = new long[1000];
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < DRAWS; i++) {
      asked[(int) ScrambledZipf.item(random.nextDouble(), asked.length)]++;
    }
    // Rank 0 is drawn once in ZETA times; the rest of its item's draws are as any other's.
    int top = (int) ScrambledZipf.item(0, asked.length);
    double share = 1 / ScrambledZipfianGenerator.ZETAN;
    assertEquals(DRAWS * share, asked[top], DRAWS * 0.002);
    double lower = 0;
    for (long count : asked) {
      lower += count < DRAWS / 1000 ? 1 : 0;
    }
    assertEquals(true, lower > 500, "most items are asked for less often than the mean");
  }
}
