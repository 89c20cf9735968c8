package io.winnow.hbase.report;

import io.winnow.hbase.cli.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A part of a {@link Page}: a heading, words, tables, plots, and other files that belong to them.
 */
public final class Section {
  private final String title;
  private final String words;
  private final List<Results.Setting> settings = new ArrayList<>();
  private final List<Table> tables = new ArrayList<>();
  private final Map<Table, Shortened> shortened = new LinkedHashMap<>();
  private final Map<String, String> plots = new LinkedHashMap<>();
  private final Map<String, String> files = new LinkedHashMap<>();

  public Section(String title, String words) {
    this.title = title;
    this.words = words;
  }

  /**
   * A table that is too long for a page.
   *
   * @param file a CSV file that has all of it
   * @param shown what the page shows of it; may be empty
   */
  record Shortened(String file, Table shown) {}

  /** The same with other words. */
  Section saying(String other) {
    Section made = new Section(title, other);
    made.settings.addAll(settings);
    made.tables.addAll(tables);
    made.shortened.putAll(shortened);
    made.plots.putAll(plots);
    made.files.putAll(files);
    return made;
  }

  /** Adds a table, if it has a row. */
  public Section add(Table table) {
    if (!table.isEmpty()) {
      tables.add(table);
    }
    return this;
  }

  /** Adds a table of which the page shows a part, or nothing; the file is CSV and has all of it. */
  public void add(Table table, String file, Table shown) {
    add(table);
    shortened.put(table, new Shortened(file, shown));
    file(file, table.csv());
  }

  /**
   * Says on the page where and how its figures were measured.
   *
   * @param benchmarks of the results, all that the section shows
   * @throws IllegalArgumentException if they were measured on machines that differ: what stands in
   *     one section is compared
   */
  public Section measuredBy(Results results, String... benchmarks) {
    for (Results.Setting setting : results.settings(benchmarks)) {
      if (!settings.isEmpty() && !settings.get(0).place().equals(setting.place())) {
        throw new IllegalArgumentException(
            "'%s' would compare figures of two machines: %s (`%s`); %s (`%s`)"
                .formatted(
                    title,
                    settings.get(0).place(),
                    settings.get(0).command(),
                    setting.place(),
                    setting.command()));
      }
      settings.add(setting);
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

  /** Leaves the place and time out, if they are all those that the page tells at its top. */
  void measuredLike(Results.Setting told) {
    if (settings.stream().allMatch(told::equals)) {
      settings.clear();
    }
  }

  String title() {
    return title;
  }

  String words() {
    return words;
  }

  /** Where and how it was measured; nothing if the page says that of all its sections. */
  String provenance() {
    return settings.isEmpty()
        ? ""
        : settings.get(0).place()
            + "; "
            + settings.stream()
                .map(
                    setting ->
                        "`%s`, commit `%s`, %s"
                            .formatted(setting.command(), setting.commit(), setting.date()))
                .distinct()
                .collect(Collectors.joining("; "));
  }

  List<Table> tables() {
    return tables;
  }

  /** Null if the page shows all of the table. */
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
