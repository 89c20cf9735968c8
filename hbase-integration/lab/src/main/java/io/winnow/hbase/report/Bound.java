package io.winnow.hbase.report;

import io.winnow.hbase.cli.Table;
import java.util.List;

/**
 * A target for one measured figure, at most or at least a value, with the figure that a run
 * measured. A ratio has an interval: it counts as reached, or as not reached, only if its whole
 * interval does. With too few rounds it is never certain.
 *
 * @param what the name of the figure
 * @param atMost whether the target is an upper bound
 * @param target the target
 * @param low lower end of the measured interval; NaN if the run did not measure the figure
 * @param high upper end of the measured interval
 * @param measured the printed text of the measured figure
 * @param decimals number of decimals of the printed target
 */
public record Bound(
    String what,
    boolean atMost,
    double target,
    double low,
    double high,
    String measured,
    int decimals) {
  private static final String MISSED = "**not reached**";

  public Bound(String what, boolean atMost, double target, double measured, int decimals) {
    this(what, atMost, target, measured, measured, Table.number(measured, decimals), decimals);
  }

  /** Makes a target for a ratio of two contenders, whose median is NaN if there is none. */
  public Bound(String what, boolean atMost, double target, PairedRatio ratio) {
    this(
        what,
        atMost,
        target,
        ratio.hasInterval() ? ratio.low() : Math.min(0, ratio.median()),
        ratio.hasInterval() ? ratio.high() : Double.POSITIVE_INFINITY,
        ratio.text(),
        2);
  }

  boolean isMeasured() {
    return !Double.isNaN(low);
  }

  /** Returns whether the whole interval of the measured figure meets its target. */
  boolean isReached() {
    return verdict().equals("reached");
  }

  /**
   * Returns whether the whole interval of the measured figure misses its target. An interval that
   * reaches it in part proves nothing.
   */
  public boolean isMissed() {
    return verdict().equals(MISSED);
  }

  public String verdict() {
    if (!isMeasured()) {
      return "not in this run";
    }
    if (reaches(low) != reaches(high)) {
      return "**not certain**";
    }
    return reaches(low) ? "reached" : MISSED;
  }

  private boolean reaches(double value) {
    return atMost ? value <= target : value >= target;
  }

  public static Table table(List<Bound> bounds) {
    Table table = new Table("Goals and results", "what", "goal", "measured", "");
    for (Bound bound : bounds) {
      table.row(
          bound.what,
          (bound.atMost ? "at most " : "at least ") + Table.number(bound.target, bound.decimals),
          bound.measured,
          bound.verdict());
    }
    return table;
  }
}
