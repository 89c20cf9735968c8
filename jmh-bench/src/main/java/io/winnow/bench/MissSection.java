package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;

/** What the metrics cost. */
final class MissSection {
  private MissSection() {}

  static Section of(Results results) {
    Section section =
        new Section(
            "What counting false positives costs",
            """
            Gets of absent rows from a region of HBase's own classes, all in the block cache: nanoseconds of
            CPU time per Get, with counting on and off in turn, 1000 Gets at a time. Two compilations of the
            same code differ by up to ten per cent, so both run in the same one; what is left when it is off is a
            field of the scanner and a test of a flag. A ratio is the median over several copies of HBase,
            each compiled on its own, with the interval that has the true median with 95 % certainty.
            """);
    Table table = new Table("a miss, ns", "", "counted", "not counted", "counted : not counted");
    for (String filter : MissCost.FILTERS) {
      for (int files : MissCost.FILES) {
        double[] counted = MissCost.samples(results, filter, files, true);
        if (counted.length > 0) {
          table.row(
              filter + ", files: " + files,
              Table.number(Results.median(counted), 0),
              Table.number(Results.median(MissCost.samples(results, filter, files, false)), 0),
              MissCost.ratio(results, filter, files).text(3));
        }
      }
    }
    if (!table.isEmpty()) {
      table.row("all", "", "", MissCost.ratio(results).text(3));
    }
    return section.add(table);
  }
}
