package io.winnow.bench.flash;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.List;

/** All structures that are sets, in one table. */
final class SetSection {
  private SetSection() {}

  static Section of(Results results) {
    Figures figures = new Figures(results);
    Section section =
        new Section(
            "Sets",
            """
            The work of Canim et al.: build from keys, then probe, with the same memory and at a false-positive
            rate of 0.25 % or less, where a rate can be chosen. *plain-bloom* and *elevator-bloom* are on flash
            here; they begin full, with random bits, as one insert takes as long as any other. *cascade* takes
            all keys. *buffered-bloom* takes all keys, and answers later than it is asked; the others answer at
            once, one lookup at a time. The peers are exact. They have a tenth of the keys, which is in their
            favour: to load all would take too long. JE was loaded in the order of the keys, and then measured
            at random. Bytes of ours are those of their requests; those of the peers are what Linux counts of the
            process. A latency of the cascade's inserts is that of 8 in a row, one of
            the buffered Bloom filter's that of a call with 1,024 keys; how long its answers take is further down.
            """);
    List<String> structures = figures.structures(Metrics.SET);
    Table table =
        new Table(
            "build and probe",
            "structure",
            "keys",
            "inserts/s",
            "bytes read and written per insert",
            "lookups/s, absent keys",
            "bytes read per lookup",
            "false positives",
            "lost",
            "bits per key on flash");
    Table latencies =
        new Table(
            "latency of inserts and lookups, microseconds",
            "structure",
            "insert p50",
            "p99",
            "p99.9",
            "max",
            "below 0.1 ms",
            "lookup p50",
            "p99",
            "p99.9",
            "max");
    for (String one : structures) {
      String set = Metrics.SET;
      table.row(
          one,
          figures.number(one, set, Metrics.KEYS, 0),
          figures.number(one, set, Metrics.INSERTS, 0),
          figures.number(one, set, "insertReadBytes", 0)
              + " + "
              + figures.number(one, set, "insertWrittenBytes", 0),
          figures.number(one, set, Metrics.PROBES, 0),
          figures.number(one, set, "lookupReadBytes", 0),
          figures.percent(one, set, Metrics.RATE, 3),
          figures.number(one, set, Metrics.LOST, 0),
          Table.number(
              Figures.scaled(
                  Table.divided(
                      figures.of(one, set, Metrics.FLASH), figures.of(one, set, Metrics.KEYS)),
                  8),
              1));
      if (figures.of(one, set, "insertP50Micros").isPresent()) {
        latencies.row(latencies(figures, one, set));
      }
    }
    section.add(table).add(latencies);
    if (!table.isEmpty()) {
      section.plot("flash-sets", chart(figures, structures));
    }
    return section;
  }

  /** Of inserts, and of lookups. */
  static String[] latencies(Figures figures, String structure, String workload) {
    return new String[] {
      structure,
      figures.number(structure, workload, "insertP50Micros", 1),
      figures.number(structure, workload, "insertP99Micros", 1),
      figures.number(structure, workload, "insertP999Micros", 1),
      figures.number(structure, workload, "insertMaxMicros", 0),
      figures.percent(structure, workload, "insertBelow100Micros", 2),
      figures.number(structure, workload, "lookupP50Micros", 1),
      figures.number(structure, workload, "lookupP99Micros", 1),
      figures.number(structure, workload, "lookupP999Micros", 1),
      figures.number(structure, workload, "lookupMaxMicros", 0)
    };
  }

  private static String chart(Figures figures, List<String> structures) {
    Chart chart =
        Chart.logarithmic(
            "Sets on flash, same memory",
            "one thread; buffered-bloom answers later than it is asked",
            "operations per second",
            List.of("inserts", "lookups of absent keys"));
    for (String one : structures) {
      chart.add(
          one,
          new double[] {
            figures.of(one, Metrics.SET, Metrics.INSERTS).orElse(Double.NaN),
            figures.of(one, Metrics.SET, Metrics.PROBES).orElse(Double.NaN)
          });
    }
    return chart.bars();
  }
}
