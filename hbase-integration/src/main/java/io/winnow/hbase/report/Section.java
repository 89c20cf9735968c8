package io.winnow.hbase.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * A part of the report: a heading, words, tables, plots by name, and maybe files of figures. Left
 * out if none of its tables has a row.
 */
public final class Section {
  /** What a family can ask for and is compared, stock HBase first. */
  public static final List<String> FAMILY_FILTERS = List.of("bloom", "ribbon", "bumped-ribbon");

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

  /** Adds a plot, an SVG document, under a name of its own. */
  public void plot(String name, String svg) {
    plots.put(name, svg);
  }

  /** Adds another file that goes beside the plots. */
  public void file(String name, String text) {
    files.put(name, text);
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

  /** A rate as it stands in a parameter, as a percentage. */
  public static String askedRate(String rate) {
    double value = Double.parseDouble(rate);
    return Table.percent(OptionalDouble.of(value), value < 0.01 ? 1 : 0);
  }

  /** Numbers of keys as they stand in parameters, with their digits in groups. */
  public static List<String> grouped(List<String> sizes) {
    return sizes.stream().map(n -> Table.number(Double.parseDouble(n), 0)).toList();
  }
}
