package io.winnow.hbase.rates;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What {@code ./winnow scans} runs: the same rows in stores of several policies, and scans of one
 * prefix of each, in turn.
 */
@Command(name = "winnow scans")
public final class Scans extends Program {
  private static final int LOST = 2;

  /** The document of {@code --json}. Scan figures are those of present prefixes. */
  record Result(
      Results.Setting setting,
      ScanStore.Shape shape,
      List<Outcome> policies,
      List<Variant> others) {
    String json() {
      try {
        return new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValueAsString(this)
            + "\n";
      } catch (JsonProcessingException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Another store, or another cache. */
  record Variant(ScanStore.Shape shape, List<Outcome> policies) {}

  /** Of one policy; per CPU second of the thread that scans. */
  record Outcome(
      String policy,
      double bitsPerRow,
      double filesReadPerScan,
      double blocksReadPerScan,
      double scansPerSecond,
      double falseReadsPerAbsentGet,
      long rowsLost,
      double filesReadPerAbsentScan,
      double absentScansPerSecond,
      double reversedScansPerSecond,
      double scansWithoutPrefixPerSecond,
      double absentGetsPerSecond,
      double flushCpuMillis,
      double compactionCpuMillis) {}

  @Option(names = "--rows")
  @Range(min = 2_000, max = 50_000_000)
  private int rows = 300_000;

  @Option(names = "--rounds")
  @Range(min = 1, max = 1000)
  private int rounds = 7;

  @Option(names = "--scans")
  @Range(min = 1, max = 1_000_000)
  private int scans = 400;

  @Option(names = "--seed")
  @Range(min = 0, max = 1e15)
  private long seed = 29;

  @Option(names = "--variants")
  private String named = "cached,files-4,files-8,files-13,rows-5";

  @Option(names = "--json")
  private Path json;

  @Option(names = "--plots")
  private Path plots =
      Path.of(System.getProperty("winnow.home", ""))
          .resolve("hbase-integration")
          .resolve("target")
          .resolve("scans");

  private List<String> variants;
  private Path scratch;
  private Progress progress;

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(new Scans().run(System.out, System.err, args));
  }

  @Override
  protected void check() {
    variants = named.equals("none") ? List.of() : Arrays.asList(named.split(","));
    variants.forEach(this::shape);
  }

  @Override
  protected int work() throws IOException {
    UserFiles.requireWritable(json);
    scratch = ScratchDirectory.create(null, "winnow-scans-");
    progress = new Progress(err, 1.0 + variants.size());
    return measure();
  }

  /** The usual store: 20 rows for each prefix, in 1.4 files; a tenth of the data is cached. */
  private ScanStore.Shape shape(String variant) {
    int perPrefix = variant.startsWith("rows-") ? number(variant, 1, 1000) : 20;
    double files = variant.startsWith("files-") ? number(variant, 1, 13) : 1.4;
    double cache = variant.equals("cached") ? 4 : 0.1;
    boolean isKnown =
        variant.equals("usual") || variant.equals("cached") || files != 1.4 || perPrefix != 20;
    if (!isKnown) {
      throw new IllegalArgumentException(
          "--variants has '" + variant + "', must have cached, files-N or rows-N, or be none");
    }
    return new ScanStore.Shape(variant, rows / perPrefix, perPrefix, 12, files, cache, seed);
  }

  private static int number(String variant, int least, int most) {
    return (int) number("variants", variant.substring(variant.indexOf('-') + 1), least, most);
  }

  private int measure() throws IOException {
    ScanStore.Shape usual = shape("usual");
    List<Outcome> outcomes = run(usual);
    List<Variant> others = new ArrayList<>();
    for (String variant : variants) {
      ScanStore.Shape shape = shape(variant);
      others.add(new Variant(shape, run(shape)));
    }
    Results.Setting setting =
        new Results(Machine.setting(System.getProperty("winnow.commit", "unknown"), told()))
            .lasting(Math.round(progress.seconds()))
            .setting();
    Result result = new Result(setting, usual, outcomes, others);
    out.print(
        '\n' + table("20 rows per prefix, in 1.4 of 13 files; a tenth is cached", outcomes).text());
    for (Variant other : others) {
      out.print('\n' + table(other.shape().name(), other.policies()).text());
    }
    if (!has("rows") && !has("rounds") && !has("scans")) { // goals are of the full size
      out.print('\n' + Bound.table(bounds(result)).text());
    }
    Files.createDirectories(plots);
    Files.writeString(plots.resolve("scans.svg"), plot(outcomes));
    out.println("plots: " + plots);
    if (json != null) {
      Files.writeString(json, result.json());
    }
    long lost = outcomes.stream().mapToLong(Outcome::rowsLost).sum();
    lost += others.stream().flatMap(o -> o.policies().stream()).mapToLong(Outcome::rowsLost).sum();
    if (lost > 0) {
      out.println("ROWS WERE LOST: this must not be. Please report it with the result.");
      return LOST;
    }
    return DONE;
  }

  private List<Outcome> run(ScanStore.Shape shape) throws IOException {
    List<ScanStore> stores = new ArrayList<>();
    Path directory = scratch.resolve(shape.name());
    try {
      for (ScanStore.Policy policy : ScanStore.Policy.values()) {
        stores.add(ScanStore.create(policy, shape, directory.resolve(policy.name())));
      }
      return ask(shape, stores);
    } finally {
      for (ScanStore store : stores) {
        store.close();
      }
      ScratchDirectory.delete(directory);
    }
  }

  /** In turn, so that what else the machine does meets all alike. */
  private List<Outcome> ask(ScanStore.Shape shape, List<ScanStore> stores) throws IOException {
    Map<ScanStore, Map<ScanStore.Question, ScanStore.Cost>> costs = new HashMap<>();
    Map<ScanStore, Map<ScanStore.Question, ScanStore.Cost>> files = new HashMap<>();
    for (ScanStore store : stores) {
      costs.put(store, new EnumMap<>(ScanStore.Question.class));
      files.put(store, new EnumMap<>(ScanStore.Question.class));
      for (ScanStore.Question question : ScanStore.Question.values()) {
        costs.get(store).put(question, new ScanStore.Cost());
        files.get(store).put(question, new ScanStore.Cost());
        store.countFiles(question, 4 * scans, seed + 1, files.get(store).get(question));
        store.ask(question, scans, seed + 2, new ScanStore.Cost()); // warms up
      }
    }
    for (int round = 0; round < rounds; round++) {
      for (ScanStore.Question question : ScanStore.Question.values()) {
        for (ScanStore store : stores) {
          store.ask(question, scans, seed + 3 + round, costs.get(store).get(question));
        }
      }
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (ScanStore store : stores) {
      outcomes.add(outcome(store, costs.get(store), files.get(store)));
    }
    Outcome best = outcomes.get(outcomes.size() - 1);
    progress.step(
        1,
        shape.name(),
        String.format(
            Locale.ROOT,
            "%s: %.2f files and %.2f blocks per scan; %s: %.2f and %.2f",
            outcomes.get(0).policy(),
            outcomes.get(0).filesReadPerScan(),
            outcomes.get(0).blocksReadPerScan(),
            best.policy(),
            best.filesReadPerScan(),
            best.blocksReadPerScan()));
    return outcomes;
  }

  private static Outcome outcome(
      ScanStore store,
      Map<ScanStore.Question, ScanStore.Cost> costs,
      Map<ScanStore.Question, ScanStore.Cost> files)
      throws IOException {
    ScanStore.Cost present = costs.get(ScanStore.Question.PRESENT);
    double bits = store.bitsPerRow();
    long lost = costs.values().stream().mapToLong(cost -> cost.rowsLost).sum();
    return new Outcome(
        store.policy().label,
        rounded(bits),
        filesEach(files, ScanStore.Question.PRESENT),
        rounded((double) present.blocks / present.asked),
        perSecond(costs, ScanStore.Question.PRESENT),
        filesEach(files, ScanStore.Question.ABSENT_GET),
        lost,
        filesEach(files, ScanStore.Question.ABSENT),
        perSecond(costs, ScanStore.Question.ABSENT),
        perSecond(costs, ScanStore.Question.REVERSED),
        perSecond(costs, ScanStore.Question.WITHOUT_PREFIX),
        perSecond(costs, ScanStore.Question.ABSENT_GET),
        rounded(store.writeNanos() / 1e6),
        rounded(store.compact() / 1e6));
  }

  private static double filesEach(
      Map<ScanStore.Question, ScanStore.Cost> files, ScanStore.Question question) {
    return rounded((double) files.get(question).filesRead / files.get(question).asked);
  }

  private static double perSecond(
      Map<ScanStore.Question, ScanStore.Cost> costs, ScanStore.Question question) {
    ScanStore.Cost cost = costs.get(question);
    return rounded(cost.asked / (cost.cpuNanos / 1e9));
  }

  /** Six significant digits: more would be noise in the document. */
  private static double rounded(double value) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.6g", value));
  }

  private static Table table(String title, List<Outcome> outcomes) {
    Table table =
        new Table(
            title + " (CPU seconds of one thread)",
            "filters",
            "bits per row",
            "files per scan",
            "absent",
            "blocks per scan",
            "scans/s",
            "absent/s",
            "reversed/s",
            "no prefix/s",
            "files per absent Get",
            "absent Gets/s",
            "flush ms",
            "compaction ms",
            "rows lost");
    for (Outcome one : outcomes) {
      table.row(
          one.policy(),
          Table.number(one.bitsPerRow(), 2),
          Table.number(one.filesReadPerScan(), 3),
          Table.number(one.filesReadPerAbsentScan(), 4),
          Table.number(one.blocksReadPerScan(), 2),
          Table.number(one.scansPerSecond(), 0),
          Table.number(one.absentScansPerSecond(), 0),
          Table.number(one.reversedScansPerSecond(), 0),
          Table.number(one.scansWithoutPrefixPerSecond(), 0),
          Table.number(one.falseReadsPerAbsentGet(), 4),
          Table.number(one.absentGetsPerSecond(), 0),
          Table.number(one.flushCpuMillis(), 0),
          Table.number(one.compactionCpuMillis(), 0),
          String.valueOf(one.rowsLost()));
    }
    return table;
  }

  private static String plot(List<Outcome> outcomes) {
    Chart chart =
        Chart.logarithmic(
            "Scans of one prefix: 20 rows, in 1.4 of 13 files; a tenth is cached",
            "figures of HBase's own ROW filter are 1",
            "over stock ROW",
            List.of("files read", "blocks read", "scans per CPU second", "of absent prefixes"));
    Outcome stock = outcomes.get(0);
    for (Outcome one : outcomes) {
      chart.add(
          one.policy(),
          new double[] {
            one.filesReadPerScan() / stock.filesReadPerScan(),
            one.blocksReadPerScan() / stock.blocksReadPerScan(),
            one.scansPerSecond() / stock.scansPerSecond(),
            one.absentScansPerSecond() / stock.absentScansPerSecond()
          });
    }
    return chart.bars();
  }

  private static Outcome of(List<Outcome> outcomes, ScanStore.Policy policy) {
    return outcomes.get(policy.ordinal());
  }

  private static List<Bound> bounds(Result result) {
    Outcome stock = of(result.policies(), ScanStore.Policy.STOCK_ROW);
    Outcome rows = of(result.policies(), ScanStore.Policy.WINNOW_ROW);
    Outcome both = of(result.policies(), ScanStore.Policy.WINNOW_BOTH);
    List<Bound> bounds = new ArrayList<>();
    bounds.add(
        most("files per scan, present", 0.12, both.filesReadPerScan(), stock.filesReadPerScan()));
    bounds.add(
        most(
            "files per scan, absent",
            0.003,
            both.filesReadPerAbsentScan(),
            stock.filesReadPerAbsentScan()));
    bounds.add(
        most("blocks per scan, present", 0.2, both.blocksReadPerScan(), stock.blocksReadPerScan()));
    bounds.add(
        least("scans per CPU second, present", 5, both.scansPerSecond(), stock.scansPerSecond()));
    bounds.add(
        least(
            "scans per CPU second, absent",
            50,
            both.absentScansPerSecond(),
            stock.absentScansPerSecond()));
    bounds.add(
        least(
            "reversed, present", 3, both.reversedScansPerSecond(), stock.reversedScansPerSecond()));
    bounds.add(
        most(
            "false reads of Gets, over winnow-row",
            1.02,
            both.falseReadsPerAbsentGet(),
            rows.falseReadsPerAbsentGet()));
    bounds.add(
        most(
            "time of Gets, over winnow-row",
            1.05,
            rows.absentGetsPerSecond(),
            both.absentGetsPerSecond()));
    bounds.add(
        most("flush, CPU, over winnow-row", 1.04, both.flushCpuMillis(), rows.flushCpuMillis()));
    bounds.add(
        most(
            "compaction, CPU, over winnow-row",
            1.04,
            both.compactionCpuMillis(),
            rows.compactionCpuMillis()));
    bounds.add(
        least(
            "scans that imply no prefix, over winnow-row",
            0.97,
            both.scansWithoutPrefixPerSecond(),
            rows.scansWithoutPrefixPerSecond()));
    for (Variant other : result.others()) {
      Outcome base = of(other.policies(), ScanStore.Policy.STOCK_ROW);
      Outcome ours = of(other.policies(), ScanStore.Policy.WINNOW_BOTH);
      if (other.shape().name().equals("cached")) {
        bounds.add(least("everything cached", 3, ours.scansPerSecond(), base.scansPerSecond()));
      } else if (other.shape().filesPerPrefix() == other.shape().files()) {
        bounds.add(
            least("a prefix in all files", 0.95, ours.scansPerSecond(), base.scansPerSecond()));
      }
    }
    return bounds;
  }

  private static Bound most(String what, double asked, double measured, double base) {
    return new Bound(what, true, asked, OptionalDouble.of(measured / base), 4);
  }

  private static Bound least(String what, double asked, double measured, double base) {
    return new Bound(what, false, asked, OptionalDouble.of(measured / base), 2);
  }
}
