package io.winnow.hbase.format;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import java.nio.ByteBuffer;

/**
 * The row prefixes that the filter of a file holds as keys beside the rows: their rule, and their
 * number in each chunk.
 *
 * <p>A prefix is in the chunk in which it sorts, just before its first row. If a chunk had more
 * than half as many prefixes as rows, they are left out, and the chunk answers <i>maybe</i> to each
 * query of a prefix. Immutable.
 */
public final class FilePrefixes {
  /**
   * Number that stands for the prefixes of a chunk that were left out because they were too many.
   */
  public static final int LEFT_OUT = -1;

  public final PrefixRule rule;
  private final int[] counts;

  /**
   * Creates the description of the row prefixes in the filter of a file.
   *
   * @param counts the number of prefixes in each chunk, or {@link #LEFT_OUT}
   */
  public FilePrefixes(PrefixRule rule, int[] counts) {
    this.rule = rule;
    this.counts = counts;
  }

  /**
   * Returns true if the filter of a chunk must leave out the prefixes of the chunk's rows, because
   * they are too many.
   *
   * @param prefixes the prefixes of its rows
   * @param rows the distinct rows of the chunk
   */
  public static boolean areTooMany(long prefixes, long rows) {
    return 2 * prefixes > rows;
  }

  /**
   * Reads the number of row prefixes of each chunk from a meta block.
   *
   * @throws FilterFormatException if a chunk cannot have the number that stands there
   */
  static FilePrefixes read(PrefixRule rule, byte[] bytes, int from, ChunkIndex index) {
    int[] counts = new int[index.size()];
    for (int chunk = 0; chunk < counts.length; chunk++) {
      int count = ByteAccess.ARRAY.getInt(bytes, from + chunk * Integer.BYTES);
      if (count != LEFT_OUT && (count < 0 || areTooMany(count, index.keyCount(chunk)))) {
        throw new FilterFormatException(
            ("chunk " + chunk + " has " + count + " prefixes for ")
                + (index.keyCount(chunk) + " rows"));
      }
      counts[chunk] = count;
    }
    return new FilePrefixes(rule, counts);
  }

  /** Writes the number of row prefixes of each chunk, in the format that {@link #read} parses. */
  void writeTo(ByteBuffer out) {
    for (int count : counts) {
      out.putInt(count);
    }
  }

  int sizeInBytes() {
    return counts.length * Integer.BYTES;
  }

  /** Returns the number of row prefixes in a chunk; 0 if they were left out. */
  public int in(int chunk) {
    return Math.max(0, counts[chunk]);
  }

  /** Returns true if the filter of a chunk leaves out the prefixes of the chunk's rows. */
  public boolean areLeftOutOf(int chunk) {
    return counts[chunk] == LEFT_OUT;
  }

  /** Returns the number of row prefixes in all chunks of the filter. */
  public long sum() {
    long sum = 0;
    for (int chunk = 0; chunk < counts.length; chunk++) {
      sum += in(chunk);
    }
    return sum;
  }

  /** Returns the number of chunks whose filters leave out the prefixes of their rows. */
  public int chunksWithout() {
    int without = 0;
    for (int count : counts) {
      without += count == LEFT_OUT ? 1 : 0;
    }
    return without;
  }
}
