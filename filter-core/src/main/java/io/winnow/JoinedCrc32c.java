package io.winnow;

/**
 * Joins CRC32C checksums: computes the checksum of concatenated bytes from those of the parts.
 *
 * <p>A checksum is the remainder of a polynomial over GF(2), so each following byte multiplies it
 * by {@code x^8}. It takes some dozens of steps for each bit of the length.
 */
final class JoinedCrc32c {
  /** Castagnoli's polynomial, reflected: the highest bit is the coefficient of 1. */
  private static final int POLYNOMIAL = 0x82F63B78;

  private static final int ONE = 1 << 31;
  private static final int X_TO_THE_8 = ONE >>> 8;

  private JoinedCrc32c() {}

  /**
   * Returns the CRC32C checksum of two concatenated parts, from their checksums.
   *
   * @param first the checksum of the first part
   * @param second the checksum of the {@code length} bytes that follow it
   */
  static int of(int first, int second, long length) {
    int shift = ONE;
    int power = X_TO_THE_8;
    for (long left = length; left > 0; left >>= 1) {
      if ((left & 1) != 0) {
        shift = product(shift, power);
      }
      power = product(power, power);
    }
    return product(first, shift) ^ second;
  }

  /** Returns the product of two polynomials over GF(2), reduced modulo Castagnoli's polynomial. */
  private static int product(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int bit = 31; bit >= 0; bit--) {
      product ^= shifted & -(a >>> bit & 1);
      shifted = shifted >>> 1 ^ POLYNOMIAL & -(shifted & 1);
    }
    return product;
  }
}
