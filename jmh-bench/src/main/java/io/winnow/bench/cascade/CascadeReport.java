package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The tables and plots of one run: for a terminal, and as {@code docs/cascade-bench.md}. */
final class CascadeReport {
  private final Results results;
  private final Page page = new Page();

  private CascadeReport(Results results) {
    this.results = results;
  }

  static CascadeReport of(Results results) {
    CascadeReport report = new CascadeReport(results);
    report.page.add(CascadeBounds.section(results));
    report.page.add(MixSection.of(results));
    report.page.add(MixCostSection.of(results));
    report.page.add(IngestSection.of(results));
    report.page.add(LookupSection.of(results));
    report.page.add(GrowthSection.of(results));
    report.page.add(FlashSection.of(results));
    return report;
  }

  /** How many keys that were inserted were answered with "absent", in the whole run. */
  static long lost(Results results) {
    double lost = MixFigures.missed(results);
    for (String work : new String[] {Metrics.PRESENT, Metrics.LEFT}) {
      for (String filter : results.values(Metrics.LOOKUP, Metrics.FILTER)) {
        Object[] at = {Metrics.FILTER, filter, Metrics.WORK, work};
        lost +=
            results.median(Metrics.LOOKUP, "operations", at).orElse(0)
                - results.median(Metrics.LOOKUP, "positives", at).orElse(0);
      }
    }
    return (long) lost;
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
        # Cascade filter and Bloom filters on flash

        <!-- Made by `./winnow cascade bench --report` from the results named below. Do not edit. -->

        %s| filters | %s keys, %s MiB of memory each, false-positive rate %s, %s I/O |

        What de-duplication comes to with a cascade filter, and with a Bloom filter of page-local
        sub-filters. After that, inserts and lookups by themselves: figures 3 and 4 of "Don't Thrash: How to
        Cache Your Hash on Flash" (Bender et al., HotStorage 2011), measured on the drive of this machine.
        *Plain Bloom* changes each bit's page at once and uses its memory as a cache of pages. *Elevator
        Bloom* uses its memory as a queue of bits, which are written in the order of their pages, one
        request for each page. *Large requests* is the same with up to 256 adjacent pages in a request,
        which the paper did not have. The Bloom filters begin full, with random bits, and are measured for a
        short time, since they do the same at every moment. The cascade takes in all keys. One thread
        inserts and looks up; merges have a thread of their own. No filter has a log. The mixed loop of
        de-duplication has an eighth of the keys and of the memory. `./winnow cascade bench` makes such a
        run on your drive, in less than 15 minutes; `--keys`, `--memory`, `--rate` and `--dir` change it.
        """
            .formatted(
                Page.facts(
                    results.setting(),
                    resultsFiles.stream()
                        .map(name -> "jmh-bench/results/" + name)
                        .collect(Collectors.joining("`, `"))),
                Table.number(setup("keys"), 0),
                Table.number(setup("memoryBytes") / (1 << 20), 0),
                Table.percent(results.median(Metrics.SETUP, "rate"), 3),
                results.values(Metrics.SETUP, "io").contains("DIRECT") ? "direct" : "buffered")
        + page.markdown();
  }

  private double setup(String metric) {
    return results.median(Metrics.SETUP, metric).orElse(Double.NaN);
  }
}
