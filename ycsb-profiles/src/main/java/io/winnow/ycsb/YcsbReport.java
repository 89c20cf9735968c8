package io.winnow.ycsb;

import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.Map;

/** The tables and plots of a run of {@code ./winnow ycsb}, and its page in {@code docs/}. */
final class YcsbReport {
  private YcsbReport() {}

  /**
   * Returns the report of a run of {@code ./winnow ycsb} for a terminal, with the sections for
   * which the run has figures.
   */
  static PageTemplate page(Results run) {
    return page(run, "");
  }

  /**
   * Returns the report of a run of {@code ./winnow ycsb} as a page, with the sections for which the
   * run has figures.
   *
   * @param file the name of its results
   */
  static PageTemplate page(Results run, String file) {
    return PageTemplate.of(YcsbReport.class, "ycsb.ftl", run, Map.of("resultsFile", file));
  }

  /**
   * Checks that a file of measured results has the current format: a page of {@code docs/} cannot
   * be made of older files.
   *
   * @param command the command that makes a new run
   * @throws IOException with a sentence for the user, if they are older
   */
  static void requireNew(Results results, String file, String command) throws IOException {
    for (Measurement one : Measurement.values()) {
      // Older results do not count the turns that were repeated.
      if (!results.values(one.reads, "filter").isEmpty()
          && results.median(one.reads, "repeats").isEmpty()) {
        throw new IOException(
            "%s is of an older kind of run, whose turns may have counted wrongly: make a new run: %s"
                .formatted(file, command));
      }
    }
  }
}
