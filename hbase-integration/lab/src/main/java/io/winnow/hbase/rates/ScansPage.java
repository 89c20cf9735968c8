package io.winnow.hbase.rates;

import io.winnow.hbase.contest.Contest;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The report of {@code ./winnow scans}: tables and plots of one run, and the measured part of
 * {@code docs/scans.md}.
 */
final class ScansPage {
  /** Name of the part of the results that is about scans of prefixes. */
  private static final String PREFIX = "prefix";

  private ScansPage() {}

  /**
   * Returns the tables and plots of one run of {@code ./winnow scans}.
   *
   * @param isFullSize whether the run is compared with the goals
   */
  static PageTemplate of(Results results, boolean isFullSize) {
    return page(results, Map.of("isFullSize", isFullSize));
  }

  /**
   * Replaces the measured parts of {@code docs/scans.md} and {@code docs/scans-by-time.md}, their
   * plots and tables by those of the committed results. A page is of one commit and one machine.
   */
  static void renew(Path home) throws IOException {
    ResultFiles ofServers = new ResultFiles(home.resolve("ycsb-profiles").resolve("results"));
    Results all = ResultFiles.read(ofServers.newest("_scans").orElseThrow());
    List<Results> runs = RatesPage.results(home, "_scans");
    for (Results run : runs) {
      List.of(Scans.BENCHMARK, Scans.SHAPES, Scans.STORES, Contest.FIRST_ROUNDS)
          .forEach(benchmark -> all.copyCases(run, benchmark, Map.of()));
    }
    Path docs = home.resolve("docs");
    of(all, false).writePlots(docs.resolve("plots"));
    for (String part : List.of(PREFIX, "times")) {
      page(
              all,
              Map.of(
                  "part",
                  part,
                  "settings",
                  settings(runs, false),
                  "timeSettings",
                  settings(runs, true),
                  "serverSetting",
                  all.setting().line()))
          .writeInto(docs, part.equals(PREFIX) ? "scans" : "scans-by-time");
    }
  }

  private static String settings(List<Results> runs, boolean ofTimes) {
    Map<String, String> oneHour = Map.of("query", ScanStore.QueryKind.ONE_HOUR.label);
    return Results.Setting.lines(
        runs.stream()
            .filter(run -> run.hasCases(Scans.BENCHMARK, oneHour) == ofTimes)
            .map(Results::setting));
  }

  private static PageTemplate page(Results results, Map<String, ?> more) {
    return new PageTemplate(ScansPage.class, "scans.ftl", results, more);
  }
}
