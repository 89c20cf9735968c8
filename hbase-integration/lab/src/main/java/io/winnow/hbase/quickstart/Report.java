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
 * The result: a sentence and a table for people, with lines that say what they cannot show; one
 * JSON document for machines.
 *
 * @param setting where and how it was measured
 * @param absentKeys that each filter was asked for; 0 if nobody counted them
 */
record Report(Results.Setting setting, long rows, long absentKeys, List<Measured> tables) {

  /** Fewer keys, and a filter is mostly what every filter has. */
  private static final long FEW_ROWS = 2_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * One table's figures.
   *
   * @param filterBytes of all files, what prefixes take among them
   * @param readsPerAbsentGet files that are read unnecessarily, by the filters; null if no key is
   *     absent
   * @param readsPerPresentGet the same, beside the file that has the row
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

  /** A line of the table: what stands under a filter, and under filter/first. */
  private record Line(
      String name, Function<Measured, String> text, Function<Measured, String> ratio) {}

  private List<Line> lines() {
    Measured first = tables.get(0);
    return List.of(
        new Line("store files", table -> whole(table.files()), table -> ""),
        new Line(
            "filter bytes",
            table -> whole(table.filterBytes()),
            table -> ratio(table.filterBytes(), first.filterBytes())),
        new Line(
            "bits per key",
            table -> format("%.3f", table.bitsPerKey()),
            table -> ratio(table.bitsPerKey(), first.bitsPerKey())),
        new Line(
            "unnecessary file reads, 1,000 absent gets",
            table -> perThousand(table.readsPerAbsentGet()),
            table -> ratio(table.readsPerAbsentGet(), first.readsPerAbsentGet())),
        new Line(
            "unnecessary file reads, 1,000 present gets",
            table -> perThousand(table.readsPerPresentGet()),
            table -> ratio(table.readsPerPresentGet(), first.readsPerPresentGet())),
        new Line(
            "files read by a scan of one prefix",
            table -> table.filesPerScan() == null ? "-" : format("%.2f", table.filesPerScan()),
            table -> ratio(table.filesPerScan(), first.filesPerScan())),
        new Line("rows lost", table -> whole(table.rowsLost()), table -> ""));
  }

  /** The rows that did not come back, over all tables. */
  long rowsLost() {
    return tables.stream().mapToLong(Measured::rowsLost).sum();
  }

  /** The conclusion, the table, and what it can and cannot show. */
  String text() {
    return conclusion() + "\n\n" + table() + "\n" + String.join("\n", notes()) + "\n";
  }

  /** The last table beside the first, in one sentence. */
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

  /** The table; each later kind is also shown as a multiple of the first. */
  String table() {
    String first = tables.get(0).filter();
    Table table = new Table("", row("", Measured::filter, each -> each.filter() + "/" + first));
    for (Line line : lines()) {
      table.row(row(line.name(), line.text(), line.ratio()));
    }
    return table.plain();
  }

  private String[] row(
      String name, Function<Measured, String> text, Function<Measured, String> ratio) {
    List<String> cells = new ArrayList<>(List.of(name));
    for (Measured table : tables) {
      cells.add(text.apply(table));
      if (table != tables.get(0)) {
        cells.add(ratio.apply(table));
      }
    }
    return cells.toArray(String[]::new);
  }

  /** What the figures can and cannot show, a line each. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (tables.get(0).readsPerAbsentGet() == null) {
      notes.add(
          "Absent gets are not counted: nothing fits between these row keys, so that there is no"
              + " absent key within their range to ask for.");
    } else if (absentKeys > 0) {
      notes.add(format("File reads of absent gets are counted over %,d keys.", absentKeys));
    }
    if (rows < FEW_ROWS) {
      notes.add(
          format(
              "With %,d rows this shows that it works, and no more: so small a filter is mostly"
                  + " header and padding, and the counts are chance.",
              rows));
    }
    return notes;
  }

  /** The document of {@code --json}. */
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

  private static String perThousand(Double perGet) {
    return perGet == null ? "-" : format("%.1f", 1000 * perGet);
  }

  private static String whole(double value) {
    return format("%,.0f", value);
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
