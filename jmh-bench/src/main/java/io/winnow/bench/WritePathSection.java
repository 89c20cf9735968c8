package io.winnow.bench;

import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import io.winnow.hbase.report.Table;
import java.util.List;
import java.util.OptionalDouble;

/** HBase's write path. */
final class WritePathSection {
  private final Results results;

  private WritePathSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    return new WritePathSection(results).section();
  }

  private Section section() {
    Section section =
        new Section(
            "HBase's write path",
            """
            Store files that HBase's own writer writes to the local disk, 25-byte rows with one value of 75
            bytes: from memory as a flush does, and merged from two files as a compaction does. Nanoseconds per
            row, of wall time and of the writing thread's CPU time. The filters took turns.
            """);
    Table table =
        new Table(
            "write path, ns per row",
            "",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom");
    List<String> works = results.values(WritePath.NAME, "work");
    for (String work : works) {
      for (String clock : List.of("wall", "cpu")) {
        OptionalDouble[] times = new OptionalDouble[3];
        for (int f = 0; f < 3; f++) {
          times[f] =
              results.median(
                  WritePath.NAME,
                  clock + "NsPerRow",
                  "filter",
                  Labels.FAMILY_FILTERS.get(f),
                  "work",
                  work);
        }
        table.row(
            work + ", " + clock,
            Table.number(times[0], 0),
            Table.number(times[1], 0),
            Table.number(times[2], 0),
            Table.number(Table.divided(times[1], times[0]), 3),
            Table.number(Table.divided(times[2], times[0]), 3));
      }
    }
    section.add(table);
    if (!works.isEmpty()) {
      Chart chart = Chart.linear("Writing store files", "", "ns per row, wall time", works);
      for (String filter : Labels.FAMILY_FILTERS) {
        chart.add(
            filter,
            works.stream()
                .mapToDouble(
                    work ->
                        results
                            .median(WritePath.NAME, "wallNsPerRow", "filter", filter, "work", work)
                            .orElse(Double.NaN))
                .toArray());
      }
      section.plot("write-path", chart.bars());
    }
    return section;
  }
}
