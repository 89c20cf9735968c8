package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import java.util.List;
import java.util.OptionalDouble;

/** How the report calls what benchmarks have as parameters. */
final class Labels {
  static final List<String> FAMILY_FILTERS = List.of("bloom", "ribbon", "bumped-ribbon");

  private Labels() {}

  /** A rate, as a percentage. */
  static String askedRate(String rate) {
    double value = Double.parseDouble(rate);
    return Table.percent(OptionalDouble.of(value), value < 0.01 ? 1 : 0);
  }

  /** Numbers of keys, with their digits in groups. */
  static List<String> grouped(List<String> sizes) {
    return sizes.stream().map(n -> Table.number(Double.parseDouble(n), 0)).toList();
  }
}
