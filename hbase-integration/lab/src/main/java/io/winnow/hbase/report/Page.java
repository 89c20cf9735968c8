package io.winnow.hbase.report;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The tables and plots of one benchmark run, in sections, for a terminal and for a page of {@code
 * docs/}.
 */
final class Page {
  private final List<Section> sections = new ArrayList<>();

  /** Adds a section to the page, if the section has a table. */
  void add(Section section) {
    if (!section.tables().isEmpty()) {
      sections.add(section);
    }
  }

  /** Returns all tables of the page as text for a terminal. */
  String text() {
    StringBuilder text = new StringBuilder();
    for (Section section : sections) {
      section.tables().forEach(table -> text.append('\n').append(table.text()));
    }
    return text.toString();
  }

  /** Writes the page's plots and its other files into a directory. */
  void writePlots(Path directory) throws IOException {
    Files.createDirectories(directory);
    for (Section section : sections) {
      if (section.isForTerminal()) {
        continue;
      }
      for (Map.Entry<String, String> plot : section.plots().entrySet()) {
        Files.writeString(directory.resolve(plot.getKey() + ".svg"), plot.getValue());
      }
      for (Map.Entry<String, String> file : section.files().entrySet()) {
        Files.writeString(directory.resolve(file.getKey()), file.getValue());
      }
    }
  }

  /** Returns a Markdown table that says where and how a benchmark run was made. */
  static String facts(Results.Setting setting, String resultsFile) {
    return """
           | | |
           | --- | --- |
           | machine | %s, %s, %s |
           | JDK | %s |
           | commit | `%s`, %s |
           | command | `%s` (%s minutes) |
           | results | `%s` |
           """
        .formatted(
            setting.machine(),
            Table.counted(setting.cores(), "core"),
            setting.os(),
            setting.jdk(),
            setting.commit(),
            setting.date(),
            setting.command(),
            Progress.clock(setting.seconds()),
            resultsFile);
  }

  private static String markdown(Section section, Table table) {
    String title = section.tables().size() > 1 ? "**" + table.title + "**\n\n" : "";
    Section.Shortened shortened = section.shortened(table);
    if (shortened == null) {
      return title + table.markdown();
    }
    String link = "%1$d rows: [%2$s](plots/%2$s).\n".formatted(table.rows(), shortened.file());
    return shortened.shown().isEmpty()
        ? "*" + table.title + "*, " + link
        : title + shortened.shown().markdown() + "\nAll " + link;
  }

  /**
   * Returns a section of a page in Markdown; empty if the section has no table. It refers to plots
   * in {@code plots/}, where {@link #writePlots} writes them.
   */
  static String markdown(Section section) {
    StringBuilder page = new StringBuilder();
    if (!section.tables().isEmpty()) {
      page.append("\n## ").append(section.title()).append("\n\n").append(section.words());
      for (Table table : section.tables()) {
        page.append('\n').append(markdown(section, table));
      }
      for (String plot : section.plots().keySet()) {
        page.append("\n![").append(plot).append("](plots/").append(plot).append(".svg)\n");
      }
    }
    return page.toString();
  }
}
