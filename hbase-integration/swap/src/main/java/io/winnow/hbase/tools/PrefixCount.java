package io.winnow.hbase.tools;

import org.apache.hadoop.hbase.Cell;

/**
 * The prefixes of a store's rows, of each length: how many there are, and in how many files each
 * lies. Rows come in order, each once, with the files that have it. Not thread-safe.
 */
final class PrefixCount {
  /** No longer ones are counted. */
  static final int MAX_LENGTH = 32;

  private final long[] prefixes = new long[MAX_LENGTH + 1];

  /** Of a prefix and a file that has it. */
  private final long[] pairs = new long[MAX_LENGTH + 1];

  /** By length: the files that have the prefix of the last row, a bit each. */
  private final long[][] having;

  private final byte[] last = new byte[MAX_LENGTH];
  private int lastLength;
  private long rowsInFiles;
  private long files;

  PrefixCount(int files) {
    having = new long[MAX_LENGTH + 1][(files + Long.SIZE - 1) / Long.SIZE];
    this.files = files;
  }

  /** Files of the stores that were counted. */
  long files() {
    return files;
  }

  /** Rows, each once for every file that has it. */
  long rowsInFiles() {
    return rowsInFiles;
  }

  /** Different prefixes of this length. */
  long prefixes(int length) {
    return prefixes[length];
  }

  /** The same, each once for every file that has it: so many keys the files' filters would have. */
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

  /** Counts the files of prefixes that are longer, of which no row comes any more. */
  private void end(int common) {
    for (int i = common + 1; i <= lastLength; i++) {
      for (int word = 0; word < having[i].length; word++) {
        pairs[i] += Long.bitCount(having[i][word]);
        having[i][word] = 0;
      }
    }
    lastLength = common;
  }

  /** No row comes any more. */
  PrefixCount finish() {
    end(0);
    return this;
  }

  /** Takes in another store's. */
  void add(PrefixCount other) {
    for (int i = 1; i <= MAX_LENGTH; i++) {
      prefixes[i] += other.prefixes[i];
      pairs[i] += other.pairs[i];
    }
    files += other.files;
    rowsInFiles += other.rowsInFiles;
  }
}
