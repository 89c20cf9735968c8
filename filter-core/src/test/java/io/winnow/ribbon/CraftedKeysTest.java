package io.winnow.ribbon;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.countPositives;
import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.FilterSizing;
import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import io.winnow.image.Filters;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hashes that were chosen to make a build slow: the work of an attempt, counted and not timed, is
 * at most a small multiple of that for ordinary hashes.
 */
class CraftedKeysTest {
  private static final int KEYS = 310_000;

  private final KeySorter sorter = new KeySorter();
  private final BumpedBanding bumped = new BumpedBanding();

  private Elimination band(RibbonBanding banding, long[] hashes, int slots) {
    sorter.partition(RibbonHashes.buffer(hashes), 0);
    return banding.addAll(sorter, slots, false, true);
  }

  private Elimination bump(long[] hashes, int slots, int columns) {
    sorter.sortByThird(RibbonHashes.buffer(hashes), 0, slots);
    return bumped.addAll(sorter, slots, columns, false);
  }

  private static long[] unmixed(long[] mixed) {
    return Arrays.stream(mixed).map(RibbonHashes::unmix).toArray();
  }

  private static void assertHoldsAll(FilterImage image, long[] hashes) {
    assertEquals(hashes.length, image.layout().keyCount());
    MembershipFilter filter = image.open();
    for (long hash : hashes) {
      assertTrue(filter.mightContain(hash));
    }
  }

  /** What the bounds are a multiple of; and how far from them ordinary hashes stay. */
  @ParameterizedTest
  @CsvSource({
    "64, 0.5, 500, 8", "64, 0.5, 10000, 8", "64, 0.01, 10000, 8", "64, 0.01, 145000, 8",
    "64, 0.5, 310000, 8", "64, 1e-9, 145000, 8", "128, 0.5, 10000, 21", "128, 0.01, 145000, 21"
  })
  void ordinaryHashesTakeFewSteps(int width, double rate, int keys, int most) {
    RibbonBanding banding = new RibbonBanding(width);
    int slots = (int) RibbonSizing.forRate(rate, width).slots(keys, 0);
    assertEquals(Elimination.DONE, band(banding, distinct(keys, keys), slots));
    assertTrue(banding.steps <= (long) most * keys, banding.steps / (double) keys + " steps");
    if (banding.dropped == 0) {
      assertEquals(0, banding.searched);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 2000", "1, 145000", "7, 2000", "7, 145000", "30, 145000"})
  void ordinaryHashesMoveLittleInABumpedLayer(int columns, int keys) {
    int slots = (int) BumpedRibbonSizing.slots(keys);
    assertEquals(Elimination.DONE, bump(distinct(keys, keys), slots, columns));
    assertTrue(bumped.system.moved <= 130L * keys, bumped.system.moved / (double) keys + " slots");
    assertTrue(bumped.searched <= keys);
  }

  private static final int SEEDS = 28;

  /**
   * Ordinary hashes, and chosen ones that under each of the first seeds crowd in a few slots: 1,100
   * of them where there is room for 500. Every attempt under these seeds is given up at first.
   */
  private static long[] chosenFor(int seeds, int keys) {
    long[] hashes = distinct(99, keys);
    int found = 0;
    for (int seed = 0; seed < seeds; seed++) {
      long mask = RibbonHasher.seedMask(seed);
      for (int i = 0; i < 1100; i++) {
        long mixed = splitMix(seed, i) & 0x00FF_FFFF_FFFF_FFFFL; // the first 256th of all starts
        hashes[found++] = RibbonHashes.unmix(mixed) ^ mask;
      }
    }
    return hashes;
  }

  private static double measuredRate(FilterImage image) {
    return countPositives(image.open(), 7, 200_000) / 200_000.0;
  }

  /** A build that begins at a seed of its own cares for no key that was chosen for others. */
  @ParameterizedTest
  @ValueSource(ints = {0, 64, 128})
  void keysThatWereChosenForTheFirstSeedsAreLikeAnyOthers(int width) {
    FilterSizing sizing =
        width == 0 ? BumpedRibbonSizing.forRate(0.01) : RibbonSizing.forRate(0.01, width);
    long[] hashes = chosenFor(SEEDS, 145_000);
    FilterImage image = build(FilterBuilder.of(sizing), hashes);
    assertHoldsAll(image, hashes);
    assertTrue(image.layout().estimatedRate() <= 0.01, image::toString);
    assertEquals(0.01, measuredRate(image), 0.0115 - 0.01, image::toString);
    assertTrue(image.sizeInBytes() <= 1.1 * sizing.expectedImageBytes(hashes.length));
  }

  /** The same keys make another image each time: or somebody could choose keys for the seed. */
  @ParameterizedTest
  @ValueSource(ints = {0, 64, 128})
  void noTwoBuildsBeginAtOneSeed(int width) {
    FilterSizing sizing =
        width == 0 ? BumpedRibbonSizing.forRate(0.01) : RibbonSizing.forRate(0.01, width);
    Set<Integer> seeds = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      FilterImage image = build(FilterBuilder.of(sizing), distinct(1, 3000));
      seeds.add(image.buffer().getInt(width == 0 ? 40 : 48));
    }
    assertTrue(seeds.size() >= 3, seeds + ": by chance two of 2^32 may be equal");
  }

  /** Should somebody know the seeds, what crowds costs space, and never the rate. */
  @ParameterizedTest
  @ValueSource(ints = {0, 64, 128})
  void keysThatCrowdUnderEverySeedMakeALargerFilterAtTheAskedRate(int width) {
    FilterSizing sizing =
        width == 0
            ? BumpedRibbonSizing.forRate(0.01).withFirstSeeds(() -> 0)
            : RibbonSizing.forRate(0.01, width).withFirstSeeds(() -> 0);
    long[] hashes = chosenFor(SEEDS, 145_000);
    FilterImage image = build(FilterBuilder.of(sizing), hashes);
    assertHoldsAll(image, hashes);
    assertTrue(image.rebuilds() >= 3, image.rebuilds() + " rebuilds");
    assertTrue(image.layout().estimatedRate() <= 0.01, image::toString);
    assertEquals(0.01, measuredRate(image), 0.0015, image::toString);
    assertTrue(
        image.sizeInBytes() <= 1.35 * sizing.expectedImageBytes(hashes.length), image::toString);
  }

  /** Attempts count, whatever the seed was that a build began at. */
  @Test
  void rebuildsAreThoseOfTheBuildAndNotItsSeed() {
    RibbonSizing sizing = RibbonSizing.forRate(0.01).withFirstSeeds(() -> -1);
    FilterImage image = build(FilterBuilder.of(sizing), distinct(1, 3000));
    assertEquals(-1, image.buffer().getInt(48));
    assertEquals(0, image.rebuilds());
    long[] hashes = RibbonHashes.unlucky(10_000, 2);
    FilterImage later = build(FilterBuilder.of(sizing.withFirstSeeds(() -> 0)), hashes);
    assertEquals(2, later.buffer().getInt(48));
    assertEquals(2, later.rebuilds());
    byte[] bytes = new byte[later.sizeInBytes()];
    later.buffer().get(bytes);
    assertEquals(0, Filters.image(bytes).rebuilds());
  }

  /** All in a tenth of the slots: rows that overfill it slide through all of it. */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void homogeneousStartsInATenthOfTheRange(int width) {
    long[] hashes = RibbonHashes.below(Long.MAX_VALUE / 5, KEYS);
    RibbonSizing sizing = RibbonSizing.forRate(0.01, width).withFirstSeeds(() -> 0);
    RibbonBanding banding = new RibbonBanding(width);
    assertEquals(Elimination.CROWDED, band(banding, hashes, (int) sizing.slots(KEYS, 0)));
    assertTrue(banding.steps <= 8L * KEYS, banding.steps / (double) KEYS + " steps");
    FilterImage image = build(FilterBuilder.of(sizing), hashes);
    assertHoldsAll(image, hashes);
    assertEquals(1, image.buffer().getInt(48), "the next seed");
  }

  /** The same where it is not given up: in the order of starts no row slides, whatever the keys. */
  @ParameterizedTest
  @CsvSource({"64, 10, 40", "64, 1000, 40", "128, 10, 80", "128, 1000, 80"})
  void homogeneousCrowdInTheOrderOfStarts(int width, int part, int most) {
    long[] hashes = RibbonHashes.below(Long.MAX_VALUE / part * 2, KEYS);
    RibbonBanding banding = new RibbonBanding(width);
    int slots = (int) RibbonSizing.forRate(0.01, width).slots(KEYS, 0);
    sorter.partition(RibbonHashes.buffer(hashes), 0);
    assertEquals(Elimination.DONE, banding.addAll(sorter, slots, false, false));
    assertTrue(banding.dropped >= KEYS - slots / part - width, banding.dropped + " dropped");
    assertTrue(banding.steps <= (long) most * KEYS, banding.steps / (double) KEYS + " steps");
  }

  /** Repeats are found there, too, and then dropped. */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void repeatsInACrowdInTheOrderOfStartsAreFound(int width) {
    long[] hashes = RibbonHashes.below(Long.MAX_VALUE / 5, KEYS);
    hashes[KEYS - 1] = hashes[0];
    RibbonBanding banding = new RibbonBanding(width);
    int slots = (int) RibbonSizing.forRate(0.01, width).slots(KEYS, 0);
    sorter.partition(RibbonHashes.buffer(hashes), 0);
    assertEquals(Elimination.REPEATED, banding.addAll(sorter, slots, false, false));
  }

  /**
   * Rows of 8 bytes that all start in one slot under seed 0: XXH3 of 8 bytes can be undone step by
   * step. Under a secret seed they are like any others; and under seed 0 the next one is.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 64, 128})
  void rowsThatStartInOneSlot(int width) {
    int count = 155_000;
    byte[][] rows = new byte[count][];
    for (int i = 0; i < count; i++) {
      long hash = RibbonHashes.unmix(0x5A5A5A5AL << 32 | i);
      rows[i] = ByteBuffer.allocate(8).putLong(rowOf(hash)).array();
      assertEquals(hash, KeyHash.XXH3.hash(rows[i]));
    }
    FilterSizing secret =
        width == 0 ? BumpedRibbonSizing.forRate(0.01) : RibbonSizing.forRate(0.01, width);
    FilterSizing known =
        width == 0
            ? BumpedRibbonSizing.forRate(0.01).withFirstSeeds(() -> 0)
            : RibbonSizing.forRate(0.01, width).withFirstSeeds(() -> 0);
    for (FilterSizing sizing : List.of(secret, known)) {
      FilterBuilder builder = FilterBuilder.of(sizing).hashedBy(KeyHash.XXH3);
      for (byte[] row : rows) {
        builder.add(row);
      }
      FilterImage image = builder.finish();
      MembershipFilter filter = image.open();
      for (byte[] row : rows) {
        assertTrue(filter.mightContain(row));
      }
      assertEquals(0.01, measuredRate(image), 0.0015, image::toString);
      assertTrue(image.sizeInBytes() <= 1.05 * sizing.expectedImageBytes(count), image::toString);
      // Ordinary keys are built anew one time in ten: eight times in a row is no chance.
      assertTrue(image.rebuilds() <= (sizing == known ? 2 : 7), image.rebuilds() + " rebuilds");
      assertTrue(image.rebuilds() >= (sizing == known ? 1 : 0), "seed 0 was no crowd");
    }
  }

  /** The row of 8 bytes, big-endian, whose XXH3 with seed 0 is this. */
  private static long rowOf(long hash) {
    long x = hash ^ hash >>> 28 ^ hash >>> 56;
    x *= 0x02AB9C720D1024ADL; // the inverse of the factor, modulo 2^64
    x ^= (x >>> 35) + 8;
    x *= 0x02AB9C720D1024ADL;
    long mixed = x; // x ^ rotl(x, 49) ^ rotl(x, 24) is undone by doing it 63 times more
    for (int i = 0; i < 63; i++) {
      mixed ^= Long.rotateLeft(mixed, 49) ^ Long.rotateLeft(mixed, 24);
    }
    x = mixed ^ 0xC73AB174C5ECD5A2L; // of the public secret
    return Long.reverseBytes(Long.rotateLeft(x, 32));
  }

  /** One start for all: every row but 64 is dropped, and none of them goes far. */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void homogeneousOneStart(int width) {
    long[] hashes = RibbonHashes.crowded(KEYS);
    RibbonSizing sizing = RibbonSizing.forRate(0.01, width).withFirstSeeds(() -> 0);
    RibbonBanding banding = new RibbonBanding(width);
    band(banding, hashes, (int) sizing.slots(KEYS, 0));
    assertTrue(banding.steps <= 70L * KEYS, banding.steps / (double) KEYS + " steps");
    assertTrue(banding.searched <= KEYS);
    assertHoldsAll(build(FilterBuilder.of(sizing), hashes), hashes);
  }

  /** A bumped layer keeps them all, as none contradicts; and searches each once for repeats. */
  @Test
  void bumpedOneStartWithAgreeingRows() {
    long[] hashes = unmixed(RibbonHashes.agreeing(KEYS, 7));
    int slots = (int) BumpedRibbonSizing.slots(KEYS);
    assertEquals(Elimination.DONE, bump(hashes, slots, 7));
    assertEquals(0, bumped.bumped.count());
    assertTrue(
        bumped.system.moved <= (128 + 63L) * KEYS, bumped.system.moved / (double) KEYS + " slots");
    assertEquals(KEYS, bumped.searched);
    FilterBuilder builder =
        FilterBuilder.of(BumpedRibbonSizing.forRate(0.01).withFirstSeeds(() -> 0));
    assertHoldsAll(build(builder, hashes), hashes);
  }

  @Test
  void bumpedRepeatAmongAgreeingRowsIsFound() {
    long[] hashes = unmixed(RibbonHashes.agreeing(5000, 7));
    hashes[4000] = hashes[3000];
    int slots = (int) BumpedRibbonSizing.slots(5000);
    assertEquals(Elimination.REPEATED, bump(hashes, slots, 7));
    assertEquals(Elimination.DONE, bumped.addAll(sorter, slots, 7, true));
    assertEquals(0, bumped.searched);
  }

  /** All starts in a few buckets: the layer would bump nearly all, and is given up. */
  @Test
  void bumpedStartsInAFewBuckets() {
    int slots = (int) BumpedRibbonSizing.slots(KEYS);
    long[] hashes = RibbonHashes.below(Long.MAX_VALUE / slots * 2 * 400, KEYS);
    assertEquals(Elimination.CROWDED, bump(hashes, slots, 7));
    assertTrue(bumped.system.moved <= 5L * KEYS, bumped.system.moved / (double) KEYS + " slots");
    FilterBuilder builder =
        FilterBuilder.of(BumpedRibbonSizing.forRate(0.01).withFirstSeeds(() -> 0));
    FilterImage image = build(builder, hashes);
    assertHoldsAll(image, hashes);
    assertEquals(1, image.buffer().getInt(40), "the next seed");
  }

  /** Rows that all agree with one solution fill a bucket and slide to its end, not further. */
  @Test
  void bumpedAgreeingRowsEverywhere() {
    int columns = 2;
    int slots = 16_384;
    assertEquals(Elimination.DONE, bump(distinct(1, 17_000), slots, columns));
    long[] solution = new long[slots / 64 * columns];
    bumped.system.solve(columns, solution);
    long[] hashes = new long[60_000];
    int found = 0;
    for (long i = 0; found < hashes.length; i++) {
      long hash = splitMix(2, i);
      if (isSolved(solution, columns, slots, RibbonHasher.mix(hash, 0))) {
        hashes[found++] = hash;
      }
    }
    assertEquals(Elimination.DONE, bump(hashes, slots, columns));
    assertEquals(0, bumped.bumped.count());
    assertTrue(bumped.system.moved <= (128 + 63L) * hashes.length, bumped.system.moved + " slots");
  }

  private static boolean isSolved(long[] solution, int columns, int slots, long x) {
    int start = RibbonHasher.plainStart(x, BumpedLayer.starts(slots));
    long row = RibbonHasher.row(x);
    long right = RibbonHasher.fingerprint(x);
    for (int column = 0; column < columns; column++) {
      int at = start / 64 * columns + column;
      long window = solution[at] >>> start % 64;
      if (start % 64 != 0) {
        window |= solution[at + columns] << (64 - start % 64);
      }
      if (((Long.bitCount(window & row) ^ (right >>> column)) & 1) != 0) {
        return false;
      }
    }
    return true;
  }
}
