package io.winnow.bloom;

/**
 * The positions of a key's bits in a Bloom filter, wherever its bits are kept.
 *
 * <p>Enhanced double hashing: two numbers from the key's 64-bit hash, and then two additions per
 * position, each reduced by at most one subtraction, so that many hash functions cost little more
 * than few. The hash is mixed first; any bits of it may therefore serve beforehand to choose one of
 * several filters. Two positions of a key may coincide, as in any Bloom filter. Immutable and
 * thread-safe.
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

  private final BloomSizing sizing;

  private BloomPositions(BloomSizing sizing) {
    this.sizing = sizing;
  }

  public static BloomPositions of(BloomSizing sizing) {
    return new BloomPositions(sizing);
  }

  public BloomSizing sizing() {
    return sizing;
  }

  /**
   * Writes the key's positions into {@code positions}, each in {@code [0, bits)}, in the order in
   * which a lookup should ask for them: as many as there are hash functions.
   *
   * @throws IndexOutOfBoundsException if there is no room for them
   */
  public void of(long keyHash, long[] positions) {
    long bits = sizing.bits();
    long mixed = mix(keyHash);
    long position = first(mixed, bits);
    long stride = stride(mixed, bits);
    positions[0] = position;
    for (int i = 1; i < sizing.hashFunctions(); i++) {
      position = wrapped(position + stride, bits);
      stride = wrapped(stride + i, bits);
      positions[i] = position;
    }
  }

  static long mix(long keyHash) {
    long x = (keyHash ^ (keyHash >>> 33)) * MIX_1;
    x = (x ^ (x >>> 33)) * MIX_2;
    return x ^ (x >>> 33);
  }

  static long first(long mixed, long bits) {
    return Math.multiplyHigh(mixed >>> 1, bits << 1);
  }

  /** How far the second position is from the first; it then changes by 1, by 2, and so on. */
  static long stride(long mixed, long bits) {
    return Math.multiplyHigh((mixed * STRIDE_FACTOR) >>> 1, bits << 1);
  }

  /** A sum below {@code 2 bits} modulo {@code bits}, without a branch. */
  static long wrapped(long sum, long bits) {
    long less = sum - bits;
    return less + (bits & (less >> 63));
  }
}
