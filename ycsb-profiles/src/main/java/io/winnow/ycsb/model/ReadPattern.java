package io.winnow.ycsb.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Which rows are asked for how often: groups of rows that are all as popular, and all other rows.
 * Popular rows lie anywhere in the table.
 *
 * @param groups the popular ones
 */
public record ReadPattern(List<Group> groups) {
  private static final double THETA = 0.99;
  private static final double RANKS = 1e10;

  /** Up to this rank sums are added up; beyond, they are integrals. */
  private static final int ADDED_RANKS = 64;

  /** From group to group, ranks grow by this factor. */
  private static final double GROWTH = 1.5;

  /**
   * Rows that are asked for equally often.
   *
   * @param rows how many; need not be whole
   * @param share of all reads that go to the group
   */
  public record Group(double rows, double share) {}

  /** All rows alike. */
  public static ReadPattern uniform() {
    return new ReadPattern(List.of());
  }

  /**
   * Some rows, and among them all alike; and all others.
   *
   * @param rows that are hot
   * @param share of reads that go to them, in 0..1
   */
  public static ReadPattern hotSet(double rows, double share) {
    return new ReadPattern(List.of(new Group(rows, share)));
  }

  /**
   * YCSB's scrambled Zipfian choice: of 10 billion ranks, rank <i>i</i> is asked for in proportion
   * to <i>i</i><sup>-0.99</sup>, and ranks are scattered over the rows. Each of the first ranks has
   * a row, as many as there are rows; what is asked of the others goes to all rows alike.
   */
  public static ReadPattern zipf(double rows) {
    double all = sum(1, RANKS);
    List<Group> groups = new ArrayList<>();
    double from = 1;
    while (from <= Math.min(rows, RANKS)) {
      double to =
          Math.min(Math.min(rows, RANKS), Math.max(from, Math.floor(from * GROWTH))); // inclusive
      groups.add(new Group(to - from + 1, sum(from, to) / all));
      from = to + 1;
    }
    return new ReadPattern(groups);
  }

  /** Of the popularity of these ranks, both ends included. */
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

  /** The share of reads that goes to all other rows alike. */
  public double others() {
    return Math.max(0, 1 - groups.stream().mapToDouble(Group::share).sum());
  }

  /**
   * The same for one of {@code servers} servers that share the rows, popular ones and others,
   * evenly.
   */
  ReadPattern of(int servers) {
    return new ReadPattern(
        groups.stream().map(group -> new Group(group.rows() / servers, group.share())).toList());
  }
}
