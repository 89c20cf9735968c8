package io.winnow.hbase.quickstart;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * The result of the quickstart: for people a sentence, a table, and notes on what the figures
 * cannot show; for machines one JSON document.
 *
 * @param setting where and how it was measured
 * @param absentKeys number of absent keys that each filter was queried for; 0 if they were not
 *     counted
 */
record Report(Results.Setting setting, long rows, long absentKeys, List<Measured> tables) {

  /**
   * Minimum number of rows of a table for meaningful figures about its filters. A filter of fewer
   * keys is mostly header and padding.
   */
  private static final long MIN_ROWS = 2_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Figures that the quickstart measured for one table, and so for one kind of filter.
   *
   * @param filterBytes bytes of the filters of all files, including those for prefixes
   * @param readsPerAbsentGet files that a Get of an absent row reads, as the filters answer; null
   *     if no key is absent
   * @param readsPerPresentGet files that a Get of a present row reads, beside the file that has the
   *     row
   * @param filesPerScan files that a scan of one prefix reads; null if rows have no common prefix
   */
  record Measured(
      String filter,
      int files,
      long filterBytes,
      double bitsPerKey,
      Double readsPerAbsentGet,
      Double readsPerPresentGet,
      Double filesPerScan,
      long rowsLost) {}

  /** Returns the number of written rows that were not read back, in all tables together. */
  long rowsLost() {
    return tables.stream().mapToLong(Measured::rowsLost).sum();
  }

  /**
   * Returns the quickstart's report as text for people: the conclusion, the table and the notes.
   */
  String text() {
    return conclusion() + "\n\n" + table() + "\n" + String.join("\n", notes()) + "\n";
  }

  /**
   * Returns the quickstart's conclusion: a sentence that compares the last kind of filter with the
   * first.
   */
  String conclusion() {
    Measured first = tables.get(0);
    Measured last = tables.get(tables.size() - 1);
    return format(
        "In this store of %d files, %s takes %s of the memory of HBase's own filters; absent gets"
            + " read %s times as many files unnecessarily, present gets %s times%s.",
        last.files(),
        last.filter(),
        ratio(last.filterBytes(), first.filterBytes()),
        orUnknown(ratio(last.readsPerAbsentGet(), first.readsPerAbsentGet())),
        orUnknown(ratio(last.readsPerPresentGet(), first.readsPerPresentGet())),
        last.filesPerScan() == null
            ? ""
            : format(
                ", and a scan of one prefix reads %.2f files instead of %.2f",
                last.filesPerScan(), first.filesPerScan()));
  }

  private static String orUnknown(String ratio) {
    return ratio.isEmpty() ? "unknown" : ratio;
  }

  /**
   * Returns the quickstart's figures as a printed table with a column for each kind of filter. Each
   * later kind is also shown as a multiple of the first.
   */
  String table() {
    Measured first = tables.get(0);
    List<String> header = new ArrayList<>(List.of("", first.filter()));
    for (Measured one : tables.subList(1, tables.size())) {
      header.addAll(List.of(one.filter(), one.filter() + "/" + first.filter()));
    }
    Table table = new Table("", header.toArray(String[]::new));
    line(table, "store files", "%,.0f", false, one -> (double) one.files());
    line(table, "filter bytes", "%,.0f", true, one -> (double) one.filterBytes());
    line(table, "bits per key", "%.3f", true, Measured::bitsPerKey);
    line(
        table,
        "unnecessary file reads, 1,000 absent gets",
        "%.1f",
        true,
        one -> perThousand(one.readsPerAbsentGet()));
    line(
        table,
        "unnecessary file reads, 1,000 present gets",
        "%.1f",
        true,
        one -> perThousand(one.readsPerPresentGet()));
    line(table, "files read by a scan of one prefix", "%.2f", true, Measured::filesPerScan);
    line(table, "rows lost", "%,.0f", false, one -> (double) one.rowsLost());
    return table.plain();
  }

  private void line(
      Table table,
      String name,
      String pattern,
      boolean isCompared,
      Function<Measured, Double> figure) {
    Double first = figure.apply(tables.get(0));
    List<String> cells = new ArrayList<>(List.of(name));
    for (Measured one : tables) {
      Double value = figure.apply(one);
      cells.add(value == null ? "-" : format(pattern, value));
      if (one != tables.get(0)) {
        cells.add(isCompared ? ratio(value, first) : "");
      }
    }
    table.row(cells.toArray(String[]::new));
  }

  /** Returns notes on what the quickstart's figures can and cannot show, a line each. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (tables.get(0).readsPerAbsentGet() == null) {
      notes.add(
          "Absent gets are not counted: nothing fits between these row keys, so that there is no"
              + " absent key within their range to query.");
    } else if (absentKeys > 0) {
      notes.add(format("File reads of absent gets are counted over %,d keys.", absentKeys));
    }
    if (rows < MIN_ROWS) {
      notes.add(
          format(
              "With %,d rows this shows only that it works: so small a filter is mostly"
                  + " header and padding, and the counts are chance.",
              rows));
    }
    return notes;
  }

  /** Returns the quickstart's result as the JSON document that {@code --json} writes. */
  String json() {
    DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
    printer.indentArraysWith(new DefaultIndenter("  ", "\n"));
    try {
      return JSON.writer(printer).writeValueAsString(this) + "\n";
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Report ofJson(String json) throws IOException {
    return JSON.readValue(json, Report.class);
  }

  private static String ratio(Number value, Number base) {
    return value == null || base == null || base.doubleValue() == 0
        ? ""
        : format("%.2f", value.doubleValue() / base.doubleValue());
  }

  private static Double perThousand(Double perGet) {
    return perGet == null ? null : 1000 * perGet;
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
