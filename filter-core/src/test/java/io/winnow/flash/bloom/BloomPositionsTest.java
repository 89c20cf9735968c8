package io.winnow.flash.bloom;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;

class BloomPositionsTest {
  /** Schema-critical: what was written to a device once must be found for ever. */
  @Test
  void pinnedPositions() {
    assertArrayEquals(new long[] {0, 0, 819, 276}, positions(new BloomSizing(1000, 4), 0));
    assertArrayEquals(
        new long[] {530, 992, 274, 194}, positions(new BloomSizing(1000, 4), 0x123456789ABCDEFL));
    assertArrayEquals(
        new long[] {72_905_359_313L, 136_461_684_691L},
        positions(new BloomSizing(1L << 37, 2), 0x123456789ABCDEFL));
  }

  /** By big integers: x + i y + (i^3 - i) / 6 times a constant, modulo 2^64, of so many bits. */
  @Test
  void theClosedForm() {
    BigInteger whole = BigInteger.ONE.shiftLeft(64);
    for (long bits :
        new long[] {64, 65, 1000, 1 << 20, 4_000_000_007L, (1L << 37) - 1, 1L << 37, 1L << 44}) {
      for (int key = 0; key < 200; key++) {
        BigInteger x = unsigned(BloomPositions.fraction(splitMix(bits, key)));
        BigInteger y = unsigned(BloomPositions.stride(x.longValue()));
        long[] positions = positions(new BloomSizing(bits, 64), splitMix(bits, key));
        for (int i = 0; i < positions.length; i++) {
          BigInteger cubic =
              BigInteger.valueOf(((long) i * i * i - i) / 6)
                  .multiply(unsigned(BloomPositions.CUBIC));
          BigInteger fraction = x.add(y.multiply(BigInteger.valueOf(i))).add(cubic).mod(whole);
          BigInteger expected =
              fraction.shiftRight(1).multiply(BigInteger.valueOf(bits)).shiftRight(63);
          assertEquals(expected.longValue(), positions[i]);
        }
      }
    }
  }

  /** Every bit is somebody's, and none is everybody's. */
  @Test
  void positionsAreEven() {
    int bits = 1000;
    int keys = 50_000;
    BloomSizing sizing = new BloomSizing(bits, 8);
    for (int i = 0; i < 8; i++) {
      int[] counts = new int[bits];
      for (int key = 0; key < keys; key++) {
        counts[(int) positions(sizing, splitMix(5, key))[i]]++;
      }
      double chiSquare = 0;
      double expected = keys / (double) bits;
      for (int count : counts) {
        chiSquare += (count - expected) * (count - expected) / expected;
      }
      double sigma = Math.sqrt(2.0 * (bits - 1));
      assertTrue(Math.abs(chiSquare - (bits - 1)) < 5 * sigma, i + "th: " + chiSquare);
    }
  }

  @Test
  void roomIsChecked() {
    BloomSizing sizing = new BloomSizing(1000, 4);
    assertThrows(IndexOutOfBoundsException.class, () -> BloomPositions.of(sizing, 1, new long[3]));
  }

  private static long[] positions(BloomSizing sizing, long keyHash) {
    long[] positions = new long[sizing.hashFunctions()];
    BloomPositions.of(sizing, keyHash, positions);
    return positions;
  }

  private static BigInteger unsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }
}
