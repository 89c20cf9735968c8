package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.OptionalDouble;

/** What the metrics cost. */
final class MissSection {
  private MissSection() {}

  static Section of(Results results) {
    Section section =
        new Section(
            "What counting false positives costs",
            """
            Gets of absent rows from a region of HBase's own classes, all in the block cache: nanoseconds of
            CPU time per Get, with the scanners that count and with stock ones, which took turns. The goal
            is at most 1.02.
            """);
    Table table = new Table("a miss, ns", "", "counted", "not counted", "counted : not counted");
    for (String filter : results.values(MissCost.NAME, "filter")) {
      for (String files : results.values(MissCost.NAME, "files")) {
        OptionalDouble counted = median(results, filter, files, true);
        OptionalDouble plain = median(results, filter, files, false);
        table.row(
            filter + ", files: " + files,
            Table.number(counted, 0),
            Table.number(plain, 0),
            Table.number(Table.divided(counted, plain), 3));
      }
    }
    section.add(table);
    return section;
  }

  private static OptionalDouble median(
      Results results, String filter, String files, boolean counted) {
    return results.median(
        MissCost.NAME, MissCost.CPU, "filter", filter, "files", files, "counted", counted);
  }
}
