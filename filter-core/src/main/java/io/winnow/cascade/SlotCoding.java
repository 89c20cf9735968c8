package io.winnow.cascade;

import java.util.Arrays;

/**
 * Codes a sorted sequence of fingerprint slots as quotients and remainders: a quotient filter
 * without an empty slot.
 *
 * <pre>
 *   word 0            word 1    words 2 ...                                       ... last
 *   count, r, kind    base      quotients, upwards -->      &lt;-- remainders, downwards
 *
 *   slot i = base + (quotient i &lt;&lt; r) + remainder i
 *   quotients:  bit quotient(i) + i is set, for each i          (runs in unary)
 *   remainders: r bits each, the i-th ends where the (i-1)-th begins
 * </pre>
 *
 * <p>A run of equal quotients is a row of ones, and a zero ends it. These bits are both the
 * occupieds and the runends of a rank-select quotient filter, as in Elias and Fano's code. With a
 * suitable {@code r} a slot costs {@code r + 2} to {@code r + 3} bits, and no slot is empty. Slots
 * cannot be inserted in place: a level on flash does not need it, and one in memory inserts many
 * slots at a time.
 *
 * <p>Each array of words must have one word more than {@code wordCount} says: it may be read, and
 * is never changed.
 */
final class SlotCoding {
  static final int HEADER_WORDS = 2;

  /** Number that marks a page with slots in its header. Schema-critical. */
  static final int KIND_SLOTS = 1;

  private static final int HEADER_BITS = HEADER_WORDS << 6;

  private SlotCoding() {}

  static int count(long[] words) {
    return (int) words[0];
  }

  /**
   * Returns the first fingerprint slot that is coded in an array of words, whose header must be
   * valid.
   */
  static long first(long[] words, int wordCount) {
    return words[1] + remainder(words, wordCount, 0, remainderBits(words));
  }

  static int remainderBits(long[] words) {
    return (int) (words[0] >>> 32) & 0xFF;
  }

  private static int kind(long[] words) {
    return (int) (words[0] >>> 40) & 0xFF;
  }

  /** Returns the number of 64-bit words that the given fingerprint slots take when coded. */
  static long wordsFor(long[] slots, int from, int count, int r) {
    return HEADER_WORDS + (bodyBits(slots, from, count, r) + 63 >>> 6);
  }

  /**
   * Returns the number of bits that the quotients and remainders of coded fingerprint slots take.
   */
  private static long bodyBits(long[] slots, int from, int count, int r) {
    long lastQuotient = (slots[from + count - 1] >>> r) - (slots[from] >>> r);
    return lastQuotient + count + (long) count * r;
  }

  /**
   * Returns the number of the given fingerprint slots, counted from the first one, that fit into an
   * array of 64-bit words when coded; at least one.
   */
  static int fitting(long[] slots, int from, int to, int r, int wordCount) {
    long bits = (long) (wordCount - HEADER_WORDS) << 6;
    int fits = 1;
    int tooMany = (int) Math.min(to - from, bits / (r + 1)) + 1;
    while (tooMany - fits > 1) {
      int middle = fits + tooMany >>> 1;
      if (bodyBits(slots, from, middle, r) <= bits) {
        fits = middle;
      } else {
        tooMany = middle;
      }
    }
    return fits;
  }

  /** Codes sorted fingerprint slots into the first words of an array, which have room for them. */
  static void encode(long[] slots, int from, int count, int r, long[] words, int wordCount) {
    long base = slots[from] >>> r << r;
    long lastQuotient = (slots[from + count - 1] - base) >>> r;
    int quotientsEnd = HEADER_WORDS + (int) (lastQuotient + count - 1 >>> 6) + 1;
    Arrays.fill(words, quotientsEnd - 1, wordCount, 0);
    words[0] = count | (long) r << 32 | (long) KIND_SLOTS << 40;
    words[1] = base;
    int quotientsAt = HEADER_WORDS;
    long ones = 0;
    int remaindersAt = wordCount - 1;
    long remainders = 0;
    int free = 64;
    long mask = (1L << r) - 1;
    for (int i = 0; i < count; i++) {
      long offset = slots[from + i] - base;
      int quotientAt = HEADER_BITS + (int) (offset >>> r) + i;
      while (quotientAt >>> 6 != quotientsAt) {
        words[quotientsAt++] = ones;
        ones = 0;
      }
      ones |= 1L << quotientAt;
      long remainder = offset & mask;
      free -= r;
      if (free >= 0) {
        remainders |= remainder << free;
      } else {
        words[remaindersAt--] = remainders | remainder >>> -free;
        free += 64;
        remainders = remainder << free;
      }
    }
    words[quotientsAt] = ones;
    if (free < 64) {
      words[remaindersAt] |= remainders; // the word may already have the last quotients
    }
  }

  /**
   * Decodes the fingerprint slots in an array of words into another array, and returns their
   * number.
   */
  static int decode(long[] words, int wordCount, long[] out, int at) {
    int count = count(words);
    int r = remainderBits(words);
    long base = words[1];
    long mask = (1L << r) - 1;
    int remainderAt = (wordCount << 6) - (r == 0 ? 1 : 0); // without remainders any place will do
    int i = 0;
    for (int w = HEADER_WORDS; i < count && w < wordCount; w++) {
      long ones = words[w];
      long before = (long) (w - HEADER_WORDS) << 6;
      while (ones != 0 && i < count) {
        long quotient = before + Long.numberOfTrailingZeros(ones) - i;
        remainderAt -= r;
        int word = remainderAt >>> 6;
        int shift = remainderAt & 63;
        long remainder = (words[word] >>> shift | words[word + 1] << 1 << (63 - shift)) & mask;
        out[at + i] = base + (quotient << r | remainder);
        i++;
        ones &= ones - 1;
      }
    }
    return i;
  }

  /**
   * Returns whether the header of coded fingerprint slots is possible; that of a page with a right
   * checksum always is.
   */
  static boolean isSound(long[] words, int wordCount) {
    long bits = (long) (wordCount - HEADER_WORDS) << 6;
    return kind(words) == KIND_SLOTS
        && count(words) > 0
        && remainderBits(words) <= SlotShape.MAX_FINGERPRINT_BITS + 1
        && (remainderBits(words) + 1L) * count(words) <= bits;
  }

  /**
   * Returns the counts of the inserts and deletes of a fingerprint among coded slots, as {@link
   * Copies}. With {@code deletes}, {@code slot} is that of a key, and the tombstones of its
   * fingerprint are counted too.
   */
  static long find(long[] words, int wordCount, long slot, boolean deletes) {
    long base = words[1];
    if (slot < base) {
      return Copies.NONE;
    }
    int count = count(words);
    int r = remainderBits(words);
    long quotient = slot - base >>> r;
    long at = afterZeros(words, wordCount, quotient);
    if (at < 0) {
      return Copies.NONE;
    }
    long i = at - HEADER_BITS - quotient;
    long wanted = slot - base & (1L << r) - 1;
    int keys = 0;
    int tombstones = 0;
    while (i < count && at >>> 6 < wordCount && (words[(int) (at >>> 6)] >>> at & 1) != 0) {
      long remainder = remainder(words, wordCount, i, r);
      if (remainder == wanted) {
        keys++;
      } else if (deletes && remainder == (wanted | 1)) {
        tombstones++;
      }
      at++;
      i++;
    }
    return Copies.of(keys, tombstones);
  }

  /**
   * Returns the position of the bit after the {@code quotient}-th zero in the coded quotients, or
   * -1.
   */
  private static long afterZeros(long[] words, int wordCount, long quotient) {
    if (quotient == 0) {
      return HEADER_BITS;
    }
    long left = quotient;
    int w = HEADER_WORDS;
    while (true) {
      if (w == wordCount) {
        return -1;
      }
      int zeros = 64 - Long.bitCount(words[w]);
      if (left <= zeros) {
        break;
      }
      left -= zeros;
      w++;
    }
    long zeros = ~words[w];
    for (; left > 1; left--) {
      zeros &= zeros - 1;
    }
    return ((long) w << 6) + Long.numberOfTrailingZeros(zeros) + 1;
  }

  /** Returns the i-th remainder of coded fingerprint slots. */
  private static long remainder(long[] words, int wordCount, long i, int r) {
    if (r == 0) {
      return 0;
    }
    long at = ((long) wordCount << 6) - (i + 1) * r;
    int word = (int) (at >>> 6);
    int shift = (int) at & 63;
    return (words[word] >>> shift | words[word + 1] << 1 << (63 - shift)) & (1L << r) - 1;
  }
}
