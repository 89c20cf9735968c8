package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/** The tables and plots of a run of {@code --stores}. */
final class StoreReport {
  private static final String STOCK = StorePolicy.STOCK.id();
  private static final String FILE = StorePolicy.FILE.id();
  private static final String STORE = StorePolicy.STORE.id();
  private static final List<String> POLICIES =
      Arrays.stream(StorePolicy.values()).map(StorePolicy::id).toList();

  private static final String FALSE_READS = "falseReadsPerRow";

  /** What was asked: of the false reads with one rate for all files. */
  private static final double MOST_FALSE_READS = 0.45;

  /** What was asked: of stock's filter bytes. */
  private static final double MOST_BYTES = 0.80;

  private static final String WORDS =
      """
      Three other tables: each store has one large file and several small ones, as between two major
      compactions. *stock* has HBase's Bloom filters. The two others have bumped-ribbon filters: *file* with
      one rate for all files (`winnow.error.rate.scope` = `file`), *store* with rates by the files' shares of
      the store's keys (`store`, the default). The same rate is asked of all three. A Get asks the filters of
      all files. A *false read* is a file that is read in vain: its filter said maybe, and the row is not
      there. False reads are counted by Winnow's metrics, blocks by HBase. All rows are asked for equally
      often, so that hardly a data block is in the cache. Figures are medians over the rounds, per row that
      was asked for; ratios are medians of the rounds', with their 95 % intervals.
      """;

  private final Results results;
  private final List<Reads.Situation> situations;

  private StoreReport(Results results) {
    this.results = results;
    this.situations = new Reads(results, StoreComparison.READS).situations();
  }

  /** Empty if there are no figures. */
  static Section section(Results results) {
    StoreReport report = new StoreReport(results);
    Section section = new Section("Stores of several files", WORDS);
    if (!report.situations.isEmpty()) {
      section.add(Bound.table(report.bounds())).add(report.reads()).add(report.files());
      section.measuredBy(results, StoreComparison.READS, StoreComparison.FILES);
      section.add(TurnsSection.table(List.of(new Reads(results, StoreComparison.READS))));
      section.plot(
          "ycsb-stores-false-reads",
          report.chart("False reads, by profile", "files read in vain per Get", FALSE_READS));
      section.plot(
          "ycsb-stores-throughput",
          report.chart("Throughput, by profile", "Gets per second", Reads.THROUGHPUT));
    }
    return section;
  }

  private List<Bound> bounds() {
    List<Bound> bounds = new ArrayList<>();
    for (Reads.Situation one : situations) {
      if (!one.carriesClaims(STOCK)) {
        continue;
      }
      String what = name(one) + " reads: ";
      if (absent(one.profile()) == 1) {
        bounds.add(
            Bound.atMost(
                what + "false reads per Get, store over file",
                MOST_FALSE_READS,
                one.ratio(FALSE_READS, STORE, FILE)));
        bounds.add(
            Bound.atMost(
                what + "data blocks read per Get, store over file",
                MOST_FALSE_READS,
                one.ratio("dataBlocksReadPerRow", STORE, FILE)));
      }
      bounds.add(
          Bound.atLeast(
              what + "throughput, store over file", 1, one.ratio(Reads.THROUGHPUT, STORE, FILE)));
    }
    bounds.add(
        new Bound(
            "filter bytes of the store, store over stock",
            true,
            MOST_BYTES,
            Table.divided(
                OptionalDouble.of(sum("bytes", STORE)), OptionalDouble.of(sum("bytes", STOCK))),
            3));
    return bounds;
  }

  private Table reads() {
    Table table =
        new Table(
            "reads",
            "reads, rates",
            "Gets/s",
            ": file's",
            ": stock's",
            "mean latency of a batch, µs",
            "false reads per Get",
            ": file's",
            "data blocks read per Get",
            "filter blocks read per Get",
            "server CPU, µs per Get");
    for (Reads.Situation one : situations) {
      for (String policy : POLICIES) {
        table.row(
            name(one) + ", " + policy,
            one.number(Reads.THROUGHPUT, policy, 0),
            ratio(one, Reads.THROUGHPUT, policy, FILE),
            ratio(one, Reads.THROUGHPUT, policy, STOCK),
            one.number("meanMicros", policy, 0),
            one.number(FALSE_READS, policy, 5),
            ratio(one, FALSE_READS, policy, FILE),
            one.number("dataBlocksReadPerRow", policy, 4),
            one.number("filterBlocksReadPerRow", policy, 4),
            one.number("serverCpuMicrosPerRow", policy, 1));
      }
    }
    return table;
  }

  private static String ratio(Reads.Situation one, String metric, String policy, String base) {
    return policy.equals(base) ? "1" : one.ratio(metric, policy, base).text();
  }

  /** Absent, present, mixed. */
  private static String name(Reads.Situation one) {
    return one.profile().substring(one.profile().indexOf('-') + 1);
  }

  private Table files() {
    List<String> header = new ArrayList<>(List.of("file", "keys"));
    for (String policy : POLICIES) {
      header.add(policy + ", bits per key");
      header.add(policy + ", rate");
    }
    Table table = new Table("the filters in the files", header.toArray(String[]::new));
    for (String file : results.values(StoreComparison.FILES, "file")) {
      List<String> row = new ArrayList<>();
      row.add(file.equals("0") ? "large" : "small " + file);
      row.add(Table.number(file("keys", STOCK, file), 0));
      for (String policy : POLICIES) {
        row.add(Table.number(8 * file("bytes", policy, file) / file("keys", policy, file), 2));
        row.add(rate(file("falsePositiveRate", policy, file)));
      }
      table.row(row.toArray(String[]::new));
    }
    List<String> row = new ArrayList<>(List.of("all; sum of rates"));
    row.add(Table.number(sum("keys", STOCK), 0));
    for (String policy : POLICIES) {
      row.add(Table.number(8 * sum("bytes", policy) / sum("keys", policy), 2));
      row.add(rate(sum("falsePositiveRate", policy)));
    }
    return table.row(row.toArray(String[]::new));
  }

  private static String rate(double rate) {
    return Table.percent(OptionalDouble.of(rate), 3);
  }

  private String chart(String title, String yLabel, String metric) {
    Chart chart =
        Chart.linear(title, "", yLabel, situations.stream().map(StoreReport::name).toList());
    for (String policy : POLICIES) {
      chart.add(
          policy,
          situations.stream()
              .mapToDouble(one -> one.median(metric, policy).orElse(Double.NaN))
              .toArray());
    }
    return chart.bars();
  }

  // ==== figures

  private double absent(String profile) {
    return results.median(StoreComparison.RUN, "absent", "profile", profile).orElse(Double.NaN);
  }

  private double file(String metric, String policy, String file) {
    return results
        .median(StoreComparison.FILES, metric, "filter", policy, "file", file)
        .orElse(Double.NaN);
  }

  private double sum(String metric, String policy) {
    return results.values(StoreComparison.FILES, "file").stream()
        .mapToDouble(file -> file(metric, policy, file))
        .sum();
  }
}
