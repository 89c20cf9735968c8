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
   * Moves a range of bits in an array of words up by 1 to 63 places. These are the bits of {@code
   * [from, end - by)}; {@code from < end}. The bit at {@code from} becomes {@code in}, 0 or 1.
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
   * Moves a range of bits in an array of words down by 1 to 63 places. These are the bits of {@code
   * [from + by, end)}; {@code from < end}.
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
   * Returns a mask of those bits of a 64-bit word that are before a range which begins in this
   * word: none if the range begins with the word.
   */
  private static long below(int from) {
    return (1L << from) - 1;
  }

  /**
   * Returns a mask of those bits of a 64-bit word that are after a range which ends in this word:
   * none if the range ends with the word.
   */
  private static long above(int end) {
    return -1L << end - 1 << 1; // by 0 to 63, then by 1: a single shift by 64 would be one by 0
  }
}
