package io.winnow.quotient;

import static io.winnow.TestHashes.unmix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterImage;
import io.winnow.ImageFilter;
import io.winnow.image.Filters;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random sequences of every operation against a sorted multiset of fingerprints, at every load, for
 * every width of remainders, with merges and resizes in between. Replay with {@code
 * -Dwinnow.seed=...}.
 */
class QuotientModelTest {
  private static final boolean IS_LONG = Boolean.getBoolean("winnow.long");

  /** The filter, what it must hold, and the hashes to choose from. */
  private static final class Pair {
    final Random random;
    QuotientFilter filter;
    TreeMap<Long, Integer> model = new TreeMap<>();
    int count;
    long refused;

    /** Hashes are drawn from so narrow a range that quotients, and fingerprints, repeat. */
    final int rangeBits;

    final long rangeBase;

    Pair(Random random, QuotientFilter filter) {
      this.random = random;
      this.filter = filter;
      this.rangeBits = random.nextInt(3) == 0 ? 50 + random.nextInt(14) : 64;
      this.rangeBase = random.nextInt(4) == 0 ? -1L : random.nextLong();
    }

    long hash() {
      long any = random.nextLong();
      return rangeBits == 64 ? any : unmix(rangeBase << rangeBits | any >>> (64 - rangeBits));
    }

    long fingerprint(long hash) {
      return filter.shape().fingerprint(hash);
    }

    /** A hash whose fingerprint is held, or any if there is none. */
    long heldHash() {
      if (model.isEmpty()) {
        return hash();
      }
      Long near = model.ceilingKey(fingerprint(hash()));
      long fingerprint = near == null ? model.firstKey() : near;
      return hashOf(fingerprint, filter.shape().universe());
    }

    void add(long hash) {
      model.merge(fingerprint(hash), 1, Integer::sum);
      count++;
    }

    void insert() {
      long hash = random.nextInt(6) == 0 ? heldHash() : hash();
      if (random.nextBoolean()) {
        filter.insert(hash);
        add(hash);
      } else {
        boolean isNew = !model.containsKey(fingerprint(hash));
        assertEquals(isNew, filter.insertIfAbsent(hash));
        if (isNew) {
          add(hash);
        }
      }
      assertTrue(filter.mightContain(hash));
    }

    void delete() {
      long hash = random.nextInt(5) == 0 ? hash() : heldHash();
      boolean held = model.containsKey(fingerprint(hash));
      assertEquals(held, filter.delete(hash));
      if (held) {
        model.computeIfPresent(fingerprint(hash), (key, n) -> n == 1 ? null : n - 1);
        count--;
        assertEquals(model.containsKey(fingerprint(hash)), filter.mightContain(hash));
      } else {
        refused++;
      }
    }

    boolean isFull() {
      return count >= filter.shape().capacity();
    }

    void check() {
      assertEquals(count, filter.count());
      assertEquals(refused, filter.refusedDeletes());
      assertEquals(model.size() / (double) filter.shape().universe(), filter.expectedRate());
      assertEquals(flat(model), contents(filter.fingerprints()));
      for (int i = 0; i < 20; i++) {
        long hash = i < 10 ? hash() : heldHash();
        assertEquals(model.containsKey(fingerprint(hash)), filter.mightContain(hash));
      }
    }

    /** The invariants, as the plain reader sees them, and the frozen filter. */
    void checkImage() {
      FilterImage image = filter.toImage();
      byte[] bytes = new byte[image.sizeInBytes()];
      image.buffer().get(bytes);
      List<Long> expected = flat(model);
      assertEquals(expected, new PlainQuotientReader(bytes).fingerprints());
      assertEquals(count, image.layout().keyCount());
      ImageFilter frozen = Filters.open(ByteBuffer.wrap(bytes));
      assertEquals(expected, contents(QuotientFilter.fingerprints(frozen)));
      for (int i = 0; i < 20; i++) {
        long hash = i < 10 ? hash() : heldHash();
        assertEquals(model.containsKey(fingerprint(hash)), frozen.mightContain(hash));
      }
      QuotientFilter thawed = QuotientFilter.thaw(frozen);
      assertEquals(image.buffer(), thawed.toImage().buffer(), "equal contents are equal bytes");
      if (random.nextBoolean()) {
        filter = thawed.growing(QuotientGrowth.NONE);
        refused = 0;
      }
    }

    void resize() {
      int slots = filter.shape().slots();
      int fewest = (int) filter.shape().scheme().slotsFor(count);
      int newSlots = Math.max(1, fewest + random.nextInt(slots + 10));
      switch (random.nextInt(6)) {
        case 0 -> newSlots = 2 * slots;
        case 1 -> newSlots = slots - slots / 2;
        default -> {}
      }
      QuotientShape before = filter.shape();
      if (QuotientShape.fits(before.universe(), newSlots)
          && before.withSlots(newSlots).capacity() >= count
          && newSlots < 4000) {
        filter.resize(newSlots);
        assertEquals(newSlots, filter.shape().slots());
        assertEquals(before.universe(), filter.shape().universe());
      }
    }

    /** Merges with others of other sizes and finer or equal fingerprints. */
    void merge() {
      List<QuotientFilter> all = new ArrayList<>(List.of(filter));
      int others = 1 + random.nextInt(4);
      TreeMap<Long, Integer> merged = new TreeMap<>(model);
      int mergedCount = count;
      for (int i = 0; i < others; i++) {
        int finer = random.nextInt(4);
        long universe = filter.shape().universe() << finer;
        int slots = 1 + random.nextInt(200);
        if (universe >>> finer != filter.shape().universe()
            || !QuotientShape.fits(universe, slots)) {
          continue;
        }
        QuotientScheme scheme = QuotientScheme.values()[random.nextInt(2)];
        QuotientFilter other =
            QuotientFilter.of(QuotientShape.ofUniverse(scheme, universe, slots))
                .growing(QuotientGrowth.NONE);
        for (int n = random.nextInt(other.shape().capacity() + 1); n > 0; n--) {
          long hash = hash();
          other.insert(hash);
          merged.merge(other.shape().fingerprint(hash) >>> finer, 1, Integer::sum);
          mergedCount++;
        }
        all.add(other);
      }
      QuotientScheme scheme = filter.shape().scheme();
      int maxSlots = (int) Math.min(4000, filter.shape().universe() - 1);
      if (mergedCount > scheme.capacity(maxSlots)) {
        return;
      }
      boolean asSet = random.nextBoolean();
      if (asSet) {
        merged.replaceAll((fingerprint, n) -> 1);
        mergedCount = merged.size();
      }
      filter = asSet ? QuotientFilter.mergeDistinct(all) : QuotientFilter.merge(all);
      filter.growing(QuotientGrowth.NONE);
      model = merged;
      count = mergedCount;
      refused = 0;
    }

    void copyAndClear() {
      QuotientFilter copy = filter.copy();
      filter.clear();
      assertEquals(0, filter.count());
      assertEquals(List.of(), contents(filter.fingerprints()));
      if (random.nextInt(20) == 0) {
        model.clear();
        count = 0;
        refused = 0;
      } else {
        filter = copy;
      }
    }
  }

  /** A hash with this fingerprint: when mixed, the smallest. */
  static long hashOf(long fingerprint, long universe) {
    BigInteger shifted = BigInteger.valueOf(fingerprint).shiftLeft(64);
    BigInteger[] division = shifted.divideAndRemainder(BigInteger.valueOf(universe));
    return unmix(division[0].longValue() + (division[1].signum() == 0 ? 0 : 1));
  }

  static List<Long> contents(FingerprintCursor cursor) {
    List<Long> contents = new ArrayList<>();
    while (cursor.next()) {
      contents.add(cursor.fingerprint());
    }
    assertFalse(cursor.next());
    return contents;
  }

  static List<Long> flat(Map<Long, Integer> multiset) {
    List<Long> flat = new ArrayList<>();
    multiset.forEach(
        (fingerprint, n) -> {
          for (int i = 0; i < n; i++) {
            flat.add(fingerprint);
          }
        });
    return flat;
  }

  private static QuotientShape randomShape(Random random, QuotientScheme scheme, int maxSlots) {
    while (true) {
      int slots = 1 + random.nextInt(maxSlots);
      if (random.nextBoolean()) {
        int remainderBits = 1 + random.nextInt(56);
        if (slots <= QuotientShape.MAX_UNIVERSE >>> remainderBits) {
          return QuotientShape.ofSlots(slots, remainderBits).with(scheme);
        }
      } else {
        int bits = 2 + random.nextInt(61);
        if (QuotientShape.fits(1L << bits, slots)) {
          return QuotientShape.ofFingerprintBits(bits, slots).with(scheme);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void tinyFiltersAfterEachStep(QuotientScheme scheme) {
    run(scheme, IS_LONG ? 600 : 200, 40, 250, 1);
  }

  @ParameterizedTest
  @EnumSource
  void smallFiltersAfterEachStep(QuotientScheme scheme) {
    run(scheme, IS_LONG ? 60 : 15, 700, 1200, 1);
  }

  @ParameterizedTest
  @EnumSource
  void largerFilters(QuotientScheme scheme) {
    run(scheme, IS_LONG ? 30 : 10, 2500, 12_000, 50);
  }

  private static void run(
      QuotientScheme scheme, int rounds, int maxSlots, int steps, int stepsPerCheck) {
    long seed = Long.getLong("winnow.seed", System.nanoTime());
    for (int round = 0; round < rounds; round++) {
      Random random = new Random(seed + round);
      QuotientShape shape = randomShape(random, scheme, maxSlots);
      Pair pair = new Pair(random, QuotientFilter.of(shape).growing(QuotientGrowth.NONE));
      int step = 0;
      boolean filling = true;
      try {
        for (; step < steps; step++) {
          if (pair.isFull()) {
            filling = false;
          } else if (pair.count == 0 || random.nextInt(200) == 0) {
            filling = true;
          }
          if (!pair.isFull() && random.nextInt(8) < (filling ? 7 : 3)) {
            pair.insert();
          } else {
            pair.delete();
          }
          switch (random.nextInt(200)) {
            case 0 -> pair.resize();
            case 1 -> pair.merge();
            case 2 -> pair.copyAndClear();
            default -> {}
          }
          if (step % stepsPerCheck == 0) {
            pair.check();
          }
          if (step % (10 * stepsPerCheck) == 0) {
            pair.checkImage();
          }
        }
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "winnow.seed=" + (seed + round) + " step " + step + " began as " + shape, e);
      }
    }
  }
}
