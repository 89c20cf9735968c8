package io.winnow.hbase.rates;

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
   * @param results results of scans through a server; without samples if there are none
   * @param isFullSize whether the run is compared with the goals
   */
  static PageTemplate of(Results results, List<Scans.Variant> stores, boolean isFullSize) {
    return page(
        results,
        Map.of(
            "stores", RatesPage.JSON.convertValue(stores, List.class), "isFullSize", isFullSize));
  }

  /**
   * Replaces the measured parts of {@code docs/scans.md} and {@code docs/scans-by-time.md}, their
   * plots and tables by those of the committed results. A page is of one commit and one machine.
   */
  static void renew(Path home) throws IOException {
    List<Scans.Result> runs = new ArrayList<>();
    for (Path file : RatesPage.results(home, "_scans")) {
      runs.add(RatesPage.JSON.readValue(file.toFile(), Scans.Result.class));
    }
    List<Scans.Variant> stores = runs.stream().flatMap(run -> run.stores().stream()).toList();
    ResultFiles ofServers = new ResultFiles(home.resolve("ycsb-profiles").resolve("results"));
    Results server = ResultFiles.read(ofServers.newest("_scans").orElseThrow());
    Path docs = home.resolve("docs");
    of(server, stores, false).writePlots(docs.resolve("plots"));
    Map<String, Object> variables =
        new HashMap<>(
            Map.of(
                "stores", RatesPage.JSON.convertValue(stores, List.class),
                "settings", settings(runs, false),
                "timeSettings", settings(runs, true),
                "serverSetting", server.setting().line()));
    for (String part : List.of(PREFIX, "times")) {
      variables.put("part", part);
      page(server, variables).writeInto(docs, part.equals(PREFIX) ? "scans" : "scans-by-time");
    }
  }

  private static String settings(List<Scans.Result> runs, boolean ofTimes) {
    return Results.Setting.lines(
        runs.stream().filter(run -> run.hasTimes() == ofTimes).map(Scans.Result::setting));
  }

  private static PageTemplate page(Results results, Map<String, ?> more) {
    return new PageTemplate(ScansPage.class, "scans.ftl", results, more);
  }
}
