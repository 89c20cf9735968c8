package io.winnow.hbase.format;

import io.winnow.FilterFormatException;
import io.winnow.bits.ByteAccess;
import java.nio.ByteBuffer;

/**
 * The prefixes of rows that the chunks of one file's filter have beside the rows, chunk by chunk.
 *
 * <p>A prefix is in the chunk in which it sorts, just before its first row. A chunk whose prefixes
 * would be more than half as many as its rows has none of them, and answers <i>maybe</i>.
 * Immutable.
 */
public final class FilePrefixes {
  /** Stands for the number of prefixes of a chunk that has none because they were too many. */
  public static final int LEFT_OUT = -1;

  private final PrefixRule rule;
  private final int[] counts;

  public FilePrefixes(PrefixRule rule, int[] counts) {
    this.rule = rule;
    this.counts = counts;
  }

  /** Whether so many prefixes are too many beside these rows. */
  public static boolean areTooMany(long prefixes, long rows) {
    return 2 * prefixes > rows;
  }

  /**
   * Reads a number for each chunk.
   *
   * @throws FilterFormatException if a number is none that a chunk can have
   */
  static FilePrefixes read(PrefixRule rule, byte[] bytes, int from, ChunkIndex index) {
    int[] counts = new int[index.size()];
    for (int chunk = 0; chunk < counts.length; chunk++) {
      int count = ByteAccess.ARRAY.getInt(bytes, from + chunk * Integer.BYTES);
      if (count != LEFT_OUT && (count < 0 || areTooMany(count, index.keyCount(chunk)))) {
        throw new FilterFormatException(
            ("chunk " + chunk + " has " + count + " prefixes of ")
                + (index.keyCount(chunk) + " keys"));
      }
      counts[chunk] = count;
    }
    return new FilePrefixes(rule, counts);
  }

  void writeTo(ByteBuffer out) {
    for (int count : counts) {
      out.putInt(count);
    }
  }

  int sizeInBytes() {
    return counts.length * Integer.BYTES;
  }

  public PrefixRule rule() {
    return rule;
  }

  /** Prefixes in a chunk, 0 where they were left out. */
  public int in(int chunk) {
    return Math.max(0, counts[chunk]);
  }

  public boolean areLeftOutOf(int chunk) {
    return counts[chunk] == LEFT_OUT;
  }

  /** Prefixes in all chunks. */
  public long sum() {
    long sum = 0;
    for (int chunk = 0; chunk < counts.length; chunk++) {
      sum += in(chunk);
    }
    return sum;
  }

  /** Chunks that left them out. */
  public int chunksWithout() {
    int without = 0;
    for (int count : counts) {
      without += count == LEFT_OUT ? 1 : 0;
    }
    return without;
  }
}
