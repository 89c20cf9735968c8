package io.winnow.quotient;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Moves runs of bits up and down in an array of little-endian words of 64 bits. The words are at
 * {@code base}, {@code base + stride} and so on: next to each other, as a block's remainders are,
 * or a block apart, as one kind of metadata is. Bit i is bit {@code i mod 64} of word {@code i /
 * 64}.
 *
 * <pre>
 *   moveUp by 2     from          end         moveDown by 2   from          end
 *   before       ... a b c d e f g ...        before       ... a b c d e f g ...
 *   after        ... i ? a b c d e ...        after        ... c d e f g ? ? ...
 * </pre>
 *
 * <p>The bits marked ? are undefined; the caller writes them. Bits outside of {@code [from, end)}
 * do not change.
 */
final class BitRuns {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private BitRuns() {}

  static long getLong(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  static void putLong(byte[] bytes, int at, long value) {
    LONG.set(bytes, at, value);
  }

  /**
   * Moves the bits of {@code [from, end - by)} of an array of words up by {@code by} places, 1 to
   * 63; {@code from < end}. The bit at {@code from} becomes {@code in}, 0 or 1.
   */
  static void moveUp(byte[] bytes, int base, int stride, int from, int end, int by, long in) {
    int at = base + (end - 1 >>> 6) * stride;
    int first = base + (from >>> 6) * stride;
    long kept = above(end);
    long word = getLong(bytes, at);
    for (; at > first; at -= stride) { // from the last word down
      long next = getLong(bytes, at - stride);
      putLong(bytes, at, word & kept | (word << by | next >>> 64 - by) & ~kept);
      kept = 0;
      word = next;
    }
    kept |= below(from);
    putLong(bytes, at, word & kept | (word << by & ~(1L << from) | in << from) & ~kept);
  }

  /**
   * Moves the bits of {@code [from + by, end)} of an array of words down by {@code by} places, 1 to
   * 63; {@code from < end}.
   */
  static void moveDown(byte[] bytes, int base, int stride, int from, int end, int by) {
    int at = base + (from >>> 6) * stride;
    int last = base + (end - 1 >>> 6) * stride;
    long kept = below(from);
    long word = getLong(bytes, at);
    for (; at < last; at += stride) { // from the first word up
      long next = getLong(bytes, at + stride);
      putLong(bytes, at, word & kept | (word >>> by | next << 64 - by) & ~kept);
      kept = 0;
      word = next;
    }
    kept |= above(end);
    putLong(bytes, at, word & kept | word >>> by & ~kept);
  }

  /**
   * Returns a mask of the bits of a 64-bit word below bit {@code from}: none if {@code from} is the
   * word's first bit.
   */
  private static long below(int from) {
    return (1L << from) - 1;
  }

  /**
   * Returns a mask of the bits of a 64-bit word, that of bit {@code end - 1}, from {@code end} on:
   * none if {@code end} is in the next word.
   */
  private static long above(int end) {
    return -1L << end - 1 << 1; // by 0 to 63, then by 1: a single shift by 64 would be one by 0
  }
}
