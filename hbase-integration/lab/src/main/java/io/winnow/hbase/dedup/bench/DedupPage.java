package io.winnow.hbase.dedup.bench;

import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** What people see of a run: tables, plots, and what was asked; in {@code docs/dedup.md}, too. */
final class DedupPage {
  /** How the names of results end, after date, machine and commit. */
  static final String OF_DEDUP = "_dedup";

  private DedupPage() {}

  /**
   * The page's measured part.
   *
   * @param file the name of the results
   */
  static PageTemplate of(Results results, String file) {
    return PageTemplate.of(DedupPage.class, "dedup.ftl", results, Map.of("resultsFile", file));
  }

  static ResultFiles results(Path home) {
    return ResultFiles.in(home.resolve("hbase-integration").resolve("results"), "");
  }

  /** Writes the page and its plots anew, from the newest results. */
  static void renew(Path home) throws IOException {
    Path newest = results(home).newest(OF_DEDUP).orElseThrow();
    of(ResultFiles.read(newest), newest.getFileName().toString())
        .writeInto(home.resolve("docs"), "dedup");
  }
}
