package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What {@code ./winnow rates} runs: the same rows through a region with each policy, one after the
 * other.
 */
public final class Rates {
  private static final int EXIT_FAILED = 1;
  private static final int EXIT_LOST = 2;
  private static final int EXIT_WRONG_COUNT = 3;
  private static final int EXIT_USAGE = 64;

  /** A line for every so many flushes. */
  private static final int TOLD_FLUSHES = 20;

  private final RatesOptions options;
  private final Path home = Path.of(System.getProperty("winnow.home", "")).toAbsolutePath();
  private final Path scratch;
  private final Progress progress;
  private final Map<String, List<Moment>> moments = new LinkedHashMap<>();

  private Rates(RatesOptions options, Path scratch, PrintStream progress) {
    this.options = options;
    this.scratch = scratch;
    int policies = 3 + options.memory().size();
    this.progress = new Progress(progress, (double) policies * options.flushes());
  }

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(run(System.out, System.err, args));
  }

  /** What the command returns to the shell. */
  static int run(PrintStream out, PrintStream err, String... args) {
    RatesOptions options;
    try {
      options = RatesOptions.parse(args);
    } catch (IllegalArgumentException e) {
      err.println("winnow rates: " + e.getMessage() + "\n" + RatesOptions.USAGE);
      return EXIT_USAGE;
    }
    if (options.help()) {
      out.println(RatesOptions.USAGE);
      return 0;
    }
    try {
      if (options.report()) {
        RatesPage.renew(Path.of(System.getProperty("winnow.home", "")).toAbsolutePath());
        return 0;
      }
      UserFiles.requireWritable(options.json());
      Path scratch = ScratchDirectory.create(null, "winnow-rates-");
      return new Rates(options, scratch, err).measure(out, command(args));
    } catch (WrongCountException e) {
      err.println("winnow rates: A COUNT IS WRONG: " + e.getMessage());
      return EXIT_WRONG_COUNT;
    } catch (IOException e) {
      err.println("winnow rates: " + UserFiles.sentence(e));
      return EXIT_FAILED;
    }
  }

  /** As it is told in the results: without names of files. */
  static String command(String... args) {
    StringBuilder command = new StringBuilder("./winnow rates");
    for (int i = 0; i < args.length; i++) {
      String name = args[i].split("=", 2)[0];
      if (name.equals("--json") || name.equals("--plots")) {
        i += args[i].contains("=") ? 0 : 1;
      } else {
        command.append(' ').append(args[i]);
      }
    }
    return command.toString();
  }

  private int measure(PrintStream out, String command) throws IOException {
    RatesResult result = result(command);
    out.print('\n' + RatesReport.outcomes(result).text());
    out.print('\n' + Bound.table(RatesReport.bounds(result)).text());
    Path plots =
        options.plots() != null
            ? options.plots()
            : home.resolve("hbase-integration").resolve("target").resolve("rates");
    Page page = new Page();
    page.add(RatesReport.overTime(result, moments));
    page.writePlots(plots);
    out.println("plots: " + plots);
    if (options.json() != null) {
      Files.writeString(options.json(), result.json());
    }
    if (result.rowsLost() > 0) {
      out.println("ROWS WERE LOST: this must not be. Please report it with the result.");
      return EXIT_LOST;
    }
    return 0;
  }

  private RatesResult result(String command) throws IOException {
    Results.Setting setting =
        Machine.setting(System.getProperty("winnow.commit", "unknown"), command);
    List<RatesResult.Outcome> outcomes = new ArrayList<>();
    outcomes.add(run(Policy.stock()));
    outcomes.add(run(Policy.file()));
    outcomes.add(run(Policy.store()));
    for (double memory : options.memory()) {
      outcomes.add(run(Policy.store(memory)));
    }
    return new RatesResult(
        new Results(setting).lasting(Math.round(progress.seconds())).setting(),
        RatesResult.Workload.of(options),
        outcomes);
  }

  private RatesResult.Outcome run(Policy policy) throws IOException {
    Path directory = scratch.resolve(policy.name());
    List<Moment> seen = PolicyRun.run(options, policy, directory, moment -> tell(policy, moment));
    ScratchDirectory.delete(directory);
    moments.put(policy.name(), seen);
    RatesResult.Outcome outcome = RatesResult.Outcome.of(policy, seen);
    progress.step(
        options.flushes() % TOLD_FLUSHES,
        policy.name(),
        String.format(
            Locale.ROOT,
            "%d moments; %.2f bits per key, %.1f files read in vain per 1000 absent Gets, %.1f per"
                + " 1000 present ones",
            outcome.moments(),
            outcome.bitsPerKey(),
            1000 * outcome.falseReadsPerAbsentGet(),
            1000 * outcome.falseReadsPerPresentGet()));
    return outcome;
  }

  /** A line now and then. */
  private void tell(Policy policy, Moment moment) {
    boolean flushed = moment.after().equals(Moment.FLUSH);
    if (flushed && moment.flush() % TOLD_FLUSHES != 0 || moment.after().equals(Moment.COMPACTION)) {
      return;
    }
    progress.step(
        flushed ? TOLD_FLUSHES : 0,
        policy.name() + ", " + moment.after() + ' ' + moment.flush(),
        String.format(
            Locale.ROOT,
            "%d files, %,d keys, %.2f bits per key, sum of rates %.2f %%",
            moment.files(),
            moment.keys(),
            moment.bitsPerKey(),
            100 * moment.sumOfRates()));
  }
}
