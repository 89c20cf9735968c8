package io.winnow.ribbon;

import io.winnow.hash.HashMix;

/**
 * From a key's 64-bit hash to where it looks (its start) and which slots there it combines (its
 * coefficient row).
 *
 * <p>Schema-critical: every constant and every operation here is part of {@code
 * docs/format/ribbon-v1.md}. The seed goes in before the mixing, so that another seed gives
 * unrelated starts and rows; the mixing is a bijection, so distinct hashes stay distinct. Starts
 * follow the top bits of the mixed hash: sorting or partitioning by those sorts or partitions by
 * start.
 */
final class RibbonHasher {
  private static final long SEED_FACTOR = 0x9E3779B97F4A7C15L;
  private static final long ROW_FACTOR = 0xC28F82822B650BEDL;
  private static final long HIGH_ROW_FACTOR = 0xD6E8FEB86659FD93L;

  /** What is xored into a mixed hash before it is mixed again for the next bumped layer. */
  static final long LAYER_MASK = 0xA0761D6478BD642FL;

  private static final long FINGERPRINT_FACTOR = 0xE7037ED1A0B428DBL;

  private RibbonHasher() {}

  /** What is xored into every hash for this seed; 0 for seed 0. */
  static long seedMask(int seed) {
    return Integer.toUnsignedLong(seed) * SEED_FACTOR;
  }

  /** The mixed hash, from which start and row come. */
  static long mix(long keyHash, long seedMask) {
    return HashMix.mix(keyHash ^ seedMask);
  }

  /**
   * How many raw starts there are: one per window, and a quarter width more on each side that is
   * clamped to the edge ("smash"), so that the outermost slots are as well covered as the others.
   */
  static long rawStarts(long slots, int width) {
    return slots - width + 1 + width / 2;
  }

  /** The start: monotone in the mixed hash taken as unsigned, in {@code [0, slots - width]}. */
  static int start(long mixed, long rawStarts, int width) {
    long raw = Math.multiplyHigh(mixed >>> 1, rawStarts << 1);
    return (int) clamp(raw, rawStarts, width);
  }

  /** The start that a raw start in {@code [0, rawStarts)} stands for. */
  static long clamp(long raw, long rawStarts, int width) {
    long lastStart = rawStarts - 1 - width / 2;
    return Math.min(Math.max(raw - width / 4, 0), lastStart);
  }

  /** The start where no raw start is clamped: there are {@code starts} of them. */
  static int plainStart(long mixed, long starts) {
    return (int) Math.multiplyHigh(mixed >>> 1, starts << 1);
  }

  /**
   * What the columns must come to in a system with right-hand sides: bit i for column i, of which
   * there are 56 at most.
   */
  static long fingerprint(long mixed) {
    long x = (mixed ^ (mixed >>> 32)) * FINGERPRINT_FACTOR;
    return x ^ (x >>> 32);
  }

  /** The coefficient row, or its low word when it has 128 bits. Bit 0 is always set. */
  static long row(long mixed) {
    return ((mixed ^ (mixed >>> 32)) * ROW_FACTOR) | 1;
  }

  /** The high word of a coefficient row of 128 bits. */
  static long highRow(long mixed) {
    long x = mixed * HIGH_ROW_FACTOR;
    return x ^ (x >>> 32);
  }

  /** The value of a free variable: one pseudo-random bit per column, from the slot's number. */
  static long freeSlot(long slot, long seedMask) {
    long x = mix(slot + 1, seedMask ^ ROW_FACTOR);
    return x ^ (x >>> 32);
  }
}
