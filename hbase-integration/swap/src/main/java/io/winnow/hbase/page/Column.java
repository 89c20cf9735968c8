package io.winnow.hbase.page;

import java.util.Comparator;
import java.util.function.Function;

/** A column of a table: of its HTML and of its JSON, and what its rows can be sorted by. */
final class Column<R> {
  /** The name in JSON, and as {@code ?sort=} has it. */
  final String name;

  final String title;

  /** The meaning in a sentence. */
  final String meaning;

  final Form form;
  private final Function<R, Object> value;

  /** The link of a row's cell; null for none. */
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
    return found instanceof Double && !Double.isFinite((Double) found) ? null : found;
  }

  /** What is not known comes last, either way. */
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
