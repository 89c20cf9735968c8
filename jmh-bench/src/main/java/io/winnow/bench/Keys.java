package io.winnow.bench;

import java.util.Arrays;
import java.util.Random;

/**
 * Keys of one length, all distinct: 8 bytes of a number scrambled by a bijection, and more that
 * follow from it. Two sets that never meet: the present keys and the absent ones.
 */
public final class Keys {
  private Keys() {}

  /** A bijection of 64-bit numbers that looks random. */
  public static long scramble(long x) {
    long z = x * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** The number that the i-th present key begins with; also a hash, where only hashes are asked. */
  public static long present(long i) {
    return scramble(2 * i + 2);
  }

  /** The number that the i-th absent key begins with. */
  public static long absent(long i) {
    return scramble(2 * i + 1);
  }

  /** The first {@code n} present numbers, in the order of the keys that they begin. */
  static long[] presentInOrder(int n) {
    long[] numbers = new long[n];
    for (int i = 0; i < n; i++) {
      numbers[i] = present(i) ^ Long.MIN_VALUE;
    }
    Arrays.sort(numbers);
    for (int i = 0; i < n; i++) {
      numbers[i] ^= Long.MIN_VALUE;
    }
    return numbers;
  }

  /** Writes the key that begins with a number. */
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
   * {@code count} numbers to ask for, shuffled: a share of them present among {@code n}, drawn
   * evenly, the rest absent.
   */
  static long[] questions(int n, int count, double presentShare) {
    Random random = new Random(20220817);
    int hits = (int) Math.round(count * presentShare);
    long[] questions = new long[count];
    for (int i = 0; i < count; i++) {
      questions[i] = i < hits ? present((long) ((double) i * n / hits)) : absent(i);
    }
    for (int i = count - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      long swap = questions[i];
      questions[i] = questions[j];
      questions[j] = swap;
    }
    return questions;
  }

  /** The keys of these numbers, one after the other. */
  static byte[] slab(long[] numbers, int length) {
    byte[] slab = new byte[Math.multiplyExact(numbers.length, length)];
    for (int i = 0; i < numbers.length; i++) {
      write(numbers[i], slab, i * length, length);
    }
    return slab;
  }
}
