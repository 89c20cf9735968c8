package io.winnow.hbase.report;

import io.winnow.hbase.cli.Table;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A target for one measured figure, at most or at least a value, with the figure that a run
 * measured. A ratio has an interval: it counts as reached, or as not reached, only if its whole
 * interval does. With too few rounds it is never certain.
 *
 * @param what the name of the figure
 * @param atMost whether the target is an upper bound
 * @param target the target
 * @param low lower end of the measured interval; empty if the run did not measure the figure
 * @param high upper end of the measured interval
 * @param text the form in which both figures are printed
 */
public record Bound(
    String what,
    boolean atMost,
    double target,
    OptionalDouble low,
    OptionalDouble high,
    Text text) {

  /** The printed text of a measured figure, and the number of decimals of its target. */
  public record Text(String measured, int decimals) {}

  public Bound(String what, boolean atMost, double target, OptionalDouble measured, int decimals) {
    this(
        what,
        atMost,
        target,
        measured,
        measured,
        new Text(Table.number(measured, decimals), decimals));
  }

  /** Returns a target for a ratio of two contenders: at most the given value. */
  public static Bound atMost(String what, double target, PairedRatio measured) {
    return of(what, true, target, measured);
  }

  /** Returns a target for a ratio of two contenders: at least the given value. */
  public static Bound atLeast(String what, double target, PairedRatio measured) {
    return of(what, false, target, measured);
  }

  private static Bound of(String what, boolean atMost, double target, PairedRatio measured) {
    boolean isThere = !Double.isNaN(measured.median());
    boolean proves = measured.hasInterval();
    return new Bound(
        what,
        atMost,
        target,
        isThere ? OptionalDouble.of(proves ? measured.low() : 0) : OptionalDouble.empty(),
        isThere
            ? OptionalDouble.of(proves ? measured.high() : Double.POSITIVE_INFINITY)
            : OptionalDouble.empty(),
        new Text(measured.text(), 2));
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
    return low.isPresent() && !reaches(low.getAsDouble()) && !reaches(high.getAsDouble());
  }

  public String verdict() {
    if (low.isEmpty()) {
      return "not in this run";
    }
    boolean lowReaches = reaches(low.getAsDouble());
    boolean highReaches = reaches(high.getAsDouble());
    if (lowReaches && highReaches) {
      return "reached";
    }
    return lowReaches || highReaches ? "**not certain**" : "**not reached**";
  }

  private boolean reaches(double value) {
    return atMost ? value <= target : value >= target;
  }

  public static Table table(List<Bound> bounds) {
    Table table = new Table("Asked and measured", "what", "asked", "measured", "");
    for (Bound bound : bounds) {
      table.row(
          bound.what(),
          (bound.atMost() ? "at most " : "at least ")
              + Table.number(bound.target(), bound.text().decimals()),
          bound.text().measured(),
          bound.verdict());
    }
    return table;
  }
}
