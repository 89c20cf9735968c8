package io.winnow.hbase.storefile;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Row keys of 25 bytes whose order is independent of their numbers: 16 hexadecimal digits of a
 * hash, a dash, and the number in eight digits. So the key ranges of all files overlap.
 */
public final class RowKey {
  public static final int LENGTH = 25;

  private static final int DIGITS = 8;
  private static final int HASH_DIGITS = 16;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  /** The golden ratio, as SplitMix64 has it. */
  private static final long GAMMA = 0x9e3779b97f4a7c15L;

  private RowKey() {}

  /** Returns the key of the row with a given number, which is below 100 million. */
  public static byte[] of(int number) {
    return of(number, number);
  }

  /**
   * Returns the key of a row that shares the hash with other rows of an entity.
   *
   * @param number number of the row, below 100 million
   */
  public static byte[] of(int entity, int number) {
    byte[] key = new byte[LENGTH];
    long hash = mix(entity);
    for (int i = 0; i < HASH_DIGITS; i++) {
      key[i] = HEX[(int) (hash >>> (60 - 4 * i)) & 15];
    }
    key[HASH_DIGITS] = '-';
    int rest = number;
    for (int i = LENGTH - 1; i > HASH_DIGITS; i--) {
      key[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return key;
  }

  /** Returns the row number that a row key at an offset of an array contains. */
  public static int number(byte[] bytes, int offset) {
    int number = 0;
    for (int i = LENGTH - DIGITS; i < LENGTH; i++) {
      number = 10 * number + bytes[offset + i] - '0';
    }
    return number;
  }

  /** Mixes the bits of a number, as the finalizer of SplitMix64 does; a bijection. */
  public static long mix(long number) {
    return new SplittableRandom(number * GAMMA).nextLong();
  }
}
