package io.winnow.hbase.rates;

import java.nio.charset.StandardCharsets;

/**
 * Row keys of 25 bytes whose order is independent of their numbers: 16 hexadecimal digits of a
 * hash, a dash, and the number in eight digits. So the key ranges of all files overlap.
 */
final class RowKey {
  static final int LENGTH = 25;

  private static final int DIGITS = 8;
  private static final int HASH_DIGITS = 16;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private RowKey() {}

  /** Returns the key of the row with a given number, which is below 100 million. */
  static byte[] of(int number) {
    byte[] key = new byte[LENGTH];
    long hash = mix(number);
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
  static int number(byte[] bytes, int offset) {
    int number = 0;
    for (int i = LENGTH - DIGITS; i < LENGTH; i++) {
      number = 10 * number + bytes[offset + i] - '0';
    }
    return number;
  }

  /** Mixes the bits of a number, as the finalizer of SplitMix64 does; a bijection. */
  private static long mix(long number) {
    long z = (number + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
