package io.winnow.hbase.dedup.bench;

import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The report of a run of {@code ./winnow dedup bench}: tables, plots and targets, also as a part of
 * {@code docs/dedup.md}.
 */
final class DedupPage {
  /**
   * Suffix of the names of the de-duplication benchmark's result files, after date, machine and
   * commit.
   */
  static final String OF_DEDUP = "_dedup";

  private DedupPage() {}

  /**
   * Returns the part of {@code docs/dedup.md} that is made from measured results.
   *
   * @param file the name of the results file
   */
  static PageTemplate of(Results results, String file) {
    return new PageTemplate(DedupPage.class, "dedup.ftl", results, Map.of("resultsFile", file));
  }

  static ResultFiles results(Path home) {
    return new ResultFiles(home.resolve("hbase-integration").resolve("results"));
  }

  /**
   * Replaces the measured part of {@code docs/dedup.md} and its plots by those of the newest
   * results.
   */
  static void renew(Path home) throws IOException {
    Path newest = results(home).newest(OF_DEDUP).orElseThrow();
    of(ResultFiles.read(newest), newest.getFileName().toString())
        .writeInto(home.resolve("docs"), "dedup");
  }
}
