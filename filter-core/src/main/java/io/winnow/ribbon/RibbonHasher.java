package io.winnow.ribbon;

import io.winnow.base.HashMix;

/**
 * Computes a key's start and its coefficient row from its 64-bit hash: the window of slots that a
 * probe reads, and the slots of it that the probe combines.
 *
 * <p>Schema-critical: every constant and every operation here is part of {@code
 * docs/format/ribbon-v1.md}. The seed is applied before the mixing, so that another seed leads to
 * unrelated starts and rows. The mixing is a bijection, so distinct hashes stay distinct. Starts
 * increase with the top bits of the mixed hash: sorting or partitioning by these bits sorts or
 * partitions by start.
 */
final class RibbonHasher {
  private static final long SEED_FACTOR = 0x9E3779B97F4A7C15L;
  private static final long ROW_FACTOR = 0xC28F82822B650BEDL;
  private static final long HIGH_ROW_FACTOR = 0xD6E8FEB86659FD93L;

  /**
   * Mask that is xored into a mixed hash before it is mixed again for the next layer of a bumped
   * Ribbon filter.
   */
  static final long LAYER_MASK = 0xA0761D6478BD642FL;

  private static final long FINGERPRINT_FACTOR = 0xE7037ED1A0B428DBL;

  private RibbonHasher() {}

  /** Returns the mask that is xored into every hash for this seed; 0 for seed 0. */
  static long seedMask(int seed) {
    return Integer.toUnsignedLong(seed) * SEED_FACTOR;
  }

  /** Returns the mixed hash of a key, from which its start and coefficient row are computed. */
  static long mix(long keyHash, long seedMask) {
    return HashMix.mix(keyHash ^ seedMask);
  }

  /**
   * Returns the number of raw starts of a homogeneous Ribbon filter: one per window of slots, and a
   * quarter of the width more on each side. The latter are clamped to the edge ("smash"), so that
   * the outermost slots are covered as well as the others.
   */
  static long rawStarts(long slots, int width) {
    return slots - width + 1 + width / 2;
  }

  /**
   * Returns the first slot of a key's window in a homogeneous Ribbon filter, in {@code [0, slots -
   * width]}. It increases with the mixed hash as an unsigned number.
   */
  static int start(long mixed, long rawStarts, int width) {
    long raw = Math.multiplyHigh(mixed >>> 1, rawStarts << 1);
    return (int) clamp(raw, rawStarts, width);
  }

  /**
   * Returns the first slot of a Ribbon filter's window for a raw start, which is clamped so that
   * the window is within the slots.
   */
  static long clamp(long raw, long rawStarts, int width) {
    long lastStart = rawStarts - 1 - width / 2;
    return Math.min(Math.max(raw - width / 4, 0), lastStart);
  }

  /**
   * Returns the first slot of a key's window in a bumped Ribbon filter's layer with a given number
   * of windows.
   */
  static int plainStart(long mixed, long starts) {
    return (int) Math.multiplyHigh(mixed >>> 1, starts << 1);
  }

  /**
   * Returns the expected values of the columns for a key in a bumped Ribbon filter's layer: bit i
   * for column i, at most 56.
   */
  static long fingerprint(long mixed) {
    long x = (mixed ^ (mixed >>> 32)) * FINGERPRINT_FACTOR;
    return x ^ (x >>> 32);
  }

  /**
   * Returns the coefficient row of a key in a Ribbon filter, or its low 64 bits if it has 128. Bit
   * 0 is always set.
   */
  static long row(long mixed) {
    return ((mixed ^ (mixed >>> 32)) * ROW_FACTOR) | 1;
  }

  /** Returns the high 64 bits of a key's coefficient row of 128 bits in a Ribbon filter. */
  static long highRow(long mixed) {
    long x = mixed * HIGH_ROW_FACTOR;
    return x ^ (x >>> 32);
  }

  /**
   * Returns the values in a Ribbon solution of a slot that no row determines: one pseudo-random bit
   * per column, computed from the slot's number.
   */
  static long freeSlot(long slot, long seedMask) {
    long x = mix(slot + 1, seedMask ^ ROW_FACTOR);
    return x ^ (x >>> 32);
  }
}
