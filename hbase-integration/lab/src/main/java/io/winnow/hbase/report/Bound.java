package io.winnow.hbase.report;

import io.winnow.hbase.cli.Table;
import java.util.List;
import java.util.OptionalDouble;

/**
 * One thing that was asked: a figure of at most, or at least, so much; and what a run measured. A
 * ratio has an interval, and counts as reached, or as not reached, only with all of it; of too few
 * rounds it is never certain.
 */
public record Bound(
    String what, boolean atMost, double asked, OptionalDouble low, OptionalDouble high, Text text) {

  /**
   * How the figures are written: the measured one like this, the one asked for with so many
   * decimals.
   */
  public record Text(String measured, int decimals) {}

  public Bound(String what, boolean atMost, double asked, OptionalDouble measured, int decimals) {
    this(
        what,
        atMost,
        asked,
        measured,
        measured,
        new Text(Table.number(measured, decimals), decimals));
  }

  /** Asked for at most this. */
  public static Bound atMost(String what, double asked, PairedRatio measured) {
    return of(what, true, asked, measured);
  }

  /** Asked for at least this. */
  public static Bound atLeast(String what, double asked, PairedRatio measured) {
    return of(what, false, asked, measured);
  }

  private static Bound of(String what, boolean atMost, double asked, PairedRatio measured) {
    boolean isThere = !Double.isNaN(measured.median());
    boolean proves = measured.hasInterval();
    return new Bound(
        what,
        atMost,
        asked,
        isThere ? OptionalDouble.of(proves ? measured.low() : 0) : OptionalDouble.empty(),
        isThere
            ? OptionalDouble.of(proves ? measured.high() : Double.POSITIVE_INFINITY)
            : OptionalDouble.empty(),
        new Text(measured.text(), 2));
  }

  /** Whether all of the measured interval reaches it. */
  boolean isReached() {
    return verdict().equals("reached");
  }

  /** Whether none of it does; an interval that reaches it in part is no proof of that. */
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
    return atMost ? value <= asked : value >= asked;
  }

  public static Table table(List<Bound> bounds) {
    Table table = new Table("Asked and measured", "what", "asked", "measured", "");
    for (Bound bound : bounds) {
      table.row(
          bound.what(),
          (bound.atMost() ? "at most " : "at least ")
              + Table.number(bound.asked(), bound.text().decimals()),
          bound.text().measured(),
          bound.verdict());
    }
    return table;
  }
}
