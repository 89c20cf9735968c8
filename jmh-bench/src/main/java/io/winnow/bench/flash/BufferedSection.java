package io.winnow.bench.flash;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;

/** The buffered Bloom filter: beside the classic one in memory, over its memory, over t_max. */
final class BufferedSection {
  private static final double MIB = 1 << 20;

  private BufferedSection() {}

  static Section inMemory(Results results) {
    Figures figures = new Figures(results);
    Table table =
        new Table(
            "buffered Bloom filter on flash, plain Bloom filter in memory",
            "filter",
            "hash functions",
            "memory, MiB",
            "flash, MiB",
            "inserts/s",
            "probes/s",
            "seconds, both",
            "false positives",
            "lost");
    row(table, figures, Metrics.PLAIN, Metrics.MEMORY_4X);
    row(table, figures, Metrics.PLAIN, Metrics.MEMORY_2X);
    row(table, figures, Metrics.PLAIN, Metrics.MEMORY_2X_K2);
    row(table, figures, Metrics.BUFFERED, Metrics.SET);
    row(table, figures, Metrics.BUFFERED, Metrics.SET_K3);
    return new Section(
            "Buffered Bloom filter beside one in memory",
            """
            Table 2 of "Buffered Bloom Filters on Solid State Storage" (Canim et al., ADMS 2010), with its sizes
            times the scale of the run: 50 million keys to build from and as many probes, half of them for
            present keys. Two hash functions, 256 MB of flash and 32 MB of memory stand against three and 128 MB
            of memory at the same rate, and against 64 MB. Keys are handed over 1,024 at a time to the filter on
            flash. Their text says that the filter in 64 MB has at least ten times the false positives of the
            one on flash. Their formula says 7.0 times for two hash functions against three (1.45 % and 0.207 %),
            13.9 times for two against two, and 47 times for three against three. All of these are here. The
            number of hash functions changes nothing in what is read and written.
            """)
        .add(table);
  }

  private static void row(Table table, Figures figures, String structure, String workload) {
    if (figures.has(structure, workload)) {
      table.row(
          structure.equals(Metrics.PLAIN) ? "plain, in memory" : "buffered, on flash",
          figures.number(structure, workload, "hashFunctions", 0),
          figures.number(structure, workload, Metrics.MEMORY, MIB, 1),
          figures.number(structure, workload, Metrics.FLASH, MIB, 1),
          figures.number(structure, workload, Metrics.INSERTS, 0),
          figures.number(structure, workload, Metrics.PROBES, 0),
          figures.number(structure, workload, "seconds", 2),
          figures.percent(structure, workload, Metrics.RATE, 4),
          figures.number(structure, workload, Metrics.LOST, 0));
    }
  }

  static Section memory(Results results) {
    Figures figures = new Figures(results);
    Section section =
        new Section(
            "Over the size of the buffer",
            """
            Figure 4 of Canim et al.: the same filter with two hash functions, and more or less memory. What is
            read and written for an insert is in inverse proportion to it, and what is read for a probe as long
            as blocks are full before t_max is over. Time is not, when the processor takes more of it than the
            drive. Theirs was ahead of the filter in memory from a quarter of that one's
            memory on.
            """);
    Table table =
        new Table(
            "memory of the buffered Bloom filter",
            "memory, MiB",
            "bytes read and written per insert",
            "bytes read per probe",
            "inserts/s",
            "probes/s",
            "seconds, both",
            "seconds, over the plain one's in memory",
            "lost");
    List<String> sizes = new ArrayList<>();
    List<String> there = new ArrayList<>();
    for (String workload : BufferedRuns.sweep()) {
      String one = Metrics.BUFFERED;
      if (figures.has(one, workload)) {
        there.add(workload);
        sizes.add(figures.number(one, workload, Metrics.MEMORY, MIB, 1));
        table.row(
            figures.number(one, workload, Metrics.MEMORY, MIB, 1),
            figures.number(one, workload, "insertReadBytes", 1)
                + " + "
                + figures.number(one, workload, "insertWrittenBytes", 1),
            figures.number(one, workload, "lookupReadBytes", 1),
            figures.number(one, workload, Metrics.INSERTS, 0),
            figures.number(one, workload, Metrics.PROBES, 0),
            figures.number(one, workload, "seconds", 2),
            Table.ratio(
                figures.of(one, workload, "seconds"),
                figures.of(Metrics.PLAIN, Metrics.MEMORY_4X, "seconds")),
            figures.number(one, workload, Metrics.LOST, 0));
      }
    }
    section.add(table);
    if (!there.isEmpty()) {
      section.plot(
          "flash-buffer",
          Chart.linear(
                  "Buffered Bloom filter: I/O per key over memory", "memory, MiB", "bytes", sizes)
              .add("read per insert", values(figures, there, "insertReadBytes"))
              .add("written per insert", values(figures, there, "insertWrittenBytes"))
              .add("read per probe", values(figures, there, "lookupReadBytes"))
              .lines());
    }
    return section;
  }

  private static double[] values(Figures figures, List<String> workloads, String metric) {
    return workloads.stream()
        .mapToDouble(one -> figures.of(Metrics.BUFFERED, one, metric).orElse(Double.NaN))
        .toArray();
  }

  static Section waits(Results results) {
    Figures figures = new Figures(results);
    Section section =
        new Section(
            "Over the longest wait, t_max",
            """
            Figure 3 of Canim et al.: the time from when a probe was due until its answer. Probes come at one
            pace in all rows, three tenths of what the filter takes when nothing holds it up. *In a block* is the
            longest that a probe waited after it was handed over; it should be no more than t_max and one request
            to the drive, the longest of which is beside it. All of the filter is read once in each t_max, as
            probes wait for all of its pages, by one thread that answers them too. So a t_max in which this
            thread cannot do so cannot be kept: shorter ones end where the thread is always at work. Theirs was
            best at 750 ms.
            """);
    Table table =
        new Table(
            "t_max",
            "t_max, ms",
            "mean time to an answer, ms",
            "p50",
            "p99",
            "max",
            "longest in a block",
            "longest request",
            "bytes read per probe",
            "probes/s offered",
            "probes/s",
            "lost");
    List<String> names = new ArrayList<>();
    List<Double> means = new ArrayList<>();
    List<Double> blocks = new ArrayList<>();
    for (int millis : WaitRuns.MILLIS) {
      String workload = WaitRuns.workload(millis);
      String one = Metrics.BUFFERED;
      if (figures.has(one, workload)) {
        names.add(String.valueOf(millis));
        means.add(figures.of(one, workload, "lookupMeanMicros").orElse(Double.NaN) / 1e3);
        blocks.add(figures.of(one, workload, "longestWaitMillis").orElse(Double.NaN));
        table.row(
            String.valueOf(millis),
            figures.number(one, workload, "lookupMeanMicros", 1e3, 1),
            figures.number(one, workload, "lookupP50Micros", 1e3, 1),
            figures.number(one, workload, "lookupP99Micros", 1e3, 1),
            figures.number(one, workload, "lookupMaxMicros", 1e3, 1),
            figures.number(one, workload, "longestWaitMillis", 1),
            figures.number(one, workload, "longestRequestMillis", 1),
            figures.number(one, workload, "lookupReadBytes", 1),
            figures.number(one, workload, "offeredPerSecond", 0),
            figures.number(one, workload, Metrics.PROBES, 0),
            figures.number(one, workload, Metrics.LOST, 0));
      }
    }
    section.add(table);
    if (!names.isEmpty()) {
      section.plot(
          "flash-waits",
          Chart.logarithmic(
                  "Deferred probes: the time to an answer", "t_max, ms", "milliseconds", names)
              .add("mean, from when it was due", means.stream().mapToDouble(x -> x).toArray())
              .add("longest in a block", blocks.stream().mapToDouble(x -> x).toArray())
              .lines());
    }
    return section;
  }
}
