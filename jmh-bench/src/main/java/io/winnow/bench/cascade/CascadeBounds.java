package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** What was asked of the cascade filter, at the size that is published. */
final class CascadeBounds {
  /** Sampling errors that a measured rate may be off by. */
  private static final int SIGMAS = 3;

  private final Results results;
  private final List<Bound> bounds = new ArrayList<>();

  private CascadeBounds(Results results) {
    this.results = results;
  }

  static Section section(Results results) {
    return new Section(
            "Asked and measured",
            """
            The bounds are for 500 million keys with 64 MiB at 0.04 %, and for de-duplication with an eighth of
            both; only such a run is held to them, but for keys lost. Bender et al. measured 8.59 billion keys
            with 256 MB on an X25-M of 2009: 670,000 inserts/s, 40 times as many as the elevator Bloom filter's
            and 3,200 times as many as the plain one's, a third of a Bloom filter's lookups, and 6 % more time
            with tombstones.
            """)
        .add(Bound.table(of(results)));
  }

  static List<Bound> of(Results results) {
    CascadeBounds bounds = new CascadeBounds(results);
    if (bounds.isOf(500e6, 64 << 20, 0.0004)) {
      bounds.inserts();
      bounds.lookups();
      MixBounds.addTo(bounds.bounds, results);
    }
    bounds.keys();
    return bounds.bounds;
  }

  private boolean isOf(double keys, double memoryBytes, double rate) {
    return isAbout("keys", keys) && isAbout("memoryBytes", memoryBytes) && isAbout("rate", rate);
  }

  /** Results have six digits. */
  private boolean isAbout(String metric, double value) {
    return Math.abs(results.median(Metrics.SETUP, metric).orElse(0) - value) < 1e-5 * value;
  }

  private void atLeast(String what, double asked, OptionalDouble measured, int decimals) {
    bounds.add(new Bound(what, false, asked, measured, decimals));
  }

  private void atMost(String what, double asked, OptionalDouble measured, int decimals) {
    bounds.add(new Bound(what, true, asked, measured, decimals));
  }

  private OptionalDouble ingest(String metric, String filter) {
    return results.median(Metrics.INGEST, metric, Metrics.FILTER, filter);
  }

  private OptionalDouble lookup(String metric, String filter, String work) {
    return results.median(Metrics.LOOKUP, metric, Metrics.FILTER, filter, Metrics.WORK, work);
  }

  private static OptionalDouble scaled(OptionalDouble value, double factor) {
    return value.isPresent()
        ? OptionalDouble.of(value.getAsDouble() * factor)
        : OptionalDouble.empty();
  }

  private void inserts() {
    OptionalDouble cascade = ingest(Metrics.PER_SECOND, Metrics.CASCADE);
    atLeast(
        "all levels on flash, in times the memory",
        8,
        Table.divided(
            ingest("flashBytes", Metrics.CASCADE), results.median(Metrics.SETUP, "memoryBytes")),
        1);
    atLeast("inserts per second", 4e6, cascade, 0);
    atLeast(
        "inserts per second over the elevator Bloom filter's",
        40,
        Table.divided(cascade, ingest(Metrics.PER_SECOND, Metrics.ELEVATOR)),
        0);
    atLeast(
        "inserts per second over the plain Bloom filter's",
        3200,
        Table.divided(cascade, ingest(Metrics.PER_SECOND, Metrics.PLAIN)),
        0);
    atMost(
        "time per insert with tombstones over that without",
        1.1,
        Table.divided(cascade, ingest(Metrics.PER_SECOND, Metrics.TOMBSTONES)),
        3);
    for (String filter : List.of(Metrics.CASCADE, Metrics.TOMBSTONES)) {
      atMost(filter + ": insert, p99.9, ms", 1, scaled(ingest(Metrics.P999, filter), 1e-3), 3);
      atMost(
          filter + ": insert, the longest, ms", 50, scaled(ingest(Metrics.MAX, filter), 1e-3), 1);
    }
  }

  private void lookups() {
    OptionalDouble single = lookup(Metrics.PER_SECOND, Metrics.CASCADE, Metrics.ABSENT);
    atMost(
        "pages read per absent lookup, over the number of levels",
        1.01,
        Table.divided(
            lookup("pages", Metrics.CASCADE, Metrics.ABSENT),
            lookup("levels", Metrics.CASCADE, Metrics.ABSENT)),
        4);
    atLeast(
        "lookups one at a time over the plain Bloom filter's",
        1 / 3.0,
        Table.divided(single, lookup(Metrics.PER_SECOND, Metrics.PLAIN, Metrics.ABSENT)),
        2);
    atLeast(
        "batched lookups over lookups one at a time",
        3,
        Table.divided(lookup(Metrics.PER_SECOND, Metrics.CASCADE, Metrics.BATCHED), single),
        2);
  }

  private void keys() {
    for (String filter : List.of(Metrics.CASCADE, Metrics.TOMBSTONES)) {
      OptionalDouble asked = lookup("operations", filter, Metrics.BATCHED);
      OptionalDouble rate = results.median(Metrics.SETUP, "rate");
      if (asked.isPresent() && rate.isPresent()) {
        double p = rate.getAsDouble();
        double sigma = Math.sqrt(p * (1 - p) / asked.getAsDouble());
        atMost(
            filter + ": false-positive rate, percent; with " + SIGMAS + " sampling errors",
            100 * (p + SIGMAS * sigma),
            scaled(Table.divided(lookup("positives", filter, Metrics.BATCHED), asked), 100),
            4);
      }
    }
    atMost(
        "keys lost",
        0,
        results.has(Metrics.LOOKUP) || results.has(Metrics.MIX)
            ? OptionalDouble.of(CascadeReport.lost(results))
            : OptionalDouble.empty(),
        0);
  }
}
