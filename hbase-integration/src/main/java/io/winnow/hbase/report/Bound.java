package io.winnow.hbase.report;

import java.util.List;
import java.util.OptionalDouble;

/** One thing that was asked: a figure of at most, or at least, so much; and what a run measured. */
public record Bound(
    String what, boolean atMost, double asked, OptionalDouble measured, int decimals) {

  public String verdict() {
    if (measured.isEmpty()) {
      return "not in this run";
    }
    double value = measured.getAsDouble();
    return (atMost ? value <= asked : value >= asked) ? "reached" : "**not reached**";
  }

  public static Table table(List<Bound> bounds) {
    Table table = new Table("Asked and measured", "what", "asked", "measured", "");
    for (Bound bound : bounds) {
      table.row(
          bound.what(),
          (bound.atMost() ? "at most " : "at least ")
              + Table.number(bound.asked(), bound.decimals()),
          Table.number(bound.measured(), bound.decimals()),
          bound.verdict());
    }
    return table;
  }
}
