package io.winnow.hbase.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A part of a {@link Page}: a heading, words, tables, plots, and other files that belong to them.
 */
public final class Section {
  private final String title;
  private final String words;
  private final List<Table> tables = new ArrayList<>();
  private final Map<String, String> plots = new LinkedHashMap<>();
  private final Map<String, String> files = new LinkedHashMap<>();

  public Section(String title, String words) {
    this.title = title;
    this.words = words;
  }

  /** Adds a table, if it has a row. */
  public Section add(Table table) {
    if (!table.isEmpty()) {
      tables.add(table);
    }
    return this;
  }

  /** An SVG document, shown on the page. */
  public void plot(String name, String svg) {
    plots.put(name, svg);
  }

  /** A file that stands beside the plots. */
  public void file(String name, String content) {
    files.put(name, content);
  }

  String title() {
    return title;
  }

  String words() {
    return words;
  }

  List<Table> tables() {
    return tables;
  }

  Map<String, String> plots() {
    return plots;
  }

  Map<String, String> files() {
    return files;
  }
}
