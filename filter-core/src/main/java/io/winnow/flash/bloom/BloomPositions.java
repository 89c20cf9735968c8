package io.winnow.flash.bloom;

/**
 * The positions of a key's bits in a Bloom filter, in memory or on flash.
 *
 * <p>Enhanced double hashing, in fixed point: two numbers from the key's 64-bit hash, x and y, and
 * then {@code x + i y + (i^3 - i) / 6} as fractions of the whole filter, by two additions and a
 * multiplication per position, so that many hash functions cost little. The hash is mixed first, so
 * any of its bits may also be used to choose one of several filters. Two positions of a key may
 * coincide, as in any Bloom filter.
 *
 * <p>Schema-critical: filters on flash depend on these constants and operations.
 *
 * <p>Dillinger and Manolios, "Bloom Filters in Probabilistic Verification", FMCAD 2004, section
 * 5.2.
 */
public final class BloomPositions {
  private static final long MIX_1 = 0xFF51AFD7ED558CCDL;
  private static final long MIX_2 = 0xC4CEB9FE1A85EC53L;
  private static final long STRIDE_FACTOR = 0x9E3779B97F4A7C15L;

  /**
   * Number by which the stride between the positions of a key's bits grows after each position: see
   * {@link #stride}.
   */
  public static final long CUBIC = 0xD1B54A32D192ED03L;

  private BloomPositions() {}

  /**
   * Computes the positions of a key's bits in a Bloom filter: one for each hash function, in the
   * order in which a lookup should read them. Each is in {@code [0, bits)}.
   *
   * @throws IndexOutOfBoundsException if the array is too short
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

  /** Returns the position of a key's first bit, as a fraction of all bits, in units of 2^-64. */
  public static long fraction(long keyHash) {
    long x = (keyHash ^ (keyHash >>> 33)) * MIX_1;
    x = (x ^ (x >>> 33)) * MIX_2;
    return x ^ (x >>> 33);
  }

  /**
   * Returns the distance from a key's first position to its second, as a fraction of all bits, in
   * units of 2^-64. After the i-th position it grows by {@code i * CUBIC}.
   *
   * @param first the first position, as a fraction of 2^64
   */
  public static long stride(long first) {
    return (first ^ (first >>> 32)) * STRIDE_FACTOR;
  }

  /**
   * Converts a fraction of all bits of a Bloom filter, in units of 2^-64, to the number of a bit.
   *
   * @param bits number of bits, below 2^62
   */
  public static long position(long fraction, long bits) {
    return Math.multiplyHigh(fraction >>> 1, bits << 1);
  }
}
