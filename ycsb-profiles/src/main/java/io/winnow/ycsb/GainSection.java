package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * Lindorm's profile and all others side by side: what smaller filters gain, and what they do not.
 */
final class GainSection {
  private static final String BLOOM = FilterKind.BLOOM.id();

  private static final String WORDS =
      """
      Throughput of a table with Winnow's filters over that of the table with HBase's Bloom filters, as
      read in the same round: the median of the rounds, and in brackets the interval in which the median
      lies with 95 % certainty. Each round draws its hot rows anew. *lindorm@4* is *lindorm* with four
      times as many hot rows as fill the cache, *uniform* asks for all rows equally often, *skewed* by
      YCSB's Zipfian law, *half-miss* and *miss-only* for rows of which half, and all, are absent, and
      *read-mostly* writes too. *BucketCache* is *lindorm* with an off-heap BucketCache for data blocks,
      where filters and indexes have a first level on the heap to themselves. *store* lines compare
      bumped-ribbon filters with rates by the files' shares of a store to stock filters, in stores of
      one large file and several small ones. *Read* is the number of blocks that a row needed and that
      were not in the cache. Above 1, throughput is better than stock's; CPU and blocks are better below
      1. Where an interval holds 1, the run shows no difference.

      """;

  /** A line: a situation, and who is compared in it. */
  private record Line(
      Reads.Situation reads,
      String name,
      String mark,
      String ours,
      String homogeneous,
      String base) {
    PairedRatio ratio(String metric) {
      return reads.ratio(metric, ours, base);
    }

    /** In a word, what the interval of throughput says. */
    String verdict() {
      PairedRatio throughput = ratio(Reads.THROUGHPUT);
      return !reads.carriesClaims(base)
          ? "too few rounds"
          : throughput.isAbove(1)
              ? "faster"
              : throughput.isBelow(1) ? "**slower**" : "no difference shown";
    }

    PairedRatio homogeneousRatio() {
      return reads.ratio(Reads.THROUGHPUT, homogeneous, base);
    }
  }

  private final List<Line> lines = new ArrayList<>();

  private GainSection(Results run, Results stores) {
    for (Reads.Situation reads : new Reads(run, Comparison.READS).of(Profile.LINDORM)) {
      add(reads, reads.text(), reads.keyLength() + " bytes");
    }
    for (Reads.Situation reads : new Reads(run, Comparison.READS).situations()) {
      if (!reads.profile().equals(Profile.LINDORM)) {
        add(reads, reads.text(), mark(reads.profile()));
      }
    }
    for (Reads.Situation reads : new Reads(run, Comparison.BUCKET_READS).situations()) {
      add(reads, "BucketCache, " + reads.keyLength(), "bucket");
    }
    if (areComparable(run.setting(), stores.setting())) {
      for (Reads.Situation reads : new Reads(stores, StoreComparison.READS).situations()) {
        lines.add(
            new Line(
                reads,
                reads.text(),
                mark(reads.profile()),
                StorePolicy.STORE.id(),
                "",
                StorePolicy.STOCK.id()));
      }
    }
  }

  private void add(Reads.Situation reads, String name, String mark) {
    lines.add(
        new Line(reads, name, mark, FilterKind.BUMPED_RIBBON.id(), FilterKind.RIBBON.id(), BLOOM));
  }

  /**
   * Figures of other machines or other JDKs are not to stand in one table. The commits, which the
   * section names, may differ: each ratio is of one run.
   */
  static boolean areComparable(Results.Setting one, Results.Setting other) {
    return List.of(one.machine(), one.cores(), one.os(), one.jdk())
        .equals(List.of(other.machine(), other.cores(), other.os(), other.jdk()));
  }

  /**
   * Of a run, and a run of {@code --stores}, whose lines are left out if it was made elsewhere;
   * empty if there are no figures.
   */
  static Section section(Results run, Results stores) {
    GainSection gains = new GainSection(run, stores);
    Section section = new Section("What is gained, and where", WORDS + gains.sentences());
    if (!gains.lines.isEmpty()) {
      section.add(gains.table());
      section.plot("ycsb-profiles", gains.chart());
      section.measuredBy(run, Comparison.READS, Comparison.BUCKET_READS);
      if (areComparable(run.setting(), stores.setting())) {
        section.measuredBy(stores, StoreComparison.READS);
      }
    }
    return section;
  }

  /** What gains nothing, in as many words. */
  private String sentences() {
    return sentence("faster", "Reads are faster with bumped-ribbon filters in: ")
        + sentence("no difference shown", "Nothing is gained that this run can show in: ")
        + sentence("**slower**", "Reads are slower in: ")
        + sentence("too few rounds", "There are too few rounds for a claim in: ");
  }

  private String sentence(String verdict, String start) {
    List<String> names =
        lines.stream().filter(line -> line.verdict().equals(verdict)).map(Line::name).toList();
    return names.isEmpty() ? "" : start + String.join("; ", names) + ".\n";
  }

  private Table table() {
    Table table =
        new Table(
            "gains",
            "profile, key length",
            "hot rows",
            "draws",
            "bumped : bloom, throughput",
            "",
            "ribbon : bloom",
            "bumped : bloom, server CPU per row",
            "blocks read per row",
            "hit ratio");
    for (Line line : lines) {
      PairedRatio throughput = line.ratio(Reads.THROUGHPUT);
      table.row(
          line.name(),
          hotRows(line.reads()),
          Integer.toString(line.reads().rounds(line.base())),
          throughput.text(),
          line.verdict(),
          line.homogeneousRatio().text(),
          line.ratio("serverCpuMicrosPerRow").text(),
          line.ratio("blocksReadPerRow").text(),
          line.ratio("hitRatio").text());
    }
    return table;
  }

  /** A dash where no rows are hot. */
  private static String hotRows(Reads.Situation reads) {
    boolean uniform =
        List.of("uniform", "hit-only", "miss-only", "skewed").contains(reads.profile())
            || Profile.STORES.contains(reads.profile());
    return Table.number(uniform ? OptionalDouble.empty() : run(reads, "hotRows"), 0);
  }

  private static OptionalDouble run(Reads.Situation reads, String metric) {
    String benchmark =
        reads.reads().benchmark().equals(Comparison.BUCKET_READS)
            ? Comparison.BUCKET_RUN
            : Comparison.RUN;
    return reads.reads().results().median(benchmark, metric, reads.at().toArray());
  }

  private String chart() {
    Chart chart =
        Chart.linear(
            "Throughput over that of stock Bloom's, with its interval",
            "",
            "rows per second, stock Bloom = 1",
            lines.stream().map(Line::mark).toList());
    chart.add(
        FilterKind.BUMPED_RIBBON.id(),
        values(PairedRatio::median),
        values(PairedRatio::low),
        values(PairedRatio::high));
    return chart.bars();
  }

  private double[] values(ToDoubleFunction<PairedRatio> value) {
    return lines.stream()
        .mapToDouble(line -> value.applyAsDouble(line.ratio(Reads.THROUGHPUT)))
        .toArray();
  }

  /** Short enough for a plot. */
  private static String mark(String profile) {
    return profile.startsWith(Profile.LINDORM + "@")
        ? "hot × " + profile.substring(profile.indexOf('@') + 1)
        : switch (profile) {
          case "skewed" -> "Zipf";
          case "half-miss" -> "half";
          case "miss-only" -> "absent";
          case "read-mostly" -> "writes";
          default -> profile.replace("store-", "s. ");
        };
  }
}
