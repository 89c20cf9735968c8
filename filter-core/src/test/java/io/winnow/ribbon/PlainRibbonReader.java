package io.winnow.ribbon;

import java.math.BigInteger;

/**
 * A reader of ribbon images written from {@code docs/format/ribbon-v1.md} alone: bit by bit, with
 * big integers, sharing no code with the filter. The oracle that the real probe is compared with.
 */
public final class PlainRibbonReader {
  private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);
  private static final BigInteger SEED_FACTOR = hex("9E3779B97F4A7C15");
  private static final BigInteger MIX_1 = hex("BF58476D1CE4E5B9");
  private static final BigInteger MIX_2 = hex("94D049BB133111EB");
  private static final BigInteger ROW_FACTOR = hex("C28F82822B650BED");
  private static final BigInteger HIGH_ROW_FACTOR = hex("D6E8FEB86659FD93");

  private final byte[] image;
  private final int payload;
  private final long blocks;
  private final long lowerBlocks;
  private final BigInteger seed;
  private final int width;
  private final int columns;

  public PlainRibbonReader(byte[] image) {
    this(image, 40, 64);
  }

  /** Of a shape and a payload that stand elsewhere in an image. */
  PlainRibbonReader(byte[] image, int shape, int payload) {
    this.image = image;
    this.payload = payload;
    blocks = unsigned(shape, 4).longValueExact();
    lowerBlocks = unsigned(shape + 4, 4).longValueExact();
    seed = unsigned(shape + 8, 4);
    width = unsigned(shape + 12, 1).intValueExact();
    columns = unsigned(shape + 13, 1).intValueExact();
  }

  /** An unsigned little-endian number in the image. */
  private BigInteger unsigned(int offset, int length) {
    BigInteger value = BigInteger.ZERO;
    for (int i = length - 1; i >= 0; i--) {
      value = value.shiftLeft(8).or(BigInteger.valueOf(image[offset + i] & 0xFF));
    }
    return value;
  }

  public boolean mightContain(long keyHash) {
    if (blocks == 0) {
      return false;
    }
    BigInteger mixed = mixed(keyHash);
    long start = start(mixed);
    BigInteger row = row(mixed);
    long usedColumns = start / width < lowerBlocks ? columns - 1 : columns;
    for (int column = 0; column < usedColumns; column++) {
      boolean sum = false;
      for (int i = 0; i < width; i++) {
        if (row.testBit(i)) {
          sum ^= bit(start + i, column);
        }
      }
      if (sum) {
        return false;
      }
    }
    return true;
  }

  private BigInteger mixed(long keyHash) {
    BigInteger x = new BigInteger(Long.toUnsignedString(keyHash));
    x = x.xor(times(seed, SEED_FACTOR));
    x = times(x.xor(x.shiftRight(32)), MIX_1);
    return times(x.xor(x.shiftRight(29)), MIX_2);
  }

  long start(BigInteger mixed) {
    long slots = blocks * width;
    long rawStarts = slots - width + 1 + width / 2;
    BigInteger half = mixed.shiftRight(1);
    long raw = half.multiply(BigInteger.valueOf(rawStarts)).shiftRight(63).longValueExact();
    long start = raw - width / 4;
    return Math.max(0, Math.min(slots - width, start));
  }

  private BigInteger row(BigInteger mixed) {
    BigInteger low = times(mixed.xor(mixed.shiftRight(32)), ROW_FACTOR).setBit(0);
    if (width == 64) {
      return low;
    }
    BigInteger high = times(mixed, HIGH_ROW_FACTOR);
    return high.xor(high.shiftRight(32)).shiftLeft(64).or(low);
  }

  /** The bit of a slot in a column. */
  private boolean bit(long slot, int column) {
    long block = slot / width;
    long bytesPerColumn = width / 8;
    long columnsBefore = block * columns - Math.min(block, lowerBlocks);
    long place = slot % width;
    long index = payload + (columnsBefore + column) * bytesPerColumn + place / 8;
    return (image[(int) index] >> (place % 8) & 1) != 0;
  }

  private static BigInteger times(BigInteger a, BigInteger b) {
    return a.multiply(b).mod(TWO_64);
  }

  private static BigInteger hex(String digits) {
    return new BigInteger(digits, 16);
  }
}
