package io.winnow.hbase.quickstart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/** The result: one table for people, one JSON document for machines. */
record Report(long rows, List<Measured> tables) {

  /** One table's figures. */
  record Measured(
      String filter,
      long filterBytes,
      long chunks,
      double bitsPerKey,
      double falsePositiveRate,
      double hitsPerSecond,
      double missesPerSecond,
      long rowsLost) {}

  private record Line(
      String name, ToDoubleFunction<Measured> value, DoubleFunction<String> text, boolean ratio) {}

  private static final List<Line> LINES =
      List.of(
          new Line("filter bytes", Measured::filterBytes, Report::whole, true),
          new Line("chunks", Measured::chunks, Report::whole, false),
          new Line("bits per key", Measured::bitsPerKey, v -> format("%.3f", v), true),
          new Line(
              "false-positive rate",
              Measured::falsePositiveRate,
              v -> format("%.3f %%", v * 100),
              true),
          new Line("gets/s, hits", Measured::hitsPerSecond, Report::whole, true),
          new Line("gets/s, misses", Measured::missesPerSecond, Report::whole, true),
          new Line("rows lost", Measured::rowsLost, Report::whole, false));

  /** The rows that did not come back, over all tables. */
  long rowsLost() {
    return tables.stream().mapToLong(Measured::rowsLost).sum();
  }

  /** The table; each later kind is also shown as a multiple of the first. */
  String text() {
    List<List<String>> columns = new ArrayList<>();
    List<String> names = new ArrayList<>(List.of(""));
    LINES.forEach(line -> names.add(line.name()));
    columns.add(names);
    Measured first = tables.get(0);
    for (Measured table : tables) {
      List<String> column = new ArrayList<>(List.of(table.filter()));
      LINES.forEach(line -> column.add(line.text().apply(line.value().applyAsDouble(table))));
      columns.add(column);
      if (table != first) {
        List<String> ratios = new ArrayList<>(List.of(table.filter() + "/" + first.filter()));
        for (Line line : LINES) {
          double base = line.value().applyAsDouble(first);
          ratios.add(
              line.ratio() && base != 0
                  ? format("%.2f", line.value().applyAsDouble(table) / base)
                  : "");
        }
        columns.add(ratios);
      }
    }
    StringBuilder text = new StringBuilder();
    for (int row = 0; row <= LINES.size(); row++) {
      StringBuilder line = new StringBuilder();
      for (int c = 0; c < columns.size(); c++) {
        int width = columns.get(c).stream().mapToInt(String::length).max().orElse(0);
        String cell = columns.get(c).get(row);
        line.append(c == 0 ? format("%-" + width + "s", cell) : format("  %" + width + "s", cell));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  /** The document of {@code --json}. */
  String json() {
    StringBuilder json = new StringBuilder();
    json.append("{\"rows\": ").append(rows).append(", \"tables\": [");
    String separator = "\n  ";
    for (Measured table : tables) {
      json.append(separator)
          .append(
              format(
                  "{\"filter\": \"%s\", \"filterBytes\": %d, \"chunks\": %d, \"bitsPerKey\": %.4f,"
                      + " \"falsePositiveRate\": %.6f, \"hitsPerSecond\": %.0f, \"missesPerSecond\": %.0f,"
                      + " \"rowsLost\": %d}",
                  table.filter(),
                  table.filterBytes(),
                  table.chunks(),
                  table.bitsPerKey(),
                  table.falsePositiveRate(),
                  table.hitsPerSecond(),
                  table.missesPerSecond(),
                  table.rowsLost()));
      separator = ",\n  ";
    }
    return json.append("\n]}\n").toString();
  }

  private static String whole(double value) {
    return format("%,.0f", value);
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
