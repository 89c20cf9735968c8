package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A distribution of reads over the rows of a table: groups of rows that are equally popular, and
 * all other rows. Popular rows lie anywhere in the table.
 *
 * @param text the distribution in words
 * @param groups the groups of popular rows
 */
record ReadPattern(String text, List<Group> groups) {
  private static final double THETA = 0.99;
  private static final double RANKS = 1e10;

  /** Highest rank of a row up to which the popularity is added up; above, it is integrated. */
  private static final int ADDED_RANKS = 64;

  /** Factor by which the ranks of popular rows grow from group to group. */
  private static final double GROWTH = 1.5;

  /**
   * A group of rows that are read equally often.
   *
   * @param rows number of rows; need not be whole
   * @param share share of all reads that go to the group
   */
  record Group(double rows, double share) {}

  /**
   * Returns the pattern of reads in which some hot rows have a given share of them. All hot rows
   * are read equally often, and so are all others.
   *
   * @param rows number of hot rows
   * @param share share of reads that go to them, in 0..1
   */
  static ReadPattern hotSet(double rows, double share) {
    return rows == 0 || share == 0
        ? new ReadPattern("all rows alike", List.of())
        : new ReadPattern(
            String.format(
                Locale.ROOT, "%s %% of reads for %,.0f hot rows", Table.exact(100 * share), rows),
            List.of(new Group(rows, share)));
  }

  /**
   * Returns the pattern of reads of YCSB's scrambled Zipfian choice: of 10 billion ranks, rank
   * <i>i</i> is read in proportion to <i>i</i><sup>-0.99</sup>, and ranks are scattered over the
   * rows. There are at most as many popular rows as rows, one for each of the first ranks; the
   * reads of all other ranks go to all rows alike.
   */
  static ReadPattern zipf(double rows) {
    double last = Math.min(rows, RANKS);
    double all = sum(1, RANKS);
    List<Group> groups = new ArrayList<>();
    for (double from = 1, to; from <= last; from = to + 1) {
      to = Math.min(last, Math.max(from, Math.floor(from * GROWTH))); // inclusive
      groups.add(new Group(to - from + 1, sum(from, to) / all));
    }
    return new ReadPattern("rows by YCSB's Zipfian distribution", groups);
  }

  /** Returns the sum of the popularity of a range of ranks, both ends included. */
  private static double sum(double from, double to) {
    double sum = 0;
    double rank = from;
    for (; rank <= Math.min(to, ADDED_RANKS); rank++) {
      sum += Math.pow(rank, -THETA);
    }
    return rank > to ? sum : sum + integral(to + 0.5) - integral(rank - 0.5);
  }

  private static double integral(double rank) {
    return Math.pow(rank, 1 - THETA) / (1 - THETA);
  }
}
