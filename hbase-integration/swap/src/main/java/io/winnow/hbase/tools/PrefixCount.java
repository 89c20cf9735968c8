package io.winnow.hbase.tools;

import io.winnow.hbase.format.PrefixRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;

/**
 * Counts of the prefixes of a store's rows for each rule that is tried: the number of distinct
 * prefixes, and of pairs of a prefix and a file that has it. Rows are added in order, each once,
 * with the files that have it. Not thread-safe.
 */
final class PrefixCount {
  /** Length in bytes of the longest row prefixes that are counted by their length. */
  static final int MAX_LENGTH = 32;

  /**
   * Length in bytes of the longest row prefixes that are counted by a delimiter: a row with a
   * longer one counts as a row without a prefix.
   */
  static final int MAX_DELIMITED = 128;

  /** Rules for row prefixes that are tried: each length, and then each usual delimiter. */
  static final List<PrefixRule> RULES = rules();

  private final long[] prefixes = new long[RULES.size()];

  /** Number of pairs of a row prefix and a store file that has it, by the rule. */
  private final long[] pairs = new long[RULES.size()];

  /** Number of rows that have a prefix, by the rule: once for each file that has the row. */
  private final long[] rows = new long[RULES.size()];

  /** Bit set of the store files that have the last prefix, by the rule. */
  private final long[][] having;

  /** Length of the prefix of the last row, by the rule; {@link PrefixRule#NONE} if it has none. */
  private final int[] lengths = new int[RULES.size()];

  private final int[] delimited = new int[PrefixRule.USUAL.size()];
  private final byte[] last = new byte[MAX_DELIMITED];
  private int lastLength;
  private long rowsInFiles;
  private long files;

  PrefixCount(int files) {
    having = new long[RULES.size()][(files + Long.SIZE - 1) / Long.SIZE];
    Arrays.fill(lengths, PrefixRule.NONE);
    this.files = files;
  }

  private static List<PrefixRule> rules() {
    List<PrefixRule> rules = new ArrayList<>();
    for (int length = 1; length <= MAX_LENGTH; length++) {
      rules.add(PrefixRule.parse(String.valueOf(length)));
    }
    rules.addAll(PrefixRule.USUAL);
    return List.copyOf(rules);
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

  /** Returns the number of distinct row prefixes by a rule of {@link #RULES}. */
  long prefixes(int rule) {
    return prefixes[rule];
  }

  /**
   * Returns the number of row prefixes by a rule, where a prefix that several files have counts
   * once for each. The filters of the files would hold this many more keys.
   */
  long inFiles(int rule) {
    return pairs[rule];
  }

  /** Returns true if the prefixes of a length separate rows as those of one byte less do. */
  boolean separatesAsShorter(int rule) {
    return prefixes[rule] == prefixes[rule - 1] && pairs[rule] == pairs[rule - 1];
  }

  /** Returns true if nearly all rows have a prefix by a rule. */
  boolean isOfNearlyAllRows(int rule) {
    return rows[rule] > 0 && rows[rule] >= 0.99 * rowsInFiles;
  }

  /** Adds a row. It runs for each row of a store, so it allocates nothing. */
  void add(Cell row, int[] in, int count) {
    rowsInFiles += count;
    int length = Math.min(MAX_DELIMITED, row.getRowLength());
    byte[] bytes = row.getRowArray();
    int offset = row.getRowOffset();
    int common = 0;
    while (common < length && common < lastLength && bytes[offset + common] == last[common]) {
      common++;
    }
    System.arraycopy(bytes, offset + common, last, common, length - common);
    lastLength = length;
    PrefixRule.usualIn(bytes, offset, length, delimited);
    for (int rule = 0; rule < lengths.length; rule++) {
      int delimiter = rule - MAX_LENGTH;
      int own = delimiter >= 0 ? delimited[delimiter] : rule < length ? rule + 1 : PrefixRule.NONE;
      if (own != lengths[rule] || own > common) {
        end(rule);
        lengths[rule] = own;
        prefixes[rule] += own == PrefixRule.NONE ? 0 : 1;
      }
      if (own != PrefixRule.NONE) {
        rows[rule] += count;
        for (int file = 0; file < count; file++) {
          having[rule][in[file] / Long.SIZE] |= 1L << in[file] % Long.SIZE;
        }
      }
    }
  }

  /** Counts the store files that have the last prefix by a rule, which the next row has not. */
  private void end(int rule) {
    for (int word = 0; word < having[rule].length; word++) {
      pairs[rule] += Long.bitCount(having[rule][word]);
      having[rule][word] = 0;
    }
  }

  /** Ends the counting of row prefixes after the last row of a store. */
  PrefixCount finish() {
    for (int rule = 0; rule < lengths.length; rule++) {
      end(rule);
    }
    return this;
  }

  /** Adds the counts of row prefixes of another store to these counts. */
  void add(PrefixCount other) {
    for (int rule = 0; rule < lengths.length; rule++) {
      prefixes[rule] += other.prefixes[rule];
      pairs[rule] += other.pairs[rule];
      rows[rule] += other.rows[rule];
    }
    files += other.files;
    rowsInFiles += other.rowsInFiles;
  }
}
