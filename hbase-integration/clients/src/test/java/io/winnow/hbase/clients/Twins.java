package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * Two tables of Phoenix with the same rows: the first has HBase's filters, the second Winnow's. In
 * each statement {@code %} stands for the name of the table.
 */
final class Twins {
  /**
   * Rows and blocks that a query read.
   *
   * @param rows the rows of all its runs
   * @param stock data blocks requested per run, of the table with HBase's filters
   * @param winnow the same, with Winnow's
   */
  record Read(int rows, double stock, double winnow) {}

  private final PhoenixHBase hbase;
  private final String name;
  private Connection connection;

  /**
   * Creates both tables.
   *
   * @param options of both tables, in Phoenix's form; may be empty
   * @param winnow of the second one only
   */
  Twins(PhoenixHBase hbase, String name, String columns, String options, String winnow)
      throws SQLException {
    this.hbase = hbase;
    this.name = name;
    this.connection = hbase.connection();
    hbase.execute("CREATE TABLE " + stock() + columns + " " + options);
    hbase.execute(
        "CREATE TABLE "
            + winnow()
            + columns
            + " "
            + options
            + (options.isEmpty() ? "" : ", ")
            + winnow);
  }

  String stock() {
    return name + "B";
  }

  String winnow() {
    return name + "W";
  }

  List<String> both() {
    return List.of(stock(), winnow());
  }

  /** Lets the following statements use another connection. */
  void over(Connection other) {
    this.connection = other;
  }

  /** Runs a statement on both tables, and compares how many rows it changed. */
  int change(String sql, Object... args) throws SQLException {
    int[] changed = new int[2];
    for (int i = 0; i < 2; i++) {
      try (PreparedStatement statement = prepare(both().get(i), sql, args)) {
        changed[i] = statement.executeUpdate();
      }
    }
    connection.commit();
    assertEquals(changed[0], changed[1], sql);
    return changed[0];
  }

  /** Writes the same rows into both tables. */
  void upsert(String sql, List<Object[]> rows) throws SQLException {
    for (String table : both()) {
      try (PreparedStatement statement = connection.prepareStatement(sql.replace("%", table))) {
        for (Object[] row : rows) {
          set(statement, row);
          statement.execute();
        }
      }
      connection.commit();
    }
  }

  /** Does something to both tables. */
  void each(Step step) throws Exception {
    for (String table : both()) {
      step.on(table);
    }
  }

  void flush() throws Exception {
    each(hbase::flush);
  }

  /**
   * Runs a query on both tables some times, and compares the rows: in their order, if the query has
   * an ORDER BY. What it read goes into {@code blocks.csv}.
   */
  Read compare(String what, String sql, int times, IntFunction<Object[]> args) throws Exception {
    int rows = 0;
    long stock = 0;
    long winnow = 0;
    for (int i = 0; i < times; i++) {
      long start = hbase.blocks();
      List<String> expected = rows(stock(), sql, args.apply(i));
      long middle = hbase.blocks();
      List<String> found = rows(winnow(), sql, args.apply(i));
      winnow += hbase.blocks() - middle;
      stock += middle - start;
      List<String> lost = new ArrayList<>(expected);
      found.forEach(lost::remove);
      List<String> added = new ArrayList<>(found);
      expected.forEach(added::remove);
      assertTrue(
          expected.equals(found),
          () ->
              name + ", " + what + ": lost " + lost + ", added " + added + ", or in another order");
      rows += expected.size();
    }
    Read read = new Read(rows, stock / (double) times, winnow / (double) times);
    Files.writeString(
        Path.of(System.getProperty("winnow.it.directory"), "blocks.csv"),
        String.format(
            Locale.ROOT, "%s,\"%s\",%d,%.2f,%.2f%n", name, what, rows, read.stock(), read.winnow()),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    return read;
  }

  /** Runs a query once. */
  Read compare(String what, String sql, Object... args) throws Exception {
    return compare(what, sql, 1, i -> args);
  }

  /** Returns how Phoenix runs a query on the table with Winnow's filters. */
  String plan(String sql, Object... args) throws SQLException {
    return String.join(" ", rows(winnow(), "EXPLAIN " + sql, args));
  }

  private List<String> rows(String table, String sql, Object... args) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (PreparedStatement statement = prepare(table, sql, args);
        ResultSet found = statement.executeQuery()) {
      int columns = found.getMetaData().getColumnCount();
      while (found.next()) {
        Object[] row = new Object[columns];
        for (int i = 0; i < columns; i++) {
          row[i] = found.getObject(i + 1);
        }
        rows.add(Arrays.toString(row));
      }
    }
    if (!sql.contains("ORDER BY") && !sql.startsWith("EXPLAIN")) {
      Collections.sort(rows);
    }
    return rows;
  }

  private PreparedStatement prepare(String table, String sql, Object... args) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql.replace("%", table));
    set(statement, args);
    return statement;
  }

  private static void set(PreparedStatement statement, Object... args) throws SQLException {
    for (int i = 0; i < args.length; i++) {
      statement.setObject(i + 1, args[i]);
    }
  }

  /** An action on a table. */
  @FunctionalInterface
  interface Step {
    void on(String table) throws Exception;
  }
}
