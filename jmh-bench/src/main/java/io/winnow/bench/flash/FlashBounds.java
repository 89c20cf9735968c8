package io.winnow.bench.flash;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** What was asked of the structures on flash. */
final class FlashBounds {
  /** Sampling errors that a measured rate may be off by. */
  private static final int SIGMAS = 3;

  private static final int T_MAX = 750;

  private final Figures figures;
  private final List<Bound> bounds = new ArrayList<>();

  private FlashBounds(Figures figures) {
    this.figures = figures;
  }

  static Section section(Results results) {
    return new Section(
            "Asked and measured",
            """
            The bounds are for a run at scale 1; a smaller one is held to them too, and may say little. *Time*
            is that of all inserts and all probes, until the last answer. The memory of the Bloom filters in
            memory is theirs alone; that of the buffered one includes its buffers and its requests. BufferHash is
            held against its peers by the time of its inserts and lookups in the WAN optimizer's mix, of which
            each is one lookup and, if nothing was found, one insert. What was asked for a lookup beside JE and
            RocksDB is bounded by the drive: a lookup that finds something reads a page in all of them.
            """)
        .add(Bound.table(of(results)));
  }

  static List<Bound> of(Results results) {
    FlashBounds bounds = new FlashBounds(new Figures(results));
    bounds.buffered();
    bounds.bufferHash();
    bounds.atMost(
        "keys lost and wrong values, of all structures",
        0,
        results.has(Metrics.RUN)
            ? OptionalDouble.of(bounds.figures.lost())
            : OptionalDouble.empty(),
        0);
    return bounds.bounds;
  }

  private void atMost(String what, double asked, OptionalDouble measured, int decimals) {
    bounds.add(new Bound(what, true, asked, measured, decimals));
  }

  private void atLeast(String what, double asked, OptionalDouble measured, int decimals) {
    bounds.add(new Bound(what, false, asked, measured, decimals));
  }

  private OptionalDouble buffered(String workload, String metric) {
    return figures.of(Metrics.BUFFERED, workload, metric);
  }

  private OptionalDouble inMemory(String workload, String metric) {
    return figures.of(Metrics.PLAIN, workload, metric);
  }

  private void buffered() {
    atMost(
        "buffered Bloom, 2 hash functions: false-positive rate, %",
        0.25, Figures.scaled(buffered(Metrics.SET, Metrics.RATE), 100), 3);
    atMost(
        "plain Bloom in memory, 3 hash functions: false-positive rate, %",
        0.25, Figures.scaled(inMemory(Metrics.MEMORY_4X, Metrics.RATE), 100), 3);
    atMost(
        "buffered Bloom at that rate: memory over the plain one's",
        0.25,
        Table.divided(
            buffered(Metrics.SET, Metrics.MEMORY), inMemory(Metrics.MEMORY_4X, Metrics.MEMORY)),
        3);
    atMost(
        "buffered Bloom at that rate: time over the plain one's",
        1,
        Table.divided(buffered(Metrics.SET, "seconds"), inMemory(Metrics.MEMORY_4X, "seconds")),
        2);
    fewerFalsePositives("2 hash functions, as published", Metrics.SET);
    fewerFalsePositives("5 hash functions", Metrics.SET_K5);
    List<String> sweep = BufferedRuns.sweep();
    for (String metric : List.of("insertReadBytes", "lookupReadBytes")) {
      atLeast(
          "buffered Bloom: bytes read per "
              + (metric.startsWith("insert") ? "insert" : "probe")
              + " with a quarter of the memory, over those with all of it",
          3,
          Table.divided(buffered(sweep.get(0), metric), buffered(sweep.get(2), metric)),
          2);
    }
    atMost(
        "buffered Bloom, t_max "
            + T_MAX
            + " ms: the longest wait, ms; with the drive's longest large request",
        T_MAX + figures.setup(Drive.LONGEST).orElse(0),
        buffered(WaitRuns.workload(T_MAX), "longestWaitMillis"),
        1);
  }

  /** A plain filter in twice the memory has three hash functions. */
  private void fewerFalsePositives(String what, String workload) {
    atLeast(
        "plain Bloom in twice the memory over buffered Bloom, "
            + what
            + ": false-positive rates, ratio",
        10,
        Table.divided(inMemory(Metrics.MEMORY_2X, Metrics.RATE), buffered(workload, Metrics.RATE)),
        1);
  }

  private void bufferHash() {
    OptionalDouble data =
        Table.divided(
            Figures.scaled(
                figures.of(Metrics.BUFFERHASH, Metrics.WAN, Metrics.KEYS),
                Long.BYTES + FlashBenchOptions.VALUE_BYTES),
            figures.of(Metrics.BUFFERHASH, Metrics.WAN, Metrics.MEMORY));
    atLeast("maps: keys and values over memory", 8, data, 2);
    over(Metrics.JE, Metrics.INSERTS, "inserts", 50);
    over(Metrics.JE, Metrics.PROBES, "lookups", 50);
    for (String rocks : List.of(Metrics.ROCKS_BLOOM, Metrics.ROCKS_RIBBON)) {
      over(rocks, Metrics.INSERTS, "inserts", 5);
      over(rocks, Metrics.PROBES, "lookups", 1);
    }
    for (String workload : List.of(Metrics.WAN, Metrics.LOOKUPS + "0")) {
      atLeast(
          "bufferhash, " + workload + ": inserts below 0.1 ms, %",
          99,
          Figures.scaled(figures.of(Metrics.BUFFERHASH, workload, "insertBelow100Micros"), 100),
          2);
    }
    reads();
  }

  private void over(String peer, String metric, String what, double asked) {
    atLeast(
        "bufferhash over " + peer + ": " + what + " per second, " + Metrics.WAN,
        asked,
        figures.ratio(Metrics.WAN, metric, Metrics.BUFFERHASH, peer),
        1);
  }

  /**
   * The rate is the one that its layout says: false positives of all filters that a lookup asks.
   */
  private void reads() {
    OptionalDouble rate = figures.setup("bufferHashFalseReadsByLayout");
    if (rate.isEmpty()) {
      return;
    }
    reads("finds its key", Metrics.HITS, 1, rate.getAsDouble());
    reads("finds nothing", Metrics.MISSES, 0, rate.getAsDouble());
  }

  private void reads(String what, String workload, double first, double rate) {
    OptionalDouble lookups = figures.of(Metrics.BUFFERHASH, workload, "lookups");
    double error = lookups.isPresent() ? SIGMAS * Math.sqrt(rate / lookups.getAsDouble()) : 0;
    atMost(
        "bufferhash: pages read by a lookup that " + what + "; with " + SIGMAS + " sampling errors",
        first + rate + error,
        figures.of(Metrics.BUFFERHASH, workload, "lookupReads"),
        5);
  }
}
