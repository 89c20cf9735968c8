package io.winnow.ycsb;

import io.winnow.hbase.report.Figures;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The tables and plots of a run, and {@code docs/ycsb.md}. */
final class YcsbReport {
  /** Results, and the name of their file; the name is empty if there is none. */
  record Source(Results results, String file) {

    /** Says so if these results are of an older kind, which the page cannot be made of. */
    Source readable(String command) throws IOException {
      for (String reads :
          List.of(Comparison.READS, Comparison.BUCKET_READS, StoreComparison.READS)) {
        // Older ones do not tell of turns that were repeated.
        if (!results.values(reads, "filter").isEmpty()
            && results.median(reads, "repeats").isEmpty()) {
          throw new IOException(
              "%s is of an older kind of run, whose turns may have counted wrongly: make a new run: %s"
                  .formatted(file, command));
        }
      }
      return this;
    }
  }

  private YcsbReport() {}

  /** The sections for which one run has figures, for a terminal. */
  static PageTemplate page(Results run) {
    Source source = new Source(run, "");
    return page(source, source, source);
  }

  /**
   * The page, with the sections for which there are figures.
   *
   * @param sweep where those of a sweep are
   * @param stores where those of stores of several files are
   */
  static PageTemplate page(Source run, Source sweep, Source stores) {
    return PageTemplate.of(
        YcsbReport.class,
        "ycsb.ftl",
        run.results(),
        Map.of(
            "run",
            Figures.of(run.results()),
            "sweep",
            Figures.of(sweep.results()),
            "stores",
            Figures.of(stores.results()),
            "runFile",
            run.file(),
            "sweepFile",
            sweep.file(),
            "storesFile",
            stores.file(),
            "storesAreComparable",
            areComparable(run.results().setting(), stores.results().setting())));
  }

  /**
   * Figures of other machines or other JDKs are not to stand in one table. The commits, which the
   * section names, may differ: each ratio is of one run.
   */
  private static boolean areComparable(Results.Setting one, Results.Setting other) {
    return List.of(one.machine(), one.cores(), one.os(), one.jdk())
        .equals(List.of(other.machine(), other.cores(), other.os(), other.jdk()));
  }
}
