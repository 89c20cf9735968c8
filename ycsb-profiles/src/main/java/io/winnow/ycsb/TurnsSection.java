package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.Arrays;
import java.util.List;

/** How the turns went: how many were repeated, and how long caches were warmed. */
final class TurnsSection {
  private static final String WORDS =
      """
      A turn is *made again*, and not counted, if the servers' counters do not stand still before and
      after it, or if they say that a row was asked for in more or fewer files than a store has (by more
      than 1 %). After five such turns in a row the run fails. A warm-up ends when throughput rises no
      more: when the last three of its windows are together at most 2 % above the three before. It ends
      in any case after forty windows, which is *still rising*.
      """;

  private TurnsSection() {}

  /** Empty if there are no figures. */
  static Section section(List<Reads> all) {
    Section section = new Section("How the turns went", WORDS).add(table(all));
    all.forEach(reads -> section.measuredBy(reads.results(), reads.benchmark()));
    return section;
  }

  /** Of all reads of these. */
  static Table table(List<Reads> all) {
    Table table =
        new Table(
            "turns",
            "profile, key length",
            "draws",
            "turns counted",
            "made again",
            "warm-up, s, median",
            "longest",
            "still rising");
    for (Reads reads : all) {
      for (Reads.Situation situation : reads.situations()) {
        double[] warmUps = all(situation, "warmUpSeconds");
        double[] stood = all(situation, "warmUpStood");
        table.row(
            (reads.benchmark().equals(Comparison.BUCKET_READS) ? "BucketCache, " : "")
                + situation.text(),
            Integer.toString(stood.length / filters(reads).size()),
            Integer.toString(stood.length),
            Table.number(Arrays.stream(all(situation, "repeats")).sum(), 0),
            Table.number(warmUps.length == 0 ? Double.NaN : Results.median(warmUps), 1),
            Table.number(Arrays.stream(warmUps).max().orElse(Double.NaN), 1),
            Long.toString(Arrays.stream(stood).filter(one -> one == 0).count()));
      }
    }
    return table;
  }

  private static List<String> filters(Reads reads) {
    return reads.results().values(reads.benchmark(), "filter");
  }

  private static double[] all(Reads.Situation situation, String metric) {
    return filters(situation.reads()).stream()
        .flatMapToDouble(filter -> Arrays.stream(situation.samples(metric, filter)))
        .toArray();
  }
}
