package io.winnow.hbase.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Table on a web page whose rows are in the order that the request selects: {@code sort=NAME} for
 * ascending, {@code sort=-NAME} for descending. A click on a title selects its column.
 */
final class PageTable<R> {
  private static final String SORT = "sort";
  private static final String FROM = "from";

  /** Number of table rows on one web page. */
  static final int ROWS = 250;

  private final List<Column<R>> columns;
  private final List<R> rows;
  private final Query query;
  private final int from;

  PageTable(List<Column<R>> columns, List<R> unsorted, Query query) {
    this.columns = columns;
    this.query = query;
    List<R> sorted = new ArrayList<>(unsorted);
    for (Column<R> column : columns) {
      if (query.has(SORT, column.name)) {
        sorted.sort(column.order(false));
      } else if (query.has(SORT, "-" + column.name)) {
        sorted.sort(column.order(true));
      }
    }
    this.rows = sorted;
    this.from = Math.min(query.number(FROM), rows.size());
  }

  /** Returns all rows of the table, each as values by the names of their columns. */
  List<Map<String, Object>> json() {
    List<Map<String, Object>> all = new ArrayList<>();
    for (R row : rows) {
      Map<String, Object> values = new LinkedHashMap<>();
      columns.forEach(column -> values.put(column.name, column.valueOf(row)));
      all.add(values);
    }
    return all;
  }

  /** Appends the rows that belong on this web page, and links to the previous and the next rows. */
  void html(Html html) {
    List<Column<R>> shown = shown();
    html.raw("<div class=\"wide\"><table class=\"rows\"><thead><tr>");
    shown.forEach(column -> title(html, column));
    html.raw("</tr></thead>\n<tbody>\n");
    int to = Math.min(rows.size(), from + ROWS);
    for (R row : rows.subList(from, to)) {
      html.raw("<tr>");
      shown.forEach(column -> cell(html, column, row));
      html.raw("</tr>\n");
    }
    html.raw("</tbody></table></div>\n");
    if (from > 0 || to < rows.size()) {
      html.raw("<p>");
      html.text((from + 1) + " to " + to + " of " + rows.size() + ". ");
      if (from > 0) {
        html.link(query.with(FROM, Math.max(0, from - ROWS)).link(), "The ones before");
        html.raw(" ");
      }
      if (to < rows.size()) {
        html.link(query.with(FROM, to).link(), "The next ones");
      }
      html.raw("</p>\n");
    }
  }

  /** Returns the columns that have a number, or words in a row. */
  private List<Column<R>> shown() {
    return columns.stream()
        .filter(
            column ->
                column.form.isNumber()
                    || column.form == Form.WORDS
                        && rows.stream()
                            .map(column::valueOf)
                            .anyMatch(value -> value != null && !value.equals("")))
        .collect(Collectors.toList());
  }

  private void title(Html html, Column<R> column) {
    boolean rises = query.has(SORT, column.name);
    boolean falls = query.has(SORT, "-" + column.name);
    // Users look for the high numbers, so the first click on numbers sorts them descending.
    boolean nextFalls = column.form.isNumber() ? !falls : rises;
    html.raw("<th scope=\"col\"").attribute("class", kindOf(column));
    html.attribute("title", column.meaning);
    if (rises || falls) {
      html.attribute("aria-sort", rises ? "ascending" : "descending");
    }
    html.raw(">");
    html.link(
        query.with(SORT, (nextFalls ? "-" : "") + column.name).without(FROM).link(), column.title);
    html.raw("</th>");
  }

  private void cell(Html html, Column<R> column, R row) {
    Object value = column.valueOf(row);
    html.raw("<td").attribute("class", kindOf(column));
    html.attribute("data-label", column.title);
    if (value != null && column.form.isNumber()) {
      html.attribute("data-value", value.toString());
    }
    html.raw(">");
    String text = column.form.text(value);
    if (column.link == null) {
      html.text(text);
    } else {
      html.link(column.link.apply(row), text);
    }
    html.raw("</td>");
  }

  private static String kindOf(Column<?> column) {
    return column.form.isNumber() ? "number" : "words";
  }

  /** Appends a list that explains the columns of a table on a web page. */
  void legend(Html html) {
    html.raw("<details><summary>What the columns mean</summary><dl>");
    for (Column<R> column : shown()) {
      html.element("dt", column.title).element("dd", column.meaning);
    }
    html.raw("</dl></details>\n");
  }
}
