package io.winnow.bench;

import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.PairedRatio;
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
            Store files that HBase's own writer writes to the local disk, rows of 10 to 2000 bytes with one
            value of 75 bytes: from memory as a flush does, and merged from two files as a compaction does.
            Nanoseconds per row, of wall time and of the whole process's CPU time. *Recommended* is
            `winnow.filter=bumped-ribbon`, whose flushes write `ribbon` and whose compactions `bumped-ribbon`;
            *other* has the two the other way round. The rate is 1 %; the *flush at 0.01 %* is one into a large
            store, where stock still has 1 %. Each contender has JVMs of its own, which took turns. A ratio is the
            median over pairs of turns, and in brackets is the interval that has the true median with 95 %
            certainty. A JVM does all its contender's work in turn, as a region server does: a stock filter asks
            its cell for each byte of the key, which takes longer where cells of a flush and of a compaction,
            which are of different classes, go through the same code.
            """);
    section.add(table("wall", WritePath.WALL));
    section.add(table("CPU", WritePath.CPU));
    List<String> keyLengths = results.values(WritePath.NAME, "keyLength");
    if (!keyLengths.isEmpty()) {
      Chart chart =
          Chart.linear(
              "CPU time of flush and compaction, recommended over stock",
              "key length, bytes",
              "ratio",
              keyLengths);
      for (WritePath.Work work : WritePath.Work.values()) {
        double[][] ratios = new double[3][keyLengths.size()];
        for (int i = 0; i < keyLengths.size(); i++) {
          PairedRatio ratio = ratio(WritePath.CPU, WritePath.RECOMMENDED, work, keyLengths.get(i));
          ratios[0][i] = ratio.median();
          ratios[1][i] = ratio.low();
          ratios[2][i] = ratio.high();
        }
        chart.add(work.label(), ratios[0], ratios[1], ratios[2]);
      }
      section.plot("write-path", chart.bars());
    }
    return section;
  }

  private Table table(String clock, String metric) {
    Table table =
        new Table(
            "write path, ns of " + clock + " per row",
            clock,
            "stock",
            "recommended",
            "other",
            "recommended : stock",
            "other : stock");
    for (WritePath.Work work : WritePath.Work.values()) {
      for (String keyLength : results.values(WritePath.NAME, "keyLength")) {
        table.row(
            work.label() + ", " + keyLength + " bytes",
            Table.number(median(metric, WritePath.STOCK, work, keyLength), 0),
            Table.number(median(metric, WritePath.RECOMMENDED, work, keyLength), 0),
            Table.number(median(metric, WritePath.OTHER, work, keyLength), 0),
            ratio(metric, WritePath.RECOMMENDED, work, keyLength).text(),
            ratio(metric, WritePath.OTHER, work, keyLength).text());
      }
    }
    return table;
  }

  private OptionalDouble median(
      String metric, String contender, WritePath.Work work, String keyLength) {
    return results.median(
        WritePath.NAME,
        metric,
        "contender",
        contender,
        "work",
        work.label(),
        "keyLength",
        keyLength);
  }

  private PairedRatio ratio(
      String metric, String contender, WritePath.Work work, String keyLength) {
    return WritePath.ratio(results, metric, contender, work, Integer.parseInt(keyLength));
  }
}
