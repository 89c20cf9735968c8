package io.winnow.hbase.report;

import io.winnow.hbase.cli.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A section of a page made from results: a heading, text, tables, plots, and other files that
 * belong to them.
 */
final class Section {
  private final String title;
  private final String words;
  private final boolean isForTerminal;
  private final List<Table> tables = new ArrayList<>();
  private final Map<Table, Shortened> shortened = new LinkedHashMap<>();
  private final Map<String, String> plots = new LinkedHashMap<>();
  private final Map<String, String> files = new LinkedHashMap<>();

  /**
   * Makes a section of a page, still without tables and plots.
   *
   * @param isForTerminal true for a section that no page has
   */
  Section(String title, String words, boolean isForTerminal) {
    this.title = title;
    this.words = words;
    this.isForTerminal = isForTerminal;
  }

  /**
   * A table of which the page shows only some rows, because it is too long.
   *
   * @param file a CSV file with all rows
   * @param shown the rows that the page shows; may be empty
   */
  record Shortened(String file, Table shown) {}

  /** Returns a copy of a page's section with another text. */
  Section withText(String other) {
    Section made = new Section(title, other, isForTerminal);
    made.tables.addAll(tables);
    made.shortened.putAll(shortened);
    made.plots.putAll(plots);
    made.files.putAll(files);
    return made;
  }

  /** Adds a table to a section of a page, if the table has a row. */
  Section add(Table table) {
    if (!table.isEmpty()) {
      tables.add(table);
    }
    return this;
  }

  /**
   * Adds a table to a section of a page, of which the page shows some rows or none.
   *
   * @param file the name of the CSV file with all rows
   * @param shown the rows on the page
   */
  void add(Table table, String file, Table shown) {
    add(table);
    shortened.put(table, new Shortened(file, shown));
    file(file, table.csv());
  }

  /** Adds a plot to a section of a page: an SVG document that the page shows. */
  void plot(String name, String svg) {
    plots.put(name, svg);
  }

  /** Adds a file to a section of a page, to be written beside the page's plots. */
  void file(String name, String content) {
    files.put(name, content);
  }

  String title() {
    return title;
  }

  String words() {
    return words;
  }

  boolean isForTerminal() {
    return isForTerminal;
  }

  List<Table> tables() {
    return tables;
  }

  /**
   * Returns the rows of a table that the page shows and the file with all of them; null if the page
   * shows all.
   */
  Shortened shortened(Table table) {
    return shortened.get(table);
  }

  Map<String, String> plots() {
    return plots;
  }

  Map<String, String> files() {
    return files;
  }
}
