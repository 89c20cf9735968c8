package io.winnow.hbase.page;

import java.util.Comparator;
import java.util.function.Function;

/** Column of a table on the page {@code /winnow}, in HTML and in JSON. Rows can be sorted by it. */
final class Column<R> {
  /** Name of a table's column in the JSON of a web page and in the parameter {@code ?sort=}. */
  final String name;

  final String title;

  /** Sentence that explains a table's column to the reader of the page. */
  final String meaning;

  final Form form;
  private final Function<R, Object> value;

  /**
   * Function that returns the link of a cell in a table's column; null if the column has no links.
   */
  final Function<R, String> link;

  Column(
      String name,
      String title,
      String meaning,
      Form form,
      Function<R, Object> value,
      Function<R, String> link) {
    this.name = name;
    this.title = title;
    this.meaning = meaning;
    this.form = form;
    this.value = value;
    this.link = link;
  }

  static <R> Column<R> of(
      String name, String title, Form form, Function<R, Object> value, String meaning) {
    return new Column<>(name, title, meaning, form, value, null);
  }

  /** Returns a column that is in the JSON of a table and not in the HTML. */
  static <R> Column<R> hidden(String name, Function<R, Object> value) {
    return new Column<>(name, name, name, Form.HIDDEN, value, null);
  }

  Column<R> linked(Function<R, String> to) {
    return new Column<>(name, title, meaning, form, value, to);
  }

  /** Returns the value that a row of a table has in one column; null if it is unknown. */
  Object valueOf(R row) {
    Object found = value.apply(row);
    return found instanceof Double && !Double.isFinite((Double) found) ? null : found;
  }

  /**
   * Returns an order of the rows of a table by their values in one column. Rows whose value is
   * unknown come last in either direction.
   *
   * @param falling true for descending order
   */
  Comparator<R> order(boolean falling) {
    Comparator<Object> natural = Column::compare;
    Comparator<Object> order = falling ? natural.reversed() : natural;
    return Comparator.comparing(this::valueOf, Comparator.nullsLast(order));
  }

  private static int compare(Object a, Object b) {
    if (a instanceof Long && b instanceof Long) {
      return Long.compare((Long) a, (Long) b);
    }
    if (a instanceof Double && b instanceof Double) {
      return Double.compare((Double) a, (Double) b);
    }
    return a.toString().compareTo(b.toString());
  }
}
