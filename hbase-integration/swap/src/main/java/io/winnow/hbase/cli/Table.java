package io.winnow.hbase.cli;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** A table of text, printed for a terminal or in Markdown. Numbers are aligned to the right. */
public final class Table {
  private static final String MISSING = "-";

  public final String title;
  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  public Table(String title, String... header) {
    this.title = title;
    this.header = List.of(header);
  }

  /**
   * Adds a row of cells to the table of text.
   *
   * @param cells texts; the caller formats a missing number, such as an empty {@link
   *     OptionalDouble}
   * @throws IllegalArgumentException if the number of cells is not that of the header
   */
  public Table row(String... cells) {
    if (cells.length != header.size()) {
      throw new IllegalArgumentException(
          "row of " + cells.length + " cells, must have " + header.size());
    }
    rows.add(List.of(cells));
    return this;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Returns a count with its noun, such as <i>1 file</i> or <i>2,000 files</i>. */
  public static String counted(long count, String one) {
    return String.format(Locale.ROOT, "%,d %s%s", count, one, count == 1 ? "" : "s");
  }

  /**
   * Returns a size in bytes as text, with its unit, in three digits and powers of 1000, such as
   * <i>263 KB</i> or <i>1.21 GB</i>.
   */
  public static String size(double bytes) {
    String[] units = {"bytes", "KB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    double value = bytes;
    while (Math.abs(value) >= 999.5 && unit < units.length - 1) {
      value /= 1000;
      unit++;
    }
    int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return number(value, decimals)
        + " "
        + (unit == 0 && Math.round(value) == 1 ? "byte" : units[unit]);
  }

  /** Returns a number with the given count of decimals; a dash if the number is missing. */
  public static String number(OptionalDouble value, int decimals) {
    return value.isPresent() ? number(value.getAsDouble(), decimals) : MISSING;
  }

  public static String number(double value, int decimals) {
    return Double.isFinite(value)
        ? String.format(Locale.ROOT, "%,." + decimals + "f", value)
        : MISSING;
  }

  /** Returns a number as text, without an exponent and without needless decimals. */
  public static String exact(double value) {
    return value == 0 ? "0" : BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }

  /** Returns the ratio of two numbers with two decimals; a dash if one of them is missing. */
  public static String ratio(OptionalDouble value, OptionalDouble base) {
    return number(divided(value, base), 2);
  }

  public static OptionalDouble divided(OptionalDouble value, OptionalDouble base) {
    return value.isPresent() && base.isPresent()
        ? OptionalDouble.of(value.getAsDouble() / base.getAsDouble())
        : OptionalDouble.empty();
  }

  public static String percent(OptionalDouble value, int decimals) {
    return value.isPresent() ? number(100 * value.getAsDouble(), decimals) + " %" : MISSING;
  }

  /** Returns the table as text, indented, under its title. */
  public String text() {
    return title + '\n' + lines("  ");
  }

  /** Returns the table as text, without its title. */
  public String plain() {
    return lines("");
  }

  private String lines(String indent) {
    int[] widths = new int[header.size()];
    List<List<String>> all = new ArrayList<>(List.of(header));
    all.addAll(rows);
    for (List<String> row : all) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : all) {
      StringBuilder line = new StringBuilder(indent);
      for (int i = 0; i < widths.length; i++) {
        String pad = " ".repeat(widths[i] - row.get(i).length());
        line.append(i == 0 ? row.get(i) + pad : "  " + pad + row.get(i));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  /** Returns the table in Markdown, without its title, which is a heading of the document. */
  public String markdown() {
    StringBuilder text = new StringBuilder();
    line(text, header);
    text.append('|').append(" --- |").append(" ---: |".repeat(header.size() - 1)).append('\n');
    rows.forEach(row -> line(text, row));
    return text.toString();
  }

  public int rows() {
    return rows.size();
  }

  private static void line(StringBuilder text, List<String> cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }
}
