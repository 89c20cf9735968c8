package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;

/** HBase's write path. */
final class WritePathSection {
  private final Results results;
  private final List<Row> rows = new ArrayList<>();

  /** Where the samples of a contender are, of one piece of work. */
  private interface Samples {
    double[] of(String metric, String contender);
  }

  private record Row(String label, Samples samples) {
    double median(String metric, String contender) {
      double[] values = samples.of(metric, contender);
      return values.length == 0 ? Double.NaN : Results.median(values);
    }

    PairedRatio ratio(String metric, String contender) {
      return PairedRatio.of(samples.of(metric, contender), samples.of(metric, WritePath.STOCK));
    }

    /** What the filter adds to a turn, median of the differences round by round. */
    double filter(String metric, String contender) {
      double[] with = samples.of(metric, contender);
      double[] without = samples.of(metric, WritePath.NONE);
      int count = Math.min(with.length, without.length);
      double[] added = new double[count];
      for (int i = 0; i < count; i++) {
        added[i] = with[i] - without[i];
      }
      return count == 0 ? Double.NaN : Results.median(added);
    }
  }

  private WritePathSection(Results results) {
    this.results = results;
    for (WritePath.Shape shape : WritePath.Shape.values()) {
      for (WritePath.Work work : shape.works()) {
        for (int keyLength : shape.keyLengths(Effort.FULL)) {
          String label = work.label() + ", " + keyLength + " bytes";
          add(
              shape == WritePath.Shape.PLAIN ? label : label + ", " + shape.label(),
              (metric, contender) ->
                  WritePath.samples(results, metric, contender, shape, work, keyLength));
        }
      }
    }
    for (WritePath.Work work : ServerWrites.WORKS) {
      add(
          "a server's " + work.label() + ", " + WritePath.SHAPE_KEY_LENGTH + " bytes",
          (metric, contender) -> ServerWrites.samples(results, metric, contender, work));
    }
  }

  private void add(String label, Samples samples) {
    Row row = new Row(label, samples);
    if (!Double.isNaN(row.median(WritePath.WALL, WritePath.STOCK))) {
      rows.add(row);
    }
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
            *other* has the two the other way round; *none* writes no filter. The rate is 1 %; the *flush at
            0.01 %* is one into a large store, where stock still has 1 %. With 25-byte keys also: rows of five
            values, data blocks compressed with SNAPPY or encoded with FAST_DIFF, and flushes in a JVM that
            does nothing else. Each contender has JVMs of its own, which take turns in balanced orders, each JVM
            with all pieces of work, as a region server has.

            *A server's* flush and compaction are those of a real HBase server with the agent (master and region
            server in one JVM, a server for each contender): clients put the rows and skip the log, `flush` and
            `major_compact` are asked for through HBase's `Admin`. The wall time is the client's, who learns of the end of a
            compaction up to 5 ms late; the CPU time is that of all of the server's process.

            A ratio is the median over pairs of turns, and in brackets is the interval that has the true median
            with 95 % certainty. The last table says what of a turn is the filter's: how much longer it takes than the
            same turn without one. Stock's filter takes several times as long in a JVM that has flushed and compacted as
            in one that only flushes, because it asks the cell for each byte of the key, and cells of a flush and of a
            compaction are of different classes. [The profile](design/ribbon-build.md#why-a-file-gains-more-than-its-filter-explains)
            shows it.
            """);
    section.add(table("wall", WritePath.WALL));
    section.add(table("CPU", WritePath.CPU));
    section.add(filters());
    List<String> keyLengths = results.values(WritePath.NAME, "keyLength");
    if (!keyLengths.isEmpty()) {
      section.plot("write-path", chart(keyLengths).bars());
    }
    return section;
  }

  private Chart chart(List<String> keyLengths) {
    Chart chart =
        Chart.linear(
            "CPU time of flush and compaction, recommended over stock",
            "key length, bytes",
            "ratio",
            keyLengths);
    for (WritePath.Work work : WritePath.Shape.PLAIN.works()) {
      double[][] ratios = new double[3][keyLengths.size()];
      for (int i = 0; i < keyLengths.size(); i++) {
        PairedRatio ratio =
            WritePath.ratio(
                results,
                WritePath.CPU,
                WritePath.RECOMMENDED,
                WritePath.Shape.PLAIN,
                work,
                Integer.parseInt(keyLengths.get(i)));
        ratios[0][i] = ratio.median();
        ratios[1][i] = ratio.low();
        ratios[2][i] = ratio.high();
      }
      chart.add(work.label(), ratios[0], ratios[1], ratios[2]);
    }
    return chart;
  }

  private Table table(String clock, String metric) {
    Table table =
        new Table(
            "write path, ns of " + clock + " per row",
            clock,
            "none",
            "stock",
            "recommended",
            "other",
            "recommended : stock",
            "other : stock");
    for (Row row : rows) {
      table.row(
          row.label,
          Table.number(row.median(metric, WritePath.NONE), 0),
          Table.number(row.median(metric, WritePath.STOCK), 0),
          Table.number(row.median(metric, WritePath.RECOMMENDED), 0),
          Table.number(row.median(metric, WritePath.OTHER), 0),
          row.ratio(metric, WritePath.RECOMMENDED).text(),
          row.ratio(metric, WritePath.OTHER).text());
    }
    return table;
  }

  /** What of it is the filter's: so much more than the same turn without a filter. */
  private Table filters() {
    Table table =
        new Table(
            "what the filter takes of it, ns of CPU per row",
            "above none",
            "stock",
            "recommended",
            "saved");
    for (Row row : rows) {
      double stock = row.filter(WritePath.CPU, WritePath.STOCK);
      double recommended = row.filter(WritePath.CPU, WritePath.RECOMMENDED);
      table.row(
          row.label,
          Table.number(stock, 0),
          Table.number(recommended, 0),
          Table.number(stock - recommended, 0));
    }
    return table;
  }
}
