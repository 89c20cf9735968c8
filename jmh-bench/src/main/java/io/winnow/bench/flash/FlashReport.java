package io.winnow.bench.flash;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The tables and plots of one run: for a terminal, and as {@code docs/flash-bench.md}. */
final class FlashReport {
  private final Results results;
  private final Page page = new Page();

  private FlashReport(Results results) {
    this.results = results;
  }

  static FlashReport of(Results results) {
    FlashReport report = new FlashReport(results);
    report.page.add(FlashBounds.section(results));
    report.page.add(DriveSection.of(results));
    report.page.add(SetSection.of(results));
    report.page.add(BufferedSection.inMemory(results));
    report.page.add(BufferedSection.memory(results));
    report.page.add(BufferedSection.waits(results));
    report.page.add(MapSection.of(results));
    report.page.add(PublishedSection.of(results));
    return report;
  }

  String text() {
    return page.text();
  }

  /** Writes the plots and the figures into a directory. */
  void writePlots(Path directory) throws IOException {
    page.writePlots(directory);
    Files.writeString(directory.resolve("flash-runs.csv"), RunsDocument.of(results).csv());
  }

  /**
   * The page.
   *
   * @param resultsFile the name of the document that it is made from
   */
  String markdown(String resultsFile) {
    Figures figures = new Figures(results);
    return """
        # Sets and maps on flash, side by side

        <!-- Made by `./winnow flash bench --report` from the results named below. Do not edit. -->

        %s| structures | %s MiB of memory each; %s keys in a set, %s entries in a map; %s I/O |

        [flash.md](flash.md) says which one is for what. Here they stand on one drive with one amount of
        memory, beside what a user would take today: BerkeleyDB Java Edition and RocksDB.
        `./winnow flash bench` makes such a run on your drive, in some ten minutes; `--scale` makes it
        smaller or larger, in keys, memory and flash alike.
        """
            .formatted(
                Page.facts(results.setting(), "jmh-bench/results/" + resultsFile),
                Table.number(Figures.scaled(figures.setup("memoryBytes"), 1.0 / (1 << 20)), 1),
                Table.number(figures.setup("buildKeys"), 0),
                Table.number(figures.setup("mapEntries"), 0),
                figures.setup("direct").orElse(0) == 1 ? "direct" : "buffered")
        + page.markdown();
  }
}
