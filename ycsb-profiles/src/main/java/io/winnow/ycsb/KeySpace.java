package io.winnow.ycsb;

import java.nio.charset.StandardCharsets;

/**
 * The row keys of a run: those in the table, and as many absent ones between them, all of one exact
 * length.
 *
 * <p>A key is {@code user} and a number in digits of base 64, as YCSB's keys are {@code user} and a
 * decimal. The rest of the length is filled with characters that are computed from the number. A
 * bijection maps index <i>i</i> to its number: so keys are distinct, and the order of indexes is
 * unrelated to the order of keys. Indexes in [0, rows) are present, those in [rows, 2 rows) absent.
 * In key order the two kinds alternate at random. So a store file's key range rules out no absent
 * key (except about one beyond either end), and the block index finds a block for each: only the
 * filter can rule a key out.
 *
 * <p>If rows come in groups, the keys of a group have all but the last of these digits in common,
 * and the bijection maps the group's number.
 *
 * <p>Keys sort by their {@linkplain #number(long) number}, so a load sorts numbers instead of keys.
 * Immutable and thread-safe; a key of 25 bytes takes about 20 ns.
 */
public final class KeySpace {

  /**
   * Minimum length of a row key in bytes. Shorter keys have too few digits for a table worth
   * measuring.
   */
  public static final int MIN_KEY_LENGTH = 8;

  /** Number of bytes in the prefix that the rows of a group share, in keys of 14 bytes and more. */
  public static final int GROUP_BYTES = 13;

  /** HBase's maximum length of a row key. */
  public static final int MAX_KEY_LENGTH = Short.MAX_VALUE;

  /** Digits of base 64 in the order of their codes, so that keys sort like their numbers. */
  private static final byte[] DIGITS =
      latin1("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");

  private static final byte[] PREFIX = latin1("user");
  private static final int BITS_PER_DIGIT = 6;
  private static final int MAX_DIGITS = 10;

  /**
   * Odd factors of the bijection from indexes to numbers, hence invertible modulo any power of two.
   */
  private static final long[] FACTORS = {0xbf58476d1ce4e5b9L, 0x94d049bb133111ebL};

  private final int keyLength;
  private final long rows;
  private final int digits;
  private final int group;

  /** Number of low bits of a key's number that identify the row in its group. */
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
   * Returns the row keys of a table with a number of rows, and as many absent ones.
   *
   * @throws IllegalArgumentException if the length is not in 8..32767, or too short for this number
   *     of rows: 8 bytes are enough for 8.3 million, 10 for 34 billion
   */
  public static KeySpace of(int keyLength, long rows) {
    return of(keyLength, rows, 1);
  }

  /**
   * Returns the row keys of a table whose rows come in groups: the rows of a group have successive
   * indexes, and their keys follow each other.
   *
   * @param group rows of each group, 1 to 64; {@code rows} must be a multiple of it
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
    long max = (space.mask + 1) / 2 * group;
    if (rows < 1 || rows > max) {
      throw new IllegalArgumentException(
          rows + " rows are not in 1.." + max + ", the limit for keys of " + keyLength + " bytes");
    }
    return space;
  }

  /** Returns the number of present row keys, which is also the number of absent ones. */
  public long rows() {
    return rows;
  }

  /** Returns the length of every row key in bytes. */
  public int keyLength() {
    return keyLength;
  }

  /**
   * Returns whether the row key with an index is in the table; the first half of the indexes are
   * those of present rows.
   */
  public boolean isPresent(long index) {
    return index >= 0 && index < rows;
  }

  /** Returns the row key with an index; the first half of the indexes are those of present rows. */
  public byte[] key(long index) {
    return keyOfNumber(number(index));
  }

  /**
   * Returns the number that is written in the row key with an index. Keys and numbers have the same
   * order.
   *
   * @throws IllegalArgumentException if the index is not in this range
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

  /** Returns the index of the row key in which a number is written. */
  public long indexOfNumber(long number) {
    long x = number >>> rowBits;
    x ^= x >>> shift;
    for (int i = FACTORS.length - 1; i >= 0; i--) {
      x = (x * inverse(FACTORS[i])) & mask;
      x ^= x >>> shift;
    }
    return ((x - 1) & mask) * group + (number & (1L << rowBits) - 1);
  }

  /** Returns the row key in which a number is written. */
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

  /**
   * Returns the inverse of an odd number modulo 2^64, by Newton's iteration: each step doubles the
   * number of correct bits.
   */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int rightBits = 3; rightBits < Long.SIZE; rightBits *= 2) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
