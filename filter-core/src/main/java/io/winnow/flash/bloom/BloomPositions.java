package io.winnow.flash.bloom;

/**
 * The positions of a key's bits in a Bloom filter, wherever its bits are kept.
 *
 * <p>Enhanced double hashing, in fixed point: two numbers from the key's 64-bit hash, x and y, and
 * then {@code x + i y + (i^3 - i) / 6} as fractions of the whole filter, by two additions and a
 * multiplication per position, so that many hash functions cost little. The hash is mixed first;
 * any bits of it may therefore serve beforehand to choose one of several filters. Two positions of
 * a key may coincide, as in any Bloom filter.
 *
 * <p>Schema-critical: filters that are kept on a device are found again by these constants and
 * operations alone.
 *
 * <p>Dillinger and Manolios, "Bloom Filters in Probabilistic Verification", FMCAD 2004, section
 * 5.2.
 */
public final class BloomPositions {
  private static final long MIX_1 = 0xFF51AFD7ED558CCDL;
  private static final long MIX_2 = 0xC4CEB9FE1A85EC53L;
  private static final long STRIDE_FACTOR = 0x9E3779B97F4A7C15L;
  public static final long CUBIC = 0xD1B54A32D192ED03L;

  private BloomPositions() {}

  /**
   * Writes the key's positions into {@code positions}, each in {@code [0, bits)}, in the order in
   * which a lookup should ask for them: as many as there are hash functions.
   *
   * @throws IndexOutOfBoundsException if there is no room for them
   */
  public static void of(BloomSizing sizing, long keyHash, long[] positions) {
    long bits = sizing.bits();
    long fraction = fraction(keyHash);
    long stride = stride(fraction);
    positions[0] = position(fraction, bits);
    for (int i = 1; i < sizing.hashFunctions(); i++) {
      fraction += stride;
      stride += i * CUBIC;
      positions[i] = position(fraction, bits);
    }
  }

  /** The first position, as a fraction of 2^64. */
  public static long fraction(long keyHash) {
    long x = (keyHash ^ (keyHash >>> 33)) * MIX_1;
    x = (x ^ (x >>> 33)) * MIX_2;
    return x ^ (x >>> 33);
  }

  /**
   * How far the second position is from the first, of which the fraction is given; after the i-th
   * position it grows by {@code i * CUBIC}.
   */
  public static long stride(long first) {
    return (first ^ (first >>> 32)) * STRIDE_FACTOR;
  }

  /** The bit at a fraction of all, of which there are fewer than 2^62. */
  public static long position(long fraction, long bits) {
    return Math.multiplyHigh(fraction >>> 1, bits << 1);
  }
}
