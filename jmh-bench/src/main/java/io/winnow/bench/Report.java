package io.winnow.bench;

import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
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
    report.add(LindormTimesSection.construct(results), "LindormConstruct.construct");
    report.add(LindormTimesSection.query(results), "LindormQuery.query");
    if (results.has(Ask.NAME)) {
      report.add(AskSection.of(results), Ask.NAME);
    }
    report.add(LindormBitsSection.of(results), Space.NAME);
    report.add(SpaceSection.of(results), Space.NAME);
    report.add(PeersSection.of(results), "Peers.construct", "Peers.query");
    report.add(
        KernelsSection.of(results),
        "Hashing.hash",
        "KernelBuild.build",
        "KernelProbe.batched",
        "KernelProbe.branched",
        "KernelProbe.counted");
    report.add(
        QuotientSection.of(results),
        Quotients.CURVE,
        Quotients.FILTER,
        Quotients.WHOLE,
        Quotients.SPACE);
    report.add(RatesSection.of(results), Rates.NAME);
    report.add(WritePathSection.of(results), WritePath.NAME, WritePath.SHAPES, ServerWrites.NAME);
    return report;
  }

  private void add(Section section, String... benchmarks) {
    page.add(section.measuredBy(results, benchmarks));
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

        Each section says on which machine, and from which commit, its figures are; no section has figures
        of two machines, but for those that a paper published, which stand under its name: compare ratios
        with them, and not times. Times are medians over all samples of all forks; contenders took turns, fork by
        fork, in one run. A ratio is that of two medians, and below 1 means better than stock HBase Bloom.
        Keys are asked for in random order. `./winnow bench` makes such a run on your machine (about 30
        minutes; `--quick`: five), `./winnow bench --report` this page, from these files in
        `jmh-bench/results/`: %s.
        """
            .formatted("`" + String.join("`, `", resultsFiles) + "`")
        + page.markdown();
  }
}
