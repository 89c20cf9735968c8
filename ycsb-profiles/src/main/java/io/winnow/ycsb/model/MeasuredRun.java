package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.ycsb.FilterKind;
import io.winnow.ycsb.Profile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.function.ToDoubleFunction;

/**
 * The model beside a run of {@code ./winnow ycsb}. Tables, caches and profiles are the run's.
 * Filter bytes, hit ratios and blocks read are predicted from these alone; and what other filters
 * do to throughput from these and from the costs that another run measured. Without one, the costs
 * are fitted to the times of the tables with stock Bloom filters, which hardly tells them apart.
 */
final class MeasuredRun {
  // Names in the results of a run.
  private static final String READS = "reads";
  private static final String FILTERS = "filters";
  private static final String RUN = "run";

  /** So far off a prediction of a gain may be: ten points. */
  static final double NEAR = 0.1;

  /** HBase's defaults, which a run has. */
  private static final double RATE = 0.01;

  private static final int CHUNK_BYTES = 128 << 10;

  private static final int COLUMNS = 5;
  private static final int VALUE_LENGTH = 20;

  /**
   * Reads of one table.
   *
   * @param throughput over that of stock Bloom's
   */
  record Figures(double filterBytes, double hitRatio, double blocksRead, double throughput) {}

  /**
   * A table's reads, predicted and measured.
   *
   * @param gain the throughput over stock Bloom's as measured, round by round
   */
  record Line(
      String situation, FilterKind kind, Figures predicted, Figures measured, PairedRatio gain) {

    /**
     * Whether the predicted gain is right: in the interval of the measured one, or that near its
     * median.
     */
    boolean agrees() {
      double predictedGain = predicted.throughput();
      return Math.abs(predictedGain - gain.median()) <= NEAR
          || (gain.low() <= predictedGain && predictedGain <= gain.high());
    }
  }

  /** What is read from tables with the same rows. */
  private record Situation(
      String profile, String keyLength, String cache, Fleet fleet, ReadPattern pattern) {
    String text() {
      return profile
          + ", "
          + keyLength
          + (cache.isEmpty()
              ? ""
              : String.format(Locale.ROOT, ", %.1f MB", Double.parseDouble(cache) / (1 << 20)));
    }

    Object[] at(String... more) {
      List<Object> at = new ArrayList<>(List.of("profile", profile, "keyLength", keyLength));
      if (!cache.isEmpty()) {
        at.addAll(List.of("cacheBytes", cache));
      }
      at.addAll(Arrays.asList(more));
      return at.toArray();
    }
  }

  private final Results results;

  /** {@code null} if there are none. */
  private final MeasuredCosts measured;

  private final List<Line> lines = new ArrayList<>();
  private double[] fitted;

  private MeasuredRun(Results results, MeasuredCosts measured) {
    this.results = results;
    this.measured = measured;
  }

  /**
   * Compares.
   *
   * @param costs that were measured, or {@code null} to have them fitted
   * @throws IllegalArgumentException if these are not the results of a run that can be compared
   */
  static MeasuredRun of(Results results, MeasuredCosts costs) throws IOException {
    if (!results.has(RUN) || !results.has(READS) || !results.has(FILTERS)) {
      throw new IllegalArgumentException("these are not results of ./winnow ycsb");
    }
    String command = results.setting().command();
    if (command.contains("--cluster") || command.contains("--quorum")) {
      throw new IllegalArgumentException(
          "the run had more than one region server, and does not say how many: " + command);
    }
    MeasuredRun run = new MeasuredRun(results, costs);
    run.compare();
    return run;
  }

  List<Line> lines() {
    return lines;
  }

  private void compare() throws IOException {
    List<Situation> situations = situations();
    List<CostFit.Sample> samples = new ArrayList<>();
    for (Situation situation : situations) {
      double read = measured("blocksReadPerRow", situation, FilterKind.BLOOM);
      double hitRatio = measured("hitRatio", situation, FilterKind.BLOOM);
      double probes =
          situation.fleet().files()
              * Costs.probes(situation.fleet().keyLength()).get(FilterKind.BLOOM)
              / 1000;
      if (hitRatio < 1) {
        double micros = 1e6 / measured("rowsPerSecond", situation, FilterKind.BLOOM);
        samples.add(
            new CostFit.Sample(
                Math.max(1e-3, micros - probes),
                1,
                read,
                read / (1 - hitRatio) - measured("filesAskedPerRow", situation, FilterKind.BLOOM)));
      }
    }
    fitted = CostFit.of(samples);
    for (Situation situation : situations) {
      Costs all = costs(situation.fleet());
      double bloomMicros = 0;
      for (FilterKind kind : FilterKind.values()) {
        ReadModel reads = reads(situation, kind);
        double micros = reads.micros(kind, all);
        bloomMicros = kind == FilterKind.BLOOM ? micros : bloomMicros;
        lines.add(
            new Line(
                situation.text(),
                kind,
                new Figures(
                    situation.fleet().filterBytes(kind),
                    reads.hitRatio(),
                    reads.blocksRead(),
                    bloomMicros / micros),
                new Figures(
                    filter("bytes", situation.keyLength(), situation.fleet().files(), kind),
                    measured("hitRatio", situation, kind),
                    measured("blocksReadPerRow", situation, kind),
                    measured("rowsPerSecond", situation, kind)
                        / measured("rowsPerSecond", situation, FilterKind.BLOOM)),
                gain(situation, kind)));
      }
    }
  }

  private PairedRatio gain(Situation situation, FilterKind kind) {
    return PairedRatio.of(
        results.samples(READS, "rowsPerSecond", situation.at("filter", kind.id())),
        results.samples(READS, "rowsPerSecond", situation.at("filter", FilterKind.BLOOM.id())));
  }

  private Costs costs(Fleet fleet) {
    if (measured == null) {
      return new Costs(fitted[0], 0, fitted[2], fitted[1], 0, Costs.probes(fleet.keyLength()));
    }
    return measured.costs(fleet.blockBytes()).withKeys(CostRun.KEY_LENGTH, fleet.keyLength());
  }

  private ReadModel reads(Situation situation, FilterKind kind) throws IOException {
    return ReadModel.of(
            situation.fleet(), situation.pattern(), Profile.of(situation.profile()).absent(), kind)
        .counted();
  }

  private List<Situation> situations() throws IOException {
    List<String> caches = results.values(READS, "cacheBytes");
    List<Situation> situations = new ArrayList<>();
    for (String profile : results.values(READS, "profile")) {
      for (String keyLength : results.values(READS, "keyLength")) {
        for (String cache : caches.isEmpty() ? List.of("") : caches) {
          Situation names = new Situation(profile, keyLength, cache, null, null);
          if (results.median(RUN, "rows", names.at()).isPresent()) {
            situations.add(situation(names));
          }
        }
      }
    }
    return situations;
  }

  private Situation situation(Situation names) throws IOException {
    Profile profile = Profile.of(names.profile());
    long rows = (long) run("rows", names);
    int files = (int) run("files", names);
    int keyLength = Integer.parseInt(names.keyLength());
    Fleet fleet =
        new Fleet(
            rows,
            keyLength,
            Fleet.rowBytes(keyLength, COLUMNS, VALUE_LENGTH),
            1,
            1,
            files,
            rewritten(filter("keys", names.keyLength(), files, FilterKind.BLOOM) / rows, files),
            run("cacheBytes", names),
            RATE,
            CHUNK_BYTES,
            filter("leafIndexBytes", names.keyLength(), files, FilterKind.BLOOM),
            (int) results.median(RUN, "blockBytes", names.at()).orElse(Fleet.BLOCK_BYTES),
            (int)
                results.median(RUN, "indexBlockBytes", names.at()).orElse(Fleet.INDEX_BLOCK_BYTES));
    return new Situation(
        names.profile(),
        names.keyLength(),
        names.cache(),
        fleet,
        pattern(profile.properties(), rows, run("hotRows", names)));
  }

  /**
   * The chance of a row in a file to be in each later file too, as the tables of the run have it:
   * the profile of that name may say another by now.
   */
  static double rewritten(double versions, int files) {
    return files == 1 ? 0 : Math.round(1000 * 2 * (versions - 1) / (files - 1)) / 1000.0;
  }

  private static ReadPattern pattern(Properties properties, long rows, double hotRows) {
    return switch (properties.getProperty("requestdistribution", "uniform")) {
      case "zipfian" -> ReadPattern.zipf(rows);
      case "hotspot" ->
          ReadPattern.hotSet(
              hotRows, Double.parseDouble(properties.getProperty("hotspotopnfraction", "0.8")));
      default -> ReadPattern.uniform();
    };
  }

  private double run(String metric, Situation situation) {
    return present(results.median(RUN, metric, situation.at()), metric, situation.text());
  }

  private double filter(String metric, String keyLength, int files, FilterKind kind) {
    return present(
        results.median(
            FILTERS, metric, "keyLength", keyLength, "files", files, "filter", kind.id()),
        metric,
        kind.id());
  }

  private double measured(String metric, Situation situation, FilterKind kind) {
    return present(
        results.median(READS, metric, situation.at("filter", kind.id())), metric, situation.text());
  }

  private static double present(OptionalDouble value, String metric, String where) {
    return value.orElseThrow(
        () -> new IllegalArgumentException("the run has no " + metric + " of " + where));
  }

  // ==== what is printed

  String text() {
    return table().text()
        + "\n"
        + gains().text()
        + (measured == null
            ? String.format(
                Locale.ROOT,
                "%nFitted to the times of the Bloom tables, microseconds as the run's clients saw them:%n"
                    + "%.1f a row, %.1f a data or index block looked up, %.1f a block read.%n%n",
                fitted[0],
                fitted[2],
                fitted[1])
            : "\n")
        + errors().text();
  }

  /** What was gained, and what the model said; the bound is on each. */
  Table gains() {
    Table table =
        new Table(
            "gains of throughput, %",
            "profile, key length, filter", "predicted", "measured", "interval", "");
    for (Line line : lines) {
      if (line.kind() != FilterKind.BLOOM) {
        table.row(
            line.situation() + ", " + line.kind().id(),
            percent(line.predicted().throughput()),
            percent(line.gain().median()),
            percent(line.gain().low()) + " to " + percent(line.gain().high()),
            line.agrees() ? "agrees" : "**differs**");
      }
    }
    return table;
  }

  /** The gain of a ratio, in percent. */
  private static String percent(double ratio) {
    return String.format(Locale.ROOT, "%+.1f", 100 * (ratio - 1));
  }

  /** Predicted, then measured, of each. */
  Table table() {
    Table table =
        new Table(
            "predicted | measured",
            "profile, key length, filter",
            "filter bytes",
            "measured",
            "hits, %",
            "measured",
            "read per row",
            "measured",
            "throughput : bloom",
            "measured");
    for (Line line : lines) {
      table.row(
          line.situation() + ", " + line.kind().id(),
          Table.number(line.predicted().filterBytes(), 0),
          Table.number(line.measured().filterBytes(), 0),
          Table.number(100 * line.predicted().hitRatio(), 2),
          Table.number(100 * line.measured().hitRatio(), 2),
          Table.number(line.predicted().blocksRead(), 3),
          Table.number(line.measured().blocksRead(), 3),
          Table.number(line.predicted().throughput(), 3),
          Table.number(line.measured().throughput(), 3));
    }
    return table;
  }

  /** How far the predictions are from what was measured. */
  Table errors() {
    Table table = new Table("predicted - measured", "", "median", "largest");
    double[] bytes =
        errors(line -> line.predicted().filterBytes() / line.measured().filterBytes() - 1, true);
    double[] hits = errors(line -> line.predicted().hitRatio() - line.measured().hitRatio(), true);
    double[] read =
        errors(line -> line.predicted().blocksRead() - line.measured().blocksRead(), true);
    double[] throughput =
        errors(line -> line.predicted().throughput() / line.measured().throughput() - 1, false);
    row(table, "filter bytes, %", 100, 2, bytes);
    row(table, "hits, percentage points", 100, 2, hits);
    row(table, "blocks read per row", 1, 3, read);
    row(table, "throughput : bloom, %", 100, 1, throughput);
    return table;
  }

  private static void row(Table table, String name, double unit, int decimals, double[] errors) {
    table.row(
        name,
        Table.number(unit * Results.median(errors), decimals),
        Table.number(unit * Arrays.stream(errors).max().orElse(Double.NaN), decimals));
  }

  private double[] errors(ToDoubleFunction<Line> error, boolean ofBloom) {
    return lines.stream()
        .filter(line -> ofBloom || line.kind() != FilterKind.BLOOM)
        .mapToDouble(line -> Math.abs(error.applyAsDouble(line)))
        .toArray();
  }
}
