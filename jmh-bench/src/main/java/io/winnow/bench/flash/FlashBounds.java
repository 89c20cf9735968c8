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
            each is one lookup and, if nothing was found, one insert; and against JE by its inserts alone, too.

            What was asked for lookups beside JE is more than a drive gives that writes without holding up its
            reads. 40 % of the lookups find their key, and each of these reads a page of flash in every one of
            these maps; BufferHash reads nothing else, JE some pages of its tree. In 2010 a lookup of
            BerkeleyDB waited behind random writes, for 4.6 ms. In the mix JE inserts where it has just looked
            up, so that the page is in its cache. RocksDB reads about as often as BufferHash does.
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
    fewerFalsePositives("3 and 2 hash functions: 7.0 by formula", Metrics.MEMORY_2X, Metrics.SET);
    fewerFalsePositives("2 and 2: 13.9 by formula", Metrics.MEMORY_2X_K2, Metrics.SET);
    fewerFalsePositives("3 and 3: 47 by formula", Metrics.MEMORY_2X, Metrics.SET_K3);
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
    for (int millis : new int[] {T_MAX, 2 * T_MAX}) {
      String waits = WaitRuns.workload(millis);
      atMost(
          "buffered Bloom, t_max " + millis + " ms: the longest wait, ms; with the longest request",
          millis + buffered(waits, "longestRequestMillis").orElse(0),
          buffered(waits, "longestWaitMillis"),
          1);
    }
  }

  private void fewerFalsePositives(String what, String inMemory, String onFlash) {
    atLeast(
        "false positives, plain Bloom in twice the memory over buffered Bloom, " + what,
        10,
        Table.divided(inMemory(inMemory, Metrics.RATE), buffered(onFlash, Metrics.RATE)),
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
    over(Metrics.JE, Metrics.INSERTS, "inserts", Metrics.WAN, 50);
    over(Metrics.JE, Metrics.PROBES, "lookups", Metrics.WAN, 50);
    over(Metrics.JE, Metrics.INSERTS, "inserts", Metrics.LOOKUPS + "0", 50);
    for (String rocks : List.of(Metrics.ROCKS_BLOOM, Metrics.ROCKS_RIBBON)) {
      over(rocks, Metrics.INSERTS, "inserts", Metrics.WAN, 5);
      over(rocks, Metrics.PROBES, "lookups", Metrics.WAN, 1);
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

  private void over(String peer, String metric, String what, String workload, double asked) {
    atLeast(
        "bufferhash over " + peer + ": " + what + " per second, " + workload,
        asked,
        figures.ratio(workload, metric, Metrics.BUFFERHASH, peer),
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
