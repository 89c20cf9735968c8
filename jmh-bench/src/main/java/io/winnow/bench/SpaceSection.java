package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** What filters add to whole store files. */
final class SpaceSection {
  private static final List<String> FILTERS =
      List.of("bloom", "ribbon", "bumped-ribbon", "quotient");

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
            Bits per key that a filter adds to a store file of 25-byte row keys, every header, index and meta
            byte included: the file's length less that of the same file without a filter. The rate is measured
            by asking the open file for absent keys.
            """);
    List<String> header = new ArrayList<>(List.of("keys, asked rate"));
    header.addAll(FILTERS);
    FILTERS.stream().skip(1).forEach(filter -> header.add(filter + " : bloom"));
    FILTERS.forEach(filter -> header.add("rate of " + filter));
    Table table = new Table("filter in a file", header.toArray(String[]::new));
    for (String n : results.values(Space.NAME, "n")) {
      for (String rate : results.values(Space.NAME, "rate")) {
        List<String> row = new ArrayList<>();
        row.add(Table.number(Double.parseDouble(n), 0) + ", " + Labels.askedRate(rate));
        for (String filter : FILTERS) {
          row.add(Table.number(median(JmhRuns.BITS_PER_KEY, filter, n, rate), 3));
        }
        for (String filter : FILTERS.subList(1, FILTERS.size())) {
          row.add(
              Table.ratio(
                  median(JmhRuns.BITS_PER_KEY, filter, n, rate),
                  median(JmhRuns.BITS_PER_KEY, "bloom", n, rate)));
        }
        for (String filter : FILTERS) {
          row.add(Table.percent(median(JmhRuns.RATE, filter, n, rate), 4));
        }
        table.row(row.toArray(String[]::new));
      }
    }
    section.add(table);
    return section;
  }

  private OptionalDouble median(String metric, String filter, String n, String rate) {
    return results.median(Space.NAME, metric, "filter", filter, "n", n, "rate", rate);
  }
}
