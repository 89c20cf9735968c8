package io.winnow.ycsb;

import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import io.winnow.hbase.report.Table;
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
  private static final String THROUGHPUT = "rowsPerSecond";

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
      was asked for.
      """;

  private final Results results;

  private StoreReport(Results results) {
    this.results = results;
  }

  /** The page of such a run. */
  static Page page(Results results) {
    Page page = new Page();
    page.add(section(results));
    return page;
  }

  /** Empty if there are no figures. */
  static Section section(Results results) {
    StoreReport report = new StoreReport(results);
    Section section = new Section("Stores of several files", WORDS);
    if (!report.profiles().isEmpty()) {
      section.add(Bound.table(report.bounds())).add(report.reads()).add(report.files());
      section.plot(
          "ycsb-stores-false-reads",
          report.chart("False reads, by profile", "files read in vain per Get", FALSE_READS));
      section.plot(
          "ycsb-stores-throughput",
          report.chart("Throughput, by profile", "Gets per second", THROUGHPUT));
    }
    return section;
  }

  private List<Bound> bounds() {
    List<Bound> bounds = new ArrayList<>();
    for (String profile : profiles()) {
      String what = profile.substring(profile.indexOf('-') + 1) + " reads: ";
      if (isAbsentOnly(profile)) {
        bounds.add(
            new Bound(
                what + "false reads per Get, store over file",
                true,
                MOST_FALSE_READS,
                ratio(FALSE_READS, STORE, FILE, profile),
                3));
        bounds.add(
            new Bound(
                what + "data blocks read per Get, store over file",
                true,
                MOST_FALSE_READS,
                ratio("dataBlocksReadPerRow", STORE, FILE, profile),
                3));
      }
      boolean someAbsent = absent(profile) > 0;
      bounds.add(
          new Bound(
              what
                  + "throughput, store over file"
                  + (someAbsent ? "" : ", the spread of the latter taken off"),
              false,
              someAbsent ? 1 : 1 - YcsbReport.spread(samples(THROUGHPUT, FILE, profile)),
              ratio(THROUGHPUT, STORE, FILE, profile),
              3));
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
            "spread",
            "mean latency of a batch, µs",
            "false reads per Get",
            ": file's",
            "data blocks read per Get",
            "filter blocks read per Get",
            "server CPU, µs per Get");
    for (String profile : profiles()) {
      for (String policy : POLICIES) {
        table.row(
            profile.substring(profile.indexOf('-') + 1) + ", " + policy,
            number(THROUGHPUT, policy, profile, 0),
            Table.number(ratio(THROUGHPUT, policy, FILE, profile), 3),
            Table.number(ratio(THROUGHPUT, policy, STOCK, profile), 3),
            Table.percent(
                OptionalDouble.of(YcsbReport.spread(samples(THROUGHPUT, policy, profile))), 0),
            number("meanMicros", policy, profile, 0),
            number(FALSE_READS, policy, profile, 5),
            Table.number(ratio(FALSE_READS, policy, FILE, profile), 3),
            number("dataBlocksReadPerRow", policy, profile, 4),
            number("filterBlocksReadPerRow", policy, profile, 4),
            number("serverCpuMicrosPerRow", policy, profile, 1));
      }
    }
    return table;
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
    List<String> profiles = profiles();
    Chart chart =
        Chart.linear(
            title,
            "",
            yLabel,
            profiles.stream().map(name -> name.substring(name.indexOf('-') + 1)).toList());
    for (String policy : POLICIES) {
      chart.add(
          policy,
          profiles.stream()
              .mapToDouble(profile -> read(metric, policy, profile).orElse(Double.NaN))
              .toArray());
    }
    return chart.bars();
  }

  // ==== figures

  private List<String> profiles() {
    return results.values(StoreComparison.READS, "profile");
  }

  private double absent(String profile) {
    return results.median(StoreComparison.RUN, "absent", "profile", profile).orElse(Double.NaN);
  }

  private boolean isAbsentOnly(String profile) {
    return absent(profile) == 1;
  }

  private double[] samples(String metric, String policy, String profile) {
    return results.samples(StoreComparison.READS, metric, "filter", policy, "profile", profile);
  }

  private OptionalDouble read(String metric, String policy, String profile) {
    return results.median(StoreComparison.READS, metric, "filter", policy, "profile", profile);
  }

  private String number(String metric, String policy, String profile, int decimals) {
    return Table.number(read(metric, policy, profile), decimals);
  }

  private OptionalDouble ratio(String metric, String policy, String base, String profile) {
    return Table.divided(read(metric, policy, profile), read(metric, base, profile));
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
