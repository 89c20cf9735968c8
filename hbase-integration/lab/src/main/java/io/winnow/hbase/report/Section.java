package io.winnow.hbase.report;

import io.winnow.hbase.cli.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A section of a {@link Page}: a heading, text, tables, plots, and other files that belong to them.
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
   * Makes an empty section.
   *
   * @param isForTerminal true for a section that no page has
   */
  Section(String title, String words, boolean isForTerminal) {
    this.title = title;
    this.words = words;
    this.isForTerminal = isForTerminal;
  }

  /**
   * A table that is too long for a page.
   *
   * @param file a CSV file with all rows
   * @param shown the rows that the page shows; may be empty
   */
  record Shortened(String file, Table shown) {}

  /** Returns a copy with another text. */
  Section withText(String other) {
    Section made = new Section(title, other, isForTerminal);
    made.tables.addAll(tables);
    made.shortened.putAll(shortened);
    made.plots.putAll(plots);
    made.files.putAll(files);
    return made;
  }

  /** Adds a table, if it has a row. */
  Section add(Table table) {
    if (!table.isEmpty()) {
      tables.add(table);
    }
    return this;
  }

  /**
   * Adds a table of which the page shows some rows or none.
   *
   * @param file the name of the CSV file with all rows
   * @param shown the rows on the page
   */
  void add(Table table, String file, Table shown) {
    add(table);
    shortened.put(table, new Shortened(file, shown));
    file(file, table.csv());
  }

  /** Adds a plot, an SVG document that the page shows. */
  void plot(String name, String svg) {
    plots.put(name, svg);
  }

  /** Adds a file that is written beside the plots. */
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

  /** Returns the shortened form of a table, or null if the page shows all of it. */
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
