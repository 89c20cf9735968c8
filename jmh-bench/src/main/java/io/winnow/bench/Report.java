package io.winnow.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The tables and plots of one run: for a terminal, and as {@code docs/benchmarks.md}. */
final class Report {
  private final Results results;
  private final List<Section> sections = new ArrayList<>();

  private Report(Results results) {
    this.results = results;
  }

  static Report of(Results results) {
    Report report = new Report(results);
    report.add(Bounds.section(results));
    report.add(SeedTimesSection.construct(results));
    report.add(SeedTimesSection.query(results));
    report.add(SeedBitsSection.of(results));
    report.add(SpaceSection.of(results));
    report.add(PeersSection.of(results));
    report.add(KernelsSection.of(results));
    report.add(RatesSection.of(results));
    report.add(WritePathSection.of(results));
    return report;
  }

  String text() {
    StringBuilder text = new StringBuilder();
    for (Section section : sections) {
      section.tables().forEach(table -> text.append('\n').append(table.text()));
    }
    return text.toString();
  }

  /** Writes the plots, and the files of figures, into a directory. */
  void writePlots(Path directory) throws IOException {
    Files.createDirectories(directory);
    for (Section section : sections) {
      for (Map.Entry<String, String> plot : section.plots().entrySet()) {
        Files.writeString(directory.resolve(plot.getKey() + ".svg"), plot.getValue());
      }
      for (Map.Entry<String, String> file : section.files().entrySet()) {
        Files.writeString(directory.resolve(file.getKey()), file.getValue());
      }
    }
  }

  /**
   * The page.
   *
   * @param resultsFile the name of the document that it is made from
   */
  String markdown(String resultsFile) {
    Results.Setting setting = results.setting();
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Benchmarks

        <!-- Made by `./winnow bench --report` from the results named below. Do not edit. -->

        | | |
        | --- | --- |
        """);
    fact(page, "machine", setting.machine() + ", " + setting.cores() + " cores, " + setting.os());
    fact(page, "JDK", setting.jdk());
    fact(page, "commit", "`" + setting.commit() + "`, " + setting.date());
    fact(
        page,
        "command",
        "`" + setting.command() + "` (" + Progress.clock(setting.seconds()) + " minutes)");
    fact(page, "results", "`jmh-bench/results/" + resultsFile + "`");
    page.append(
        """

        Times are medians over all samples of all forks; contenders took turns, fork by fork, in one
        run. A ratio is that of two medians, and below 1 means better than stock HBase Bloom. Keys are
        asked for in random order. `./winnow bench` makes such a run on your machine (about 25 minutes;
        `--quick`: four), `./winnow bench --report` this page.
        """);
    for (Section section : sections) {
      page.append("\n## ").append(section.title()).append("\n\n").append(section.words());
      for (Table table : section.tables()) {
        page.append('\n');
        if (section.tables().size() > 1) {
          page.append("**").append(table.title()).append("**\n\n");
        }
        page.append(table.markdown());
      }
      for (String plot : section.plots().keySet()) {
        page.append("\n![").append(plot).append("](plots/").append(plot).append(".svg)\n");
      }
    }
    return page.toString();
  }

  private static void fact(StringBuilder page, String name, String value) {
    page.append("| ").append(name).append(" | ").append(value).append(" |\n");
  }

  private void add(Section section) {
    if (!section.tables().isEmpty()) {
      sections.add(section);
    }
  }
}
