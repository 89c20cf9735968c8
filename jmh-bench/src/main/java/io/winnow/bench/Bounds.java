package io.winnow.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What was asked of Winnow, and what a run measured of it. */
final class Bounds {
  /** Standard errors of a measured rate that count as chance. */
  private static final double SIGMAS = 4;

  private final Results results;
  private final List<Bound> bounds = new ArrayList<>();

  private Bounds(Results results) {
    this.results = results;
  }

  static List<Bound> of(Results results) {
    Bounds all = new Bounds(results);
    all.space();
    all.spread();
    all.lindorm();
    all.ask();
    all.peers();
    all.kernels();
    all.writePath();
    all.quotient();
    return all.bounds;
  }

  static Section section(Results results) {
    return new Section(
            "Asked and measured",
            """
            What Winnow set out to reach, and what was measured: each figure is one of a section below, from
            that section's run. A ratio with an interval is *reached* only with all of the interval.
            """)
        .add(Bound.table(of(results)));
  }

  private void atMost(String what, double asked, OptionalDouble measured, int decimals) {
    bounds.add(new Bound(what, true, asked, measured, decimals));
  }

  private void atLeast(String what, double asked, OptionalDouble measured) {
    bounds.add(new Bound(what, false, asked, measured, 2));
  }

  private void space() {
    String filter = "bumped-ribbon";
    space("10M keys at 1 %", 6.77, filter, 10_000_000, 0.01);
    space("10M keys at 0.1 %", 10.1, filter, 10_000_000, 0.001);
    space("100k keys at 1 %", 6.83, filter, 100_000, 0.01);
    space("10k keys at 1 %", 7.15, filter, 10_000, 0.01);
    OptionalDouble probes =
        results.median(Space.NAME, "absentProbes", "filter", filter, "n", 10_000_000, "rate", 0.01);
    double chance = probes.isPresent() ? SIGMAS * Math.sqrt(0.01 * 0.99 / probes.getAsDouble()) : 0;
    OptionalDouble rate =
        results.median(Space.NAME, JmhRuns.RATE, "filter", filter, "n", 10_000_000, "rate", 0.01);
    atMost(
        filter + ", file of 10M keys: false-positive rate, %, sampling error added",
        100 * (0.01 + chance),
        Table.divided(rate, OptionalDouble.of(0.01)),
        4);
  }

  private void space(String what, double asked, String filter, int n, double rate) {
    atMost(
        filter + ", file of " + what + ": bits per key, everything included",
        asked,
        results.median(Space.NAME, JmhRuns.BITS_PER_KEY, "filter", filter, "n", n, "rate", rate),
        3);
  }

  private void spread() {
    for (String filter : List.of("ribbon", "bumped-ribbon")) {
      for (double rate : Rates.RATES) {
        Object[] at = {"filter", filter, "rate", rate, "n", 145_000};
        OptionalDouble probes = results.median(Rates.NAME, "probesPerChunk", at);
        double chance =
            probes.isPresent()
                ? SIGMAS * Math.sqrt(rate * (1 - rate) / probes.getAsDouble()) / rate
                : 0;
        atMost(
            filter
                + ", chunks of 145k keys at "
                + Table.percent(OptionalDouble.of(rate), rate < 0.01 ? 1 : 0)
                + ": worst chunk's rate over the asked one, sampling error added",
            1.1 + chance,
            Table.divided(results.median(Rates.NAME, "mostRate", at), OptionalDouble.of(rate)),
            3);
      }
    }
  }

  private void lindorm() {
    lindorm("construct", "ribbon", 10, 0.40);
    lindorm("construct", "ribbon", 2000, 0.16);
    lindorm("construct", "bumped-ribbon", 10, 0.60);
    lindorm("construct", "bumped-ribbon", 2000, 0.18);
    for (String filter : List.of("ribbon", "bumped-ribbon")) {
      for (int length : new int[] {10, 25, 50}) {
        lindorm("query", filter, length, 0.30);
      }
      lindorm("query", filter, 2000, 0.14);
    }
  }

  private void lindorm(String work, String filter, int keyLength, double asked) {
    String benchmark = work.equals("query") ? "LindormQuery.query" : "LindormConstruct.construct";
    atMost(
        filter + ", " + work + ", " + keyLength + "-byte keys: time over stock HBase Bloom's",
        asked,
        ratio(benchmark, filter, "bloom", "keyLength", keyLength),
        2);
  }

  private OptionalDouble ratio(
      String benchmark, String filter, String base, String parameter, Object value) {
    return Table.divided(
        results.median(benchmark, JmhRuns.NS_PER_KEY, "filter", filter, parameter, value),
        results.median(benchmark, JmhRuns.NS_PER_KEY, "filter", base, parameter, value));
  }

  private void ask() {
    for (Ask.Place place : List.of(Ask.Place.ONE, Ask.Place.EIGHT, Ask.Place.SMALL)) {
      ask(place, Ask.Turnover.TWO, "2 questions per chunk and window", 0.40);
      ask(place, Ask.Turnover.ONE, "1 question per chunk and window", 0.45);
    }
  }

  private void ask(Ask.Place place, Ask.Turnover turnover, String what, double asked) {
    String filter = "bumped-ribbon";
    bounds.add(
        Bound.atMost(
            filter + ", query, " + place.label() + ", " + what + ": time over stock HBase Bloom's",
            asked,
            Ask.ratio(results, place, turnover, 1, filter)));
  }

  private void peers() {
    List<String> lengths = results.values("Peers.query", "keyLength");
    for (String filter : List.of("ribbon", "bumped-ribbon")) {
      for (String length : lengths.isEmpty() ? List.of("25") : lengths) {
        atMost(
            filter + ", query, " + length + "-byte keys: time over a plain XXH3 Bloom's",
            1.0,
            ratio("Peers.query", filter, "fastfilter-bloom", "keyLength", length),
            2);
      }
    }
  }

  private void kernels() {
    kernel("ribbon", 30, 12);
    kernel("bumped-ribbon", 70, 18);
    for (String filter : List.of("ribbon", "bumped-ribbon")) {
      Object[] at = {"filter", filter, "n", 10_000_000, "mix", "mixed", "buffer", "heap"};
      atLeast(
          filter + ", 10M keys: throughput of batched probes over single ones with a branch",
          1.4,
          Table.divided(
              results.median("KernelProbe.branched", JmhRuns.NS_PER_KEY, at),
              results.median("KernelProbe.batched", JmhRuns.NS_PER_KEY, at)));
      for (String buffer : Kernel.BUFFERS) {
        atMost(
            filter + ", 145k keys: a probe in a " + buffer + " buffer over one in an array",
            2.0,
            Table.divided(counted(filter, buffer), counted(filter, "heap")),
            2);
      }
    }
  }

  private OptionalDouble counted(String filter, String buffer) {
    return results.median(
        "KernelProbe.counted",
        JmhRuns.NS_PER_KEY,
        "filter",
        filter,
        "n",
        145_000,
        "mix",
        "mixed",
        "buffer",
        buffer);
  }

  private void kernel(String filter, double build, double probe) {
    atMost(
        filter + ", kernel, 145k keys: build, ns per key",
        build,
        results.median(
            "KernelBuild.build",
            JmhRuns.NS_PER_KEY,
            "filter",
            filter,
            "n",
            145_000,
            "verified",
            true),
        1);
    atMost(
        filter + ", kernel, 145k keys: probe in a counted batch, ns",
        probe,
        counted(filter, "heap"),
        1);
  }

  private void quotient() {
    String ours = "rank-select";
    String sameSize = "rank-select-80";
    int large = 100_000_000;
    atLeast(
        sameSize + ", 100M keys at 0.04 %: inserts per second over a Bloom filter's",
        1.5,
        Table.divided(
            results.median(Quotients.FILTER, Quotients.INSERT, "filter", "bloom", "n", large),
            results.median(Quotients.FILTER, Quotients.INSERT, "filter", sameSize, "n", large)));
    for (String metric : List.of(Quotients.PRESENT, Quotients.ABSENT)) {
      String keys = metric.equals(Quotients.PRESENT) ? "present" : "absent";
      atLeast(
          sameSize + ", 100M keys at 0.04 %: lookups of " + keys + " keys over a Bloom filter's",
          1.0,
          Table.divided(
              QuotientSection.at(results, metric, "bloom", large, 95),
              QuotientSection.at(results, metric, sameSize, large, 80)));
    }
    quotient("1M", 1_000_000, 70, 45);
    quotient("10M", 10_000_000, 165, 140);
    atMost(
        "rank-select, 10M fingerprints: bulk build from sorted, ns",
        15,
        QuotientSection.whole(results, Quotients.BULK, ours, 10_000_000),
        1);
    atLeast(
        "rank-select, 10M fingerprints: merge of two, millions per second",
        40,
        Table.divided(
            OptionalDouble.of(1e3),
            QuotientSection.whole(results, Quotients.MERGE + 2, ours, 10_000_000)));
    atMost(
        "rank-select at 95 % load and 1 %: bits per key",
        9.7, QuotientSection.space(results, JmhRuns.BITS_PER_KEY, ours, 0.01), 2);
    atMost(
        "three-bit at 75 % load: bits over those of a Bloom filter of 10 hash functions",
        1.2,
        Table.divided(
            QuotientSection.space(results, JmhRuns.BITS_PER_KEY, "three-bit", 0.001),
            QuotientSection.space(results, JmhRuns.BITS_PER_KEY, Quotients.BLOOM_10, 0.001)),
        3);
  }

  private void quotient(String size, int n, double insert, double lookup) {
    String ours = "rank-select";
    atMost(
        ours + ", " + size + " keys, to 90 % load: insert, ns",
        insert,
        QuotientSection.insertsTo(results, ours, n, 90),
        1);
    atMost(
        ours + ", " + size + " keys, at 90 % load: lookup of present keys, ns",
        lookup,
        QuotientSection.at(results, Quotients.PRESENT, ours, n, 90),
        1);
    atMost(
        ours + ", " + size + " keys, at 90 % load: lookup of absent keys, ns",
        lookup,
        QuotientSection.at(results, Quotients.ABSENT, ours, n, 90),
        1);
  }

  private void writePath() {
    for (WritePath.Shape shape : WritePath.Shape.values()) {
      if (shape == WritePath.Shape.FLUSHES_ONLY) {
        continue; // no region server is like that: it is there to explain the others
      }
      for (WritePath.Work work : shape.works()) {
        for (int keyLength : shape.keyLengths(Effort.FULL)) {
          String what =
              String.format(
                  Locale.ROOT,
                  "recommended, %s, %d-byte keys%s",
                  work.label(),
                  keyLength,
                  shape == WritePath.Shape.PLAIN ? "" : ", " + shape.label());
          for (String metric : List.of(WritePath.WALL, WritePath.CPU)) {
            noMoreThanStock(
                what,
                metric,
                WritePath.ratio(results, metric, WritePath.RECOMMENDED, shape, work, keyLength));
          }
        }
      }
    }
    for (WritePath.Work work : ServerWrites.WORKS) {
      for (String metric : List.of(WritePath.WALL, WritePath.CPU)) {
        noMoreThanStock(
            "recommended, a server's " + work.label(),
            metric,
            ServerWrites.ratio(results, metric, WritePath.RECOMMENDED, work));
      }
    }
  }

  private void noMoreThanStock(String what, String metric, PairedRatio ratio) {
    String clock = metric.equals(WritePath.WALL) ? "wall time" : "CPU time";
    bounds.add(Bound.atMost(what + ": " + clock + " over stock's", 1.0, ratio));
  }
}
