package io.winnow.bench.flash;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import java.util.List;
import java.util.OptionalDouble;

/** Figures of a run, by structure and workload. */
final class Figures {
  private final Results results;

  Figures(Results results) {
    this.results = results;
  }

  OptionalDouble of(String structure, String workload, String metric) {
    return results.median(
        Metrics.RUN, metric, Metrics.STRUCTURE, structure, Metrics.WORKLOAD, workload);
  }

  OptionalDouble setup(String metric) {
    return results.median(Metrics.SETUP, metric);
  }

  boolean has(String structure, String workload) {
    return of(structure, workload, Metrics.LOST).isPresent();
  }

  /** Those that ran this, in the order in which they are always named. */
  List<String> structures(String workload) {
    return Metrics.STRUCTURES.stream().filter(one -> has(one, workload)).toList();
  }

  String number(String structure, String workload, String metric, int decimals) {
    return Table.number(of(structure, workload, metric), decimals);
  }

  /** In units of so many. */
  String number(String structure, String workload, String metric, double unit, int decimals) {
    return Table.number(scaled(of(structure, workload, metric), 1 / unit), decimals);
  }

  String percent(String structure, String workload, String metric, int decimals) {
    return Table.percent(of(structure, workload, metric), decimals);
  }

  /** One metric of one structure over another. */
  OptionalDouble ratio(String workload, String metric, String structure, String base) {
    return Table.divided(of(structure, workload, metric), of(base, workload, metric));
  }

  static OptionalDouble scaled(OptionalDouble value, double factor) {
    return value.isPresent()
        ? OptionalDouble.of(value.getAsDouble() * factor)
        : OptionalDouble.empty();
  }

  /** Keys that were not found, and wrong values, in all runs. */
  double lost() {
    double lost = 0;
    for (String structure : results.values(Metrics.RUN, Metrics.STRUCTURE)) {
      for (String workload : results.values(Metrics.RUN, Metrics.WORKLOAD)) {
        lost += of(structure, workload, Metrics.LOST).orElse(0);
      }
    }
    return lost;
  }
}
