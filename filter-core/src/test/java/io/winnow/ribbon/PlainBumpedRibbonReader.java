package io.winnow.ribbon;

import java.math.BigInteger;

/**
 * A reader of bumped ribbon images written from {@code docs/format/bumped-ribbon-v1.md} alone: bit
 * by bit, with big integers, sharing no code with the filter.
 */
final class PlainBumpedRibbonReader {
  private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);
  private static final BigInteger SEED_FACTOR = hex("9E3779B97F4A7C15");
  private static final BigInteger LAYER_MASK = hex("A0761D6478BD642F");
  private static final BigInteger MIX_1 = hex("BF58476D1CE4E5B9");
  private static final BigInteger MIX_2 = hex("94D049BB133111EB");
  private static final BigInteger ROW_FACTOR = hex("C28F82822B650BED");
  private static final BigInteger FINGERPRINT_FACTOR = hex("E7037ED1A0B428DB");
  private static final int[] LIMITS = {128, 36, 17, 0};

  private final byte[] image;
  private final BigInteger seed;
  private final int layers;
  private final int columns;

  PlainBumpedRibbonReader(byte[] image) {
    this.image = image;
    seed = unsigned(40, 4);
    layers = unsigned(44, 1).intValueExact();
    columns = unsigned(45, 1).intValueExact();
  }

  boolean mightContain(long keyHash) {
    BigInteger x = new BigInteger(Long.toUnsignedString(keyHash));
    BigInteger mask = times(seed, SEED_FACTOR);
    int position = 64 + 8 * layers + 16;
    for (int layer = 0; layer < layers; layer++) {
      x = mix(x.xor(mask));
      mask = LAYER_MASK;
      long blocks = unsigned(64 + 8 * layer, 4).longValueExact();
      long lowerBlocks = unsigned(68 + 8 * layer, 4).longValueExact();
      long starts = 64 * blocks - 63;
      long buckets = (starts + 127) / 128;
      int thresholdBytes = 8 * (int) ((buckets + 31) / 32);
      int solution = position + thresholdBytes;
      long start =
          x.shiftRight(1).multiply(BigInteger.valueOf(starts)).shiftRight(63).longValueExact();
      long bucket = start / 128;
      int threshold = image[position + (int) (bucket / 4)] >> 2 * (int) (bucket % 4) & 3;
      if (start % 128 >= LIMITS[threshold]) {
        return matches(x, start, solution, lowerBlocks);
      }
      position = solution + 8 * (int) (blocks * columns - lowerBlocks);
    }
    long asHash = x.longValue();
    return new PlainRibbonReader(image, 64 + 8 * layers, position).mightContain(asHash);
  }

  private boolean matches(BigInteger x, long start, int solution, long lowerBlocks) {
    BigInteger y = x.xor(x.shiftRight(32));
    BigInteger row = times(y, ROW_FACTOR).setBit(0);
    BigInteger f = times(y, FINGERPRINT_FACTOR);
    BigInteger fingerprint = f.xor(f.shiftRight(32));
    int used = start / 64 < lowerBlocks ? columns - 1 : columns;
    for (int column = 0; column < used; column++) {
      boolean sum = false;
      for (int i = 0; i < 64; i++) {
        if (row.testBit(i)) {
          long slot = start + i;
          long block = slot / 64;
          long place = block * columns - Math.min(block, lowerBlocks) + column;
          int index = solution + (int) (8 * place + slot % 64 / 8);
          sum ^= (image[index] >> slot % 8 & 1) != 0;
        }
      }
      if (sum != fingerprint.testBit(column)) {
        return false;
      }
    }
    return true;
  }

  private static BigInteger mix(BigInteger x) {
    x = times(x.xor(x.shiftRight(32)), MIX_1);
    return times(x.xor(x.shiftRight(29)), MIX_2);
  }

  private static BigInteger times(BigInteger a, BigInteger b) {
    return a.multiply(b).mod(TWO_64);
  }

  private static BigInteger hex(String digits) {
    return new BigInteger(digits, 16);
  }

  /** An unsigned little-endian number in the image. */
  private BigInteger unsigned(int offset, int length) {
    BigInteger value = BigInteger.ZERO;
    for (int i = length - 1; i >= 0; i--) {
      value = value.shiftLeft(8).or(BigInteger.valueOf(image[offset + i] & 0xFF));
    }
    return value;
  }
}
