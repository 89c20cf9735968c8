package io.winnow.hbase.page;

import java.util.Comparator;
import java.util.function.Function;

/**
 * A column of a table: of its HTML and of its JSON, and what its rows can be sorted by.
 *
 * @param name in JSON, and as {@code ?sort=} has it
 * @param meaning in a sentence
 * @param value of a row: a String, a Long or a Double; null or NaN if it is not known
 * @param link of a row's cell; null for none
 */
record Column<R>(
    String name,
    String title,
    String meaning,
    Form form,
    Function<R, Object> value,
    Function<R, String> link) {

  static <R> Column<R> of(
      String name, String title, Form form, Function<R, Object> value, String meaning) {
    return new Column<>(name, title, meaning, form, value, null);
  }

  /** For programs. */
  static <R> Column<R> hidden(String name, Function<R, Object> value) {
    return new Column<>(name, name, name, Form.HIDDEN, value, null);
  }

  Column<R> linked(Function<R, String> to) {
    return new Column<>(name, title, meaning, form, value, to);
  }

  /** Null for what is not known. */
  Object valueOf(R row) {
    Object found = value.apply(row);
    return found instanceof Double number && !Double.isFinite(number) ? null : found;
  }

  /** What is not known comes last, either way. */
  Comparator<R> order(boolean falling) {
    Comparator<Object> natural = Column::compare;
    Comparator<Object> order = falling ? natural.reversed() : natural;
    return Comparator.comparing(this::valueOf, Comparator.nullsLast(order));
  }

  private static int compare(Object a, Object b) {
    if (a instanceof Long one && b instanceof Long other) {
      return Long.compare(one, other);
    }
    if (a instanceof Double one && b instanceof Double other) {
      return Double.compare(one, other);
    }
    return a.toString().compareTo(b.toString());
  }
}
