package io.winnow.bench.flash;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;

/** All structures that are maps. */
final class MapSection {
  static final List<String> MIXES =
      List.of(Metrics.WAN, Metrics.LOOKUPS + "0", Metrics.LOOKUPS + "0.5", Metrics.LOOKUPS + "1");

  private MapSection() {}

  static Section of(Results results) {
    Figures figures = new Figures(results);
    Section section =
        new Section(
            "Maps",
            """
            The work of "Cheap and Large CAMs for High Performance Data-Intensive Networked Systems" (Anand et
            al., NSDI 2010): entries of 8 bytes of key and 24 of value, which hold eight times the memory before
            anything is measured. *WAN optimizer* asks for keys, 40 % of which are there, anywhere among all
            entries, and inserts each that was not found. *Lookups, share s* draws each operation; 40 % of its
            lookups find their key. One thread. *Inserts/s* and *lookups/s* are by the time of these operations
            alone. The bytes are those of all operations of the mix and of what goes on in the background.
            Requests of a peer are all of its process's calls to read, and some are answered by the page cache;
            its bytes come from the drive. All figures of this page: [flash-runs.csv](plots/flash-runs.csv).
            """);
    Table rates =
        new Table(
            "mixes",
            "mix, structure",
            "operations/s",
            "inserts/s",
            "lookups/s",
            "mean insert, us",
            "mean lookup, us",
            "bytes read per operation",
            "bytes written",
            "lost or wrong");
    Table latencies =
        new Table(
            "latency in the mixes, microseconds",
            "mix, structure",
            "insert p50",
            "p99",
            "p99.9",
            "max",
            "below 0.1 ms",
            "lookup p50",
            "p99",
            "p99.9",
            "max");
    for (String mix : MIXES) {
      for (String one : figures.structures(mix)) {
        rates.row(
            mix + ", " + one,
            figures.number(one, mix, "operationsPerSecond", 0),
            figures.number(one, mix, Metrics.INSERTS, 0),
            figures.number(one, mix, Metrics.PROBES, 0),
            figures.number(one, mix, "insertMeanMicros", 2),
            figures.number(one, mix, "lookupMeanMicros", 1),
            figures.number(one, mix, "operationReadBytes", 0),
            figures.number(one, mix, "operationWrittenBytes", 0),
            figures.number(one, mix, Metrics.LOST, 0));
        String[] cells = SetSection.latencies(figures, one, mix);
        cells[0] = mix + ", " + one;
        latencies.row(cells);
      }
    }
    section.add(rates).add(latencies).add(reads(figures));
    if (!rates.isEmpty()) {
      section.plot("flash-maps", chart(figures));
    }
    return section;
  }

  private static Table reads(Figures figures) {
    Table table =
        new Table(
            "lookups of one kind",
            "structure",
            "entries",
            "present keys/s",
            "p50, us",
            "requests each",
            "bytes read",
            "absent keys/s",
            "p50, us",
            "requests each",
            "bytes read",
            "bytes on flash per entry",
            "loaded, entries/s");
    for (String one : figures.structures(Metrics.HITS)) {
      table.row(
          one,
          figures.number(one, Metrics.HITS, Metrics.KEYS, 0),
          figures.number(one, Metrics.HITS, Metrics.PROBES, 0),
          figures.number(one, Metrics.HITS, "lookupP50Micros", 1),
          figures.number(one, Metrics.HITS, "lookupReads", 4),
          figures.number(one, Metrics.HITS, "lookupReadBytes", 0),
          figures.number(one, Metrics.MISSES, Metrics.PROBES, 0),
          figures.number(one, Metrics.MISSES, "lookupP50Micros", 1),
          figures.number(one, Metrics.MISSES, "lookupReads", 4),
          figures.number(one, Metrics.MISSES, "lookupReadBytes", 0),
          Table.number(
              Table.divided(
                  figures.of(one, Metrics.HITS, Metrics.FLASH),
                  figures.of(one, Metrics.HITS, Metrics.KEYS)),
              1),
          figures.number(one, Metrics.WAN, "loadsPerSecond", 0));
    }
    return table;
  }

  private static String chart(Figures figures) {
    Chart chart =
        Chart.logarithmic(
            "Maps on flash, same memory",
            "operations per second of all, one thread",
            "operations per second",
            MIXES);
    for (String one : figures.structures(Metrics.WAN)) {
      List<Double> values = new ArrayList<>();
      for (String mix : MIXES) {
        values.add(figures.of(one, mix, "operationsPerSecond").orElse(Double.NaN));
      }
      chart.add(one, values.stream().mapToDouble(x -> x).toArray());
    }
    return chart.bars();
  }
}
