package io.winnow.ribbon;

import static io.winnow.TestHashes.splitMix;

import io.winnow.base.KeyBuffer;
import java.math.BigInteger;

/** Hashes and shapes that only someone who knows the inside of a ribbon can come up with. */
final class RibbonHashes {
  private RibbonHashes() {}

  /** These hashes as a builder holds them. */
  static KeyBuffer buffer(long... hashes) {
    KeyBuffer keys = new KeyBuffer();
    keys.add(hashes, 0, hashes.length);
    return keys;
  }

  /** The hash that mixes to {@code mixed} under seed 0, found by undoing each step. */
  static long unmix(long mixed) {
    // The constants are the format page's.
    long x = mixed * inverse(0x94D049BB133111EBL);
    x = x ^ (x >>> 29) ^ (x >>> 58);
    x *= inverse(0xBF58476D1CE4E5B9L);
    return x ^ (x >>> 32);
  }

  private static long inverse(long odd) {
    BigInteger modulus = BigInteger.ONE.shiftLeft(64);
    return new BigInteger(Long.toUnsignedString(odd)).modInverse(modulus).longValue();
  }

  /** Distinct hashes whose mixed hashes under seed 0 agree in their top 40 bits. */
  static long[] crowded(int count) {
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = unmix(0x5A5A5A5A5AL << 24 | splitMix(1, 0) >>> 40 ^ i);
    }
    return hashes;
  }

  /** Distinct hashes whose mixed hashes under seed 0 lie in {@code [0, end)}, taken as unsigned. */
  static long[] below(long end, int count) {
    long[] hashes = new long[count];
    int found = 0;
    for (long i = 0; found < count; i++) {
      hashes[found++] = unmix(Math.multiplyHigh(splitMix(7, i) >>> 1, end << 1)); // end below 2^62
    }
    return hashes;
  }

  /**
   * Mixed hashes of one start, distinct: the first 64 have rows that span all others, and the rest
   * agree with them in so many columns, so that a bumped layer can keep them all.
   */
  static long[] agreeing(int count, int columns) {
    long[] mixed = new long[count];
    long[] rows = new long[64]; // by their lowest coefficient
    long[] rights = new long[64];
    int found = 0;
    long mask = (1L << columns) - 1;
    long candidate = 0x5A5A5A5AL << 32;
    for (; found < 64; candidate++) {
      long row = RibbonHasher.row(candidate);
      long right = RibbonHasher.fingerprint(candidate) & mask;
      while (row != 0) {
        int lowest = Long.numberOfTrailingZeros(row);
        if (rows[lowest] == 0) {
          rows[lowest] = row;
          rights[lowest] = right;
          mixed[found++] = candidate;
          break;
        }
        row ^= rows[lowest];
        right ^= rights[lowest];
      }
    }
    long[] solution = new long[columns];
    for (int slot = 63; slot >= 0; slot--) {
      for (int column = 0; column < columns; column++) {
        long sum = Long.bitCount(solution[column] & rows[slot]) + (rights[slot] >>> column);
        solution[column] |= (sum & 1) << slot;
      }
    }
    for (; found < count; candidate++) {
      long row = RibbonHasher.row(candidate);
      long right = RibbonHasher.fingerprint(candidate);
      int column = 0;
      while (column < columns
          && ((Long.bitCount(solution[column] & row) ^ (right >>> column)) & 1) == 0) {
        column++;
      }
      if (column == columns) {
        mixed[found++] = candidate;
      }
    }
    return mixed;
  }

  /** Distinct hashes that all start in the first half of the slots under the first few seeds. */
  static long[] unlucky(int count, int seeds) {
    return unlucky(count, seeds, 2);
  }

  /** As {@link #unlucky(int, int)}, in the first of so many parts. */
  static long[] unlucky(int count, int seeds, int parts) {
    long[] hashes = new long[count];
    long end = Long.divideUnsigned(-1, parts);
    int found = 0;
    for (long i = 0; found < count; i++) {
      long hash = splitMix(99, i);
      boolean unlucky = true;
      for (int seed = 0; seed < seeds && unlucky; seed++) {
        long mixed = RibbonHasher.mix(hash, RibbonHasher.seedMask(seed));
        unlucky = Long.compareUnsigned(mixed, end) <= 0;
      }
      if (unlucky) {
        hashes[found++] = hash;
      }
    }
    return hashes;
  }

  /** For some numbers of blocks the most keys that are given no more. */
  static int[] maxKeysPerBlocks(RibbonSizing sizing, int... blockCounts) {
    int[] result = new int[blockCounts.length];
    for (int i = 0; i < blockCounts.length; i++) {
      int keys = 1;
      while (sizing.slots(keys + 1, 0) <= (long) blockCounts[i] * sizing.width()) {
        keys++;
      }
      result[i] = keys;
    }
    return result;
  }
}
