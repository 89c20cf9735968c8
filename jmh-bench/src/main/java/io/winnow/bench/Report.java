package io.winnow.bench;

import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The tables and plots of one run: for a terminal, and as {@code docs/benchmarks.md}. */
final class Report {
  private final Results results;
  private final Page page = new Page();

  private Report(Results results) {
    this.results = results;
  }

  static Report of(Results results) {
    Report report = new Report(results);
    report.page.add(Bounds.section(results));
    report.page.add(LindormTimesSection.construct(results));
    report.page.add(LindormTimesSection.query(results));
    if (results.has(Ask.NAME)) {
      report.page.add(AskSection.of(results));
    }
    report.page.add(LindormBitsSection.of(results));
    report.page.add(SpaceSection.of(results));
    report.page.add(PeersSection.of(results));
    report.page.add(KernelsSection.of(results));
    report.page.add(QuotientSection.of(results));
    report.page.add(RatesSection.of(results));
    report.page.add(WritePathSection.of(results));
    if (!results.values(MissCost.NAME, "filter").isEmpty()) {
      report.page.add(MissSection.of(results));
    }
    if (results.has(ThreadCost.NAME)) {
      report.page.add(ThreadSection.of(results));
    }
    return report;
  }

  String text() {
    return page.text();
  }

  /** Writes the plots, and the files of figures, into a directory. */
  void writePlots(Path directory) throws IOException {
    page.writePlots(directory);
  }

  /**
   * The page.
   *
   * @param resultsFiles the names of the documents that it is made from
   */
  String markdown(List<String> resultsFiles) {
    return """
        # Benchmarks

        <!-- Made by `./winnow bench --report` from the results named below. Do not edit. -->

        %s
        Times are medians over all samples of all forks; contenders took turns, fork by fork, in one
        run. A ratio is that of two medians, and below 1 means better than stock HBase Bloom. Keys are
        asked for in random order. `./winnow bench` makes such a run on your machine (about 30 minutes;
        `--quick`: five), `./winnow bench --report` this page.
        """
            .formatted(
                Page.facts(
                    results.setting(),
                    "jmh-bench/results/"
                        + String.join("`; for a part that ran again `", resultsFiles)))
        + page.markdown();
  }
}
