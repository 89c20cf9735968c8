package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What the results of a run say of reads.
 *
 * @param benchmark one of the results' cases
 */
record Reads(Results results, String benchmark) {
  static final String THROUGHPUT = "rowsPerSecond";

  /**
   * The turns of the contenders' tables that belong together.
   *
   * @param at names and values of the results' parameters, in turn
   */
  record Situation(Reads reads, String profile, String keyLength, List<String> at) {
    String text() {
      return profile + ", " + keyLength;
    }

    double[] samples(String metric, String filter) {
      List<Object> all = new ArrayList<>(at);
      all.addAll(List.of("filter", filter));
      return reads.results.samples(reads.benchmark, metric, all.toArray());
    }

    OptionalDouble median(String metric, String filter) {
      double[] samples = samples(metric, filter);
      return samples.length == 0
          ? OptionalDouble.empty()
          : OptionalDouble.of(Results.median(samples));
    }

    String number(String metric, String filter, int decimals) {
      return Table.number(median(metric, filter), decimals);
    }

    /** Round by round. */
    PairedRatio ratio(String metric, String filter, String base) {
      return PairedRatio.of(samples(metric, filter), samples(metric, base));
    }

    /** Whether there are rounds enough for an interval: fewer are a trial, and carry no claim. */
    boolean carriesClaims(String filter) {
      return rounds(filter) >= YcsbOptions.ORDERS;
    }

    /** How many turns of each table were counted. */
    int rounds(String filter) {
      return samples(THROUGHPUT, filter).length;
    }
  }

  /** The situation with this profile, this length of the keys, and these parameters more. */
  Situation situation(String profile, String keyLength, String... more) {
    List<String> at = new ArrayList<>(List.of("profile", profile, "keyLength", keyLength));
    at.addAll(Arrays.asList(more));
    return new Situation(this, profile, keyLength, at);
  }

  /** All that are not of a sweep, in the order of the run. */
  List<Situation> situations() {
    List<Situation> all = new ArrayList<>();
    if (!results.values(benchmark, "cacheBytes").isEmpty()) {
      return all;
    }
    for (String profile : results.values(benchmark, "profile")) {
      for (String length : results.values(benchmark, "keyLength")) {
        if (results
            .median(benchmark, THROUGHPUT, "profile", profile, "keyLength", length)
            .isPresent()) {
          all.add(situation(profile, length));
        }
      }
    }
    return all;
  }

  /** Those of one profile, by the length of their keys. */
  List<Situation> of(String profile) {
    return situations().stream()
        .filter(one -> one.profile().equals(profile))
        .sorted((a, b) -> Integer.compare(length(a), length(b)))
        .toList();
  }

  private static int length(Situation situation) {
    return Integer.parseInt(situation.keyLength());
  }

  /** Whether these are of this kind of run: older ones do not tell of turns that were repeated. */
  boolean areReadable() {
    return results.values(benchmark, "filter").isEmpty()
        || results.median(benchmark, "repeats").isPresent();
  }
}
