package io.winnow.format;

/**
 * The CRC32C of bytes that stand one behind the other, from those of the parts.
 *
 * <p>A checksum is the rest of a polynomial over GF(2), so bytes behind it multiply it by {@code
 * x^8} each. Takes some dozens of steps for each bit of the length.
 */
final class JoinedCrc32c {
  /** Castagnoli's polynomial; the bit of the highest value is the coefficient of 1. */
  private static final int POLYNOMIAL = 0x82F63B78;

  private static final int ONE = 1 << 31;
  private static final int X_TO_THE_8 = ONE >>> 8;

  private JoinedCrc32c() {}

  /**
   * @param second the checksum of the {@code length} bytes that come behind those of {@code first}
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
