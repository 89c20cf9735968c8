package io.winnow.bench;

import java.util.Arrays;
import java.util.Random;

/**
 * Distinct keys of one length: 8 bytes of a number that a bijection scrambles, and further bytes
 * that are computed from it. There are two disjoint sets: the present keys and the absent ones.
 */
public final class Keys {
  private Keys() {}

  /** Returns the number that a bijection maps a 64-bit number to, so that it looks random. */
  public static long scramble(long x) {
    long z = x * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /**
   * Returns the number with which the i-th present key begins. It also serves as a hash where only
   * hashes are needed.
   */
  public static long present(long i) {
    return scramble(2 * i + 2);
  }

  /** Returns the number with which the i-th absent key begins. */
  public static long absent(long i) {
    return scramble(2 * i + 1);
  }

  /**
   * Returns the numbers with which present keys with successive indexes begin, in the order of the
   * keys: {@code n} of them, the first at index {@code from}.
   */
  static long[] presentInOrder(long from, int n) {
    long[] numbers = new long[n];
    Arrays.setAll(numbers, i -> present(from + i) ^ Long.MIN_VALUE);
    Arrays.sort(numbers);
    Arrays.setAll(numbers, i -> numbers[i] ^ Long.MIN_VALUE);
    return numbers;
  }

  /** Writes the key that begins with a number into an array. */
  static void write(long number, byte[] to, int offset, int length) {
    long word = number;
    for (int i = 0; i < length; i++) {
      if (i > 0 && i % Long.BYTES == 0) {
        word = scramble(word);
      }
      to[offset + i] = (byte) (word >>> (56 - 8 * (i % Long.BYTES)));
    }
  }

  static byte[] key(long number, int length) {
    byte[] key = new byte[length];
    write(number, key, 0, length);
    return key;
  }

  /**
   * Returns shuffled numbers of keys to query: some of present keys, drawn evenly from all present
   * ones, and the others of absent keys.
   */
  static long[] queries(int n, int count, double presentShare) {
    Random random = new Random(20220817);
    int hits = (int) Math.round(count * presentShare);
    long[] queries = new long[count];
    for (int i = 0; i < count; i++) {
      queries[i] = i < hits ? present((long) ((double) i * n / hits)) : absent(i);
    }
    for (int i = count - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      long swap = queries[i];
      queries[i] = queries[j];
      queries[j] = swap;
    }
    return queries;
  }

  /** Returns one array with the keys that begin with the given numbers, one after the other. */
  static byte[] slab(long[] numbers, int length) {
    byte[] slab = new byte[Math.multiplyExact(numbers.length, length)];
    for (int i = 0; i < numbers.length; i++) {
      write(numbers[i], slab, i * length, length);
    }
    return slab;
  }
}
