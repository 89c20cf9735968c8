package io.winnow.ycsb;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The row keys of a run: {@code rows} keys that are in the table, and as many that are not and lie
 * among them, all of one exact length.
 *
 * <p>A key is {@code user} and a number in digits of 64, as YCSB's keys are {@code user} and a
 * decimal; what is left of the length is filled with characters that follow from the number. The
 * number of index <i>i</i> is a bijection's: keys are distinct, and index order says nothing of key
 * order. Indexes in [0, rows) are present, those in [rows, 2 rows) absent: in key order the two
 * kinds alternate as a fair coin would have it, so that a store file's key range rules out no
 * absent key (but for one or so beyond either end) and a block index leads to a block; the filter
 * has to answer.
 *
 * <p>If rows come in groups, those of one group have all but the last of these digits in common,
 * and the group's number is the bijection's.
 *
 * <p>Keys sort by their {@linkplain #number(long) number}: a load sorts numbers, not keys.
 * Immutable and thread-safe; about 20 ns a key of 25 bytes.
 */
public final class KeySpace {

  /** Below it the digits would not suffice for a table worth measuring. */
  public static final int MIN_KEY_LENGTH = 8;

  /** What rows of a group have in common, in keys of 14 bytes and more. */
  public static final int GROUP_BYTES = 13;

  /** HBase's limit. */
  public static final int MAX_KEY_LENGTH = Short.MAX_VALUE;

  /** In the order of their codes, which makes the order of keys that of their numbers. */
  private static final byte[] DIGITS =
      latin1("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");

  private static final byte[] PREFIX = latin1("user");
  private static final int BITS_PER_DIGIT = 6;
  private static final int MAX_DIGITS = 10;

  /** Odd, hence invertible modulo any power of two. */
  private static final long[] FACTORS = {0xbf58476d1ce4e5b9L, 0x94d049bb133111ebL};

  private static final byte[] VALUES = values();

  private final int keyLength;
  private final long rows;
  private final int digits;
  private final int group;

  /** The bits of a number that tell the row of a group. */
  private final int rowBits;

  private final long mask;
  private final int shift;

  private KeySpace(int keyLength, long rows, int group) {
    this.keyLength = keyLength;
    this.rows = rows;
    this.group = group;
    this.rowBits = group == 1 ? 0 : BITS_PER_DIGIT;
    this.digits = Math.min(MAX_DIGITS, keyLength - PREFIX.length);
    int bits = digits * BITS_PER_DIGIT - rowBits; // in 18..60
    this.mask = (1L << bits) - 1;
    this.shift = bits / 2; // bits is even: x ^ (x >>> shift) is its own inverse
  }

  /**
   * The keys of a table.
   *
   * @throws IllegalArgumentException if the length is not in 8..32767, or too short for this number
   *     of rows: 8 bytes are enough for 8.3 million, 10 for 34 billion
   */
  public static KeySpace of(int keyLength, long rows) {
    return of(keyLength, rows, 1);
  }

  /**
   * The same with rows that come in groups: indexes that follow each other, from a multiple of
   * {@code group} on, have keys that follow each other.
   *
   * @param group rows of each, 1 to 64; {@code rows} is a multiple of it
   */
  public static KeySpace of(int keyLength, long rows, int group) {
    if (group < 1 || group > DIGITS.length || rows % group != 0) {
      throw new IllegalArgumentException(
          rows + " rows do not come in groups of " + group + ", 1 to " + DIGITS.length);
    }
    if (keyLength < MIN_KEY_LENGTH || keyLength > MAX_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "key length " + keyLength + " is not in " + MIN_KEY_LENGTH + ".." + MAX_KEY_LENGTH);
    }
    KeySpace space = new KeySpace(keyLength, rows, group);
    long most = (space.mask + 1) / 2 * group;
    if (rows < 1 || rows > most) {
      throw new IllegalArgumentException(
          rows + " rows are not in 1.." + most + ", what keys of " + keyLength + " bytes allow");
    }
    return space;
  }

  /** How many keys are present, and how many are absent. */
  public long rows() {
    return rows;
  }

  /** Every key's length in bytes. */
  public int keyLength() {
    return keyLength;
  }

  /** Whether the key of an index in [0, 2 rows) is in the table. */
  public boolean isPresent(long index) {
    return index >= 0 && index < rows;
  }

  /** The key of an index in [0, 2 rows). */
  public byte[] key(long index) {
    return keyOfNumber(number(index));
  }

  /**
   * The number in the key of an index in [0, 2 rows): keys and numbers have the same order.
   *
   * @throws IllegalArgumentException if there is no such index
   */
  public long number(long index) {
    if (index < 0 || index >= 2 * rows) {
      throw new IllegalArgumentException("index " + index + " is not in 0.." + (2 * rows - 1));
    }
    long x = (index / group + 1) & mask; // 0 would be its own image
    for (long factor : FACTORS) {
      x = ((x ^ (x >>> shift)) * factor) & mask;
    }
    return (x ^ (x >>> shift)) << rowBits | index % group;
  }

  /** The index of a number that {@link #number(long)} gave. */
  public long indexOfNumber(long number) {
    long x = number >>> rowBits;
    x ^= x >>> shift;
    for (int i = FACTORS.length - 1; i >= 0; i--) {
      x = (x * inverse(FACTORS[i])) & mask;
      x ^= x >>> shift;
    }
    return ((x - 1) & mask) * group + (number & (1L << rowBits) - 1);
  }

  /** The key of a number that {@link #number(long)} gave. */
  public byte[] keyOfNumber(long number) {
    byte[] key = new byte[keyLength];
    System.arraycopy(PREFIX, 0, key, 0, PREFIX.length);
    int position = PREFIX.length;
    for (int digit = digits - 1; digit >= 0; digit--) {
      key[position++] = DIGITS[(int) (number >>> (digit * BITS_PER_DIGIT)) & 63];
    }
    long filler = number;
    for (int left = 0; position < keyLength; left--) {
      if (left == 0) {
        filler = Mix.of(filler);
        left = MAX_DIGITS;
      }
      key[position++] = DIGITS[(int) (filler >>> (left * BITS_PER_DIGIT - BITS_PER_DIGIT)) & 63];
    }
    return key;
  }

  /** The index of a key, or -1 for a key that is not one of these 2 rows. */
  public long indexOf(byte[] key) {
    if (key.length != keyLength) {
      return -1;
    }
    long number = 0;
    for (int i = PREFIX.length; i < PREFIX.length + digits; i++) {
      number = number << BITS_PER_DIGIT | (VALUES[key[i] & 0xff] & 63);
    }
    long index = indexOfNumber(number);
    boolean isOne = index < 2 * rows && number(index) == number;
    return isOne && Arrays.equals(key, keyOfNumber(number)) ? index : -1;
  }

  /** By Newton's iteration: each step doubles the number of right bits. */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int rightBits = 3; rightBits < Long.SIZE; rightBits *= 2) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }

  private static byte[] values() {
    byte[] values = new byte[256];
    for (int i = 0; i < DIGITS.length; i++) {
      values[DIGITS[i]] = (byte) i;
    }
    return values;
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
