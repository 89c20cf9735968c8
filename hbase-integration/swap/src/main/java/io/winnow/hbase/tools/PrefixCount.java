package io.winnow.hbase.tools;

import org.apache.hadoop.hbase.Cell;

/**
 * Counts of the prefixes of a store's rows for each length: the number of distinct prefixes, and of
 * pairs of a prefix and a file that has it. Rows are added in order, each once, with the files that
 * have it. Not thread-safe.
 */
final class PrefixCount {
  /** Length in bytes of the longest row prefixes that are counted. */
  static final int MAX_LENGTH = 32;

  private final long[] prefixes = new long[MAX_LENGTH + 1];

  /** Number of pairs of a row prefix and a store file that has it, by the length of the prefix. */
  private final long[] pairs = new long[MAX_LENGTH + 1];

  /**
   * Bit set of the store files that have the prefix of the row that was counted last, by the length
   * of the prefix.
   */
  private final long[][] having;

  private final byte[] last = new byte[MAX_LENGTH];
  private int lastLength;
  private long rowsInFiles;
  private long files;

  PrefixCount(int files) {
    having = new long[MAX_LENGTH + 1][(files + Long.SIZE - 1) / Long.SIZE];
    this.files = files;
  }

  /** Returns the number of files of the stores whose row prefixes were counted. */
  long files() {
    return files;
  }

  /**
   * Returns the number of rows whose prefixes were counted: a row that several files have counts
   * once for each.
   */
  long rowsInFiles() {
    return rowsInFiles;
  }

  /** Returns the number of distinct row prefixes of a given length. */
  long prefixes(int length) {
    return prefixes[length];
  }

  /**
   * Returns the number of row prefixes of a given length, where a prefix that several files have
   * counts once for each. The filters of the files would hold this many more keys.
   */
  long inFiles(int length) {
    return pairs[length];
  }

  void add(Cell row, int[] in, int count) {
    rowsInFiles += count;
    int length = Math.min(MAX_LENGTH, row.getRowLength());
    byte[] bytes = row.getRowArray();
    int offset = row.getRowOffset();
    int common = 0;
    while (common < length && common < lastLength && bytes[offset + common] == last[common]) {
      common++;
    }
    end(common);
    for (int i = common; i < length; i++) {
      last[i] = bytes[offset + i];
      prefixes[i + 1]++;
    }
    lastLength = length;
    for (int i = 1; i <= length; i++) {
      for (int file = 0; file < count; file++) {
        having[i][in[file] / Long.SIZE] |= 1L << in[file] % Long.SIZE;
      }
    }
  }

  /**
   * Counts, for each prefix of the last row that the next row does not share, the store files that
   * have it.
   *
   * @param common bytes that the last row and the next one share
   */
  private void end(int common) {
    for (int i = common + 1; i <= lastLength; i++) {
      for (int word = 0; word < having[i].length; word++) {
        pairs[i] += Long.bitCount(having[i][word]);
        having[i][word] = 0;
      }
    }
    lastLength = common;
  }

  /** Ends the counting of row prefixes after the last row of a store. */
  PrefixCount finish() {
    end(0);
    return this;
  }

  /** Adds the counts of row prefixes of another store to these counts. */
  void add(PrefixCount other) {
    for (int i = 1; i <= MAX_LENGTH; i++) {
      prefixes[i] += other.prefixes[i];
      pairs[i] += other.pairs[i];
    }
    files += other.files;
    rowsInFiles += other.rowsInFiles;
  }
}
