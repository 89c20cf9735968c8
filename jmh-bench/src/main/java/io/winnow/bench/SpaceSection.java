package io.winnow.bench;

import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import io.winnow.hbase.report.Table;
import java.util.OptionalDouble;

/** What filters add to whole store files. */
final class SpaceSection {
  private final Results results;

  private SpaceSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    return new SpaceSection(results).section();
  }

  private Section section() {
    Section section =
        new Section(
            "Whole files",
            """
            Bits per key that a filter adds to a store file of 25-byte row keys, every header, index and
            meta byte included (the file's length less that of the same file without a filter), and the
            rate that the open file answers absent keys with.
            """);
    Table table =
        new Table(
            "filter in a file",
            "keys, asked rate",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom",
            "bloom's rate",
            "ribbon's rate",
            "bumped's rate");
    for (String n : results.values(Space.NAME, "n")) {
      for (String rate : results.values(Space.NAME, "rate")) {
        OptionalDouble[] bits = new OptionalDouble[3];
        OptionalDouble[] rates = new OptionalDouble[3];
        for (int f = 0; f < 3; f++) {
          Object[] at = {"filter", Section.FAMILY_FILTERS.get(f), "n", n, "rate", rate};
          bits[f] = results.median(Space.NAME, JmhRuns.BITS_PER_KEY, at);
          rates[f] = results.median(Space.NAME, JmhRuns.RATE, at);
        }
        table.row(
            Table.number(Double.parseDouble(n), 0) + ", " + Section.askedRate(rate),
            Table.number(bits[0], 3),
            Table.number(bits[1], 3),
            Table.number(bits[2], 3),
            Table.ratio(bits[1], bits[0]),
            Table.ratio(bits[2], bits[0]),
            Table.percent(rates[0], 4),
            Table.percent(rates[1], 4),
            Table.percent(rates[2], 4));
      }
    }
    section.add(table);
    return section;
  }
}
