package io.winnow.bench;

import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import io.winnow.hbase.report.Table;
import java.util.ArrayList;
import java.util.List;
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
    all.seed();
    all.peers();
    all.kernels();
    all.writePath();
    return all.bounds;
  }

  static Section section(Results results) {
    return new Section(
            "Asked and measured", "What Winnow set out to reach, and what this run says of it.\n")
        .add(Bound.table(of(results)));
  }

  private void atMost(String what, double asked, OptionalDouble measured, int decimals) {
    bounds.add(new Bound(what, true, asked, measured, decimals));
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

  private void seed() {
    seed("construct", "ribbon", 10, 0.40);
    seed("construct", "ribbon", 2000, 0.16);
    seed("construct", "bumped-ribbon", 10, 0.60);
    seed("construct", "bumped-ribbon", 2000, 0.18);
    for (String filter : List.of("ribbon", "bumped-ribbon")) {
      for (int length : new int[] {10, 25, 50}) {
        seed("query", filter, length, 0.30);
      }
      seed("query", filter, 2000, 0.14);
    }
  }

  private void seed(String work, String filter, int keyLength, double asked) {
    String benchmark = work.equals("query") ? "SeedQuery.query" : "SeedConstruct.construct";
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
      bounds.add(
          new Bound(
              filter + ", 10M keys: throughput of batched probes over single ones with a branch",
              false,
              1.4,
              Table.divided(
                  results.median("KernelProbe.branched", JmhRuns.NS_PER_KEY, at),
                  results.median("KernelProbe.batched", JmhRuns.NS_PER_KEY, at)),
              2));
    }
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
        results.median(
            "KernelProbe.counted",
            JmhRuns.NS_PER_KEY,
            "filter",
            filter,
            "n",
            145_000,
            "mix",
            "mixed",
            "buffer",
            "heap"),
        1);
  }

  private void writePath() {
    for (String filter : List.of("ribbon", "bumped-ribbon")) {
      for (String work : List.of("flush", "compaction")) {
        atMost(
            filter + ", " + work + ": wall time over that with stock HBase Bloom",
            1.0,
            Table.divided(
                results.median(WritePath.NAME, "wallNsPerRow", "filter", filter, "work", work),
                results.median(WritePath.NAME, "wallNsPerRow", "filter", "bloom", "work", work)),
            3);
      }
    }
  }
}
