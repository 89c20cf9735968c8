package io.winnow;

import java.util.List;
import java.util.Random;

/** Key hashes for tests, all of them reproducible. */
public final class TestHashes {
  private TestHashes() {}

  /** The {@code index}-th output of SplitMix64 for a seed: distinct for distinct indices. */
  public static long splitMix(long seed, long index) {
    long x = seed + (index + 1) * 0x9E3779B97F4A7C15L;
    x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
    x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
    return x ^ (x >>> 31);
  }

  /** The first {@code count} outputs of SplitMix64: all distinct. */
  public static long[] distinct(long seed, int count) {
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = splitMix(seed, i);
    }
    return hashes;
  }

  /** Every function that hashes keys; one with a seed stands for all of those. */
  public static List<KeyHash> functions() {
    return List.of(KeyHash.XXH3, KeyHash.MURMUR3, KeyHash.seeded(0x0123456789ABCDEFL));
  }

  /** The same hashes in another order. */
  public static long[] shuffled(long[] hashes, long seed) {
    long[] result = hashes.clone();
    Random random = new Random(seed);
    for (int i = result.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      long swap = result[i];
      result[i] = result[j];
      result[j] = swap;
    }
    return result;
  }

  /**
   * The hash that {@link io.winnow.base.HashMix} makes this one of: for hashes that are crafted.
   */
  public static long unmix(long mixed) {
    long x = mixed * 0x319642B2D24D8EC3L; // the inverse of the second factor, modulo 2^64
    x ^= x >>> 29 ^ x >>> 58;
    x *= 0x96DE1B173F119089L; // that of the first
    return x ^ x >>> 32;
  }

  /** A filter of these hashes. */
  public static FilterImage build(FilterBuilder builder, long... hashes) {
    for (long hash : hashes) {
      builder.add(hash);
    }
    return builder.finish();
  }

  /** How many of so many random hashes, none of them likely to be in the set, are answered yes. */
  public static int countPositives(MembershipFilter filter, long seed, int probes) {
    int positives = 0;
    for (int i = 0; i < probes; i++) {
      if (filter.mightContain(splitMix(~seed, i))) {
        positives++;
      }
    }
    return positives;
  }
}
