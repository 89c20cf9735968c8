package io.winnow.hbase.rates;

import io.winnow.hbase.report.Figures;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The report of {@code ./winnow rates}: tables and plots of one run, and the measured part of
 * {@code docs/rates.md}.
 */
final class RatesPage {
  private RatesPage() {}

  /**
   * Returns the tables and plots of one run of {@code ./winnow rates}.
   *
   * @param isFullSize whether the run is compared with the goals
   */
  static PageTemplate of(Results run, boolean isFullSize) {
    return page(List.of(run), Map.of("isFullSize", isFullSize));
  }

  /**
   * Replaces the measured part of {@code docs/rates.md} and the plots of the region that takes in
   * rows by those of the committed results.
   */
  static void renew(Path home) throws IOException {
    List<Results> runs = results(home, "_rates");
    Path docs = home.resolve("docs");
    of(runs.get(0), false).writePlots(docs.resolve("plots"));
    String settings = Results.Setting.lines(runs.stream().map(Results::setting));
    page(runs, Map.of("settings", settings)).writeInto(docs, "rates");
  }

  private static PageTemplate page(List<Results> runs, Map<String, ?> more) {
    Map<String, Object> variables = new HashMap<>(more);
    variables.put(
        "runs",
        runs.stream()
            .map(run -> Map.of("command", run.setting().command(), "figures", new Figures(run)))
            .toList());
    return new PageTemplate(RatesPage.class, "rates.ftl", runs.get(0), variables);
  }

  /** Returns the committed results of one command, the run with default options first. */
  static List<Results> results(Path home, String kind) throws IOException {
    List<Results> all = new ArrayList<>();
    ResultFiles files = new ResultFiles(home.resolve("hbase-integration").resolve("results"));
    for (Path file : files.all(kind)) {
      all.add(ResultFiles.read(file));
    }
    return all;
  }
}
