package io.winnow.hbase.tools;

import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.format.SegmentRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;

/**
 * Counts of the files of a store that may have the segment of a row, for each rule that may be the
 * right one: at the right one most rows have one file, at others most files. Rows, or rows with a
 * column, are added in order, each once, with the files that have it. Not thread-safe.
 *
 * <p>Of each file some rows are kept, and a segment counts as one of the file if it lies between
 * those of nearly all of them. Late rows are left out by that, as they are by the intervals of a
 * file.
 */
final class SegmentCount {
  /**
   * Rules for key segments that are tried, in the order in which they are preferred. At each place
   * four bytes come before eight: times are seconds or hours in four, or milliseconds in eight.
   */
  static final List<SegmentRule> RULES = rules();

  private static final int OFFSETS = 40;
  private static final int MAX_SAMPLE = 1000;

  /** Share of a file's segments that is left out at either end. */
  private static final double LEFT_OUT = 0.02;

  private final List<Sample> files = new ArrayList<>();
  private final Sample ofStore = new Sample();
  private final double[] filesOfRule = new double[RULES.size()];
  private final double[] rowsOfRule = new double[RULES.size()];
  private double filesByRange;
  private double rows;

  /** Sample of rows in their order: each n-th row that is added. */
  private static final class Sample {
    private List<byte[]> rows = new ArrayList<>();
    private long stride = 1;
    private long added;

    void add(ExtendedCell row) {
      if (added++ % stride == 0) {
        rows.add(CellUtil.cloneRow(row));
        if (rows.size() == MAX_SAMPLE) {
          List<byte[]> half = new ArrayList<>();
          for (int i = 0; i < rows.size(); i += 2) {
            half.add(rows.get(i));
          }
          rows = half;
          stride *= 2;
        }
      }
    }
  }

  SegmentCount(int files) {
    for (int i = 0; i < files; i++) {
      this.files.add(new Sample());
    }
  }

  private static List<SegmentRule> rules() {
    List<SegmentRule> rules = new ArrayList<>();
    for (int offset = 0; offset < OFFSETS; offset++) {
      addAt(String.valueOf(offset), rules);
    }
    for (PrefixRule before : PrefixRule.USUAL) {
      String place = before.toString();
      addAt(place.contains(",") ? place : place + ",1", rules);
    }
    return List.copyOf(rules);
  }

  private static void addAt(String place, List<SegmentRule> rules) {
    rules.add(SegmentRule.parse(place + ",4"));
    rules.add(SegmentRule.parse(place));
  }

  void add(ExtendedCell row, int[] in, int count) {
    ofStore.add(row);
    for (int i = 0; i < count; i++) {
      files.get(in[i]).add(row);
    }
  }

  /** Ends the counting of segments after the last row of a store. */
  void finish() {
    for (int rule = 0; rule < filesOfRule.length; rule++) {
      List<byte[]> ofRows = segments(RULES.get(rule), ofStore.rows);
      rowsOfRule[rule] = ofRows.size();
      for (Sample file : files) {
        List<byte[]> segments = segments(RULES.get(rule), file.rows);
        segments.sort(Arrays::compareUnsigned);
        int leftOut = (int) (LEFT_OUT * segments.size());
        filesOfRule[rule] += countBetween(segments, leftOut, ofRows);
      }
    }
    for (Sample file : files) {
      filesByRange += countBetween(file.rows, 0, ofStore.rows);
    }
    rows = ofStore.rows.size();
    files.clear();
    ofStore.rows.clear();
  }

  /** Returns the segments of rows by a rule, without empty ones. */
  private static List<byte[]> segments(SegmentRule rule, List<byte[]> rows) {
    List<byte[]> segments = new ArrayList<>();
    for (byte[] row : rows) {
      int begin = rule.beginIn(row, 0, row.length);
      if (begin != SegmentRule.NONE && begin < row.length) {
        segments.add(Arrays.copyOfRange(row, begin, Math.min(row.length, begin + rule.length)));
      }
    }
    return segments;
  }

  /**
   * Returns the number of values that lie between the first and the last of some sorted values.
   *
   * @param leftOut the number of sorted values that do not count at either end
   */
  private static long countBetween(List<byte[]> sorted, int leftOut, List<byte[]> values) {
    if (sorted.isEmpty()) {
      return 0;
    }
    byte[] first = sorted.get(leftOut);
    byte[] last = sorted.get(sorted.size() - 1 - leftOut);
    return values.stream()
        .filter(
            value ->
                Arrays.compareUnsigned(first, value) <= 0
                    && Arrays.compareUnsigned(value, last) <= 0)
        .count();
  }

  /** Adds the counts of the segments of another store. */
  void add(SegmentCount other) {
    for (int rule = 0; rule < filesOfRule.length; rule++) {
      filesOfRule[rule] += other.filesOfRule[rule];
      rowsOfRule[rule] += other.rowsOfRule[rule];
    }
    filesByRange += other.filesByRange;
    rows += other.rows;
  }

  /** Returns the mean number of files between whose first and last row a row of the store lies. */
  double filesByRange() {
    return filesByRange / Math.max(1, rows);
  }

  /** Returns the mean number of files that may have the segment of a row, which is in one. */
  double files(SegmentRule rule) {
    return Math.max(1, files(RULES.indexOf(rule)));
  }

  private double files(int rule) {
    return filesOfRule[rule] / rowsOfRule[rule];
  }

  /**
   * Returns the rule by which a row's segment is in the fewest files: the first one that is almost
   * as good as any other, since a segment that begins too late has only a part of the value. Null
   * if no rule is one of nearly all rows.
   *
   * @param isOfScans true for a rule that scans can use
   */
  SegmentRule best(Predicate<SegmentRule> isOfScans) {
    List<Integer> usable = new ArrayList<>();
    double fewest = Double.MAX_VALUE;
    for (int i = 0; i < filesOfRule.length; i++) {
      if (isOfNearlyAllRows(i) && isOfScans.test(RULES.get(i))) {
        usable.add(i);
        fewest = Math.min(fewest, files(i));
      }
    }
    for (int i : usable) {
      if (files(i) <= 1.1 * fewest) {
        return RULES.get(i);
      }
    }
    return null;
  }

  private boolean isOfNearlyAllRows(int rule) {
    return rowsOfRule[rule] > 0 && rowsOfRule[rule] >= 0.99 * rows;
  }
}
