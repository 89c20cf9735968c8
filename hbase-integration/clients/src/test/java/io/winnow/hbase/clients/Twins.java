package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.hadoop.hbase.TableName;

/**
 * Two tables of Phoenix with the same rows: the first has HBase's filters, the second Winnow's. In
 * each statement {@code %} stands for the name of the table.
 */
final class Twins {
  private final PhoenixHBase hbase;
  private final TwoTables tables;
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
    this.tables =
        new TwoTables(
            hbase, "Phoenix " + name, TableName.valueOf(name + "B"), TableName.valueOf(name + "W"));
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

  /**
   * Returns options of a table with Winnow's filters, in Phoenix's form.
   *
   * @param prefix the value of {@code winnow.scan.prefix}; null for none
   * @param segment the value of {@code winnow.scan.segment}; null for none
   */
  static String settings(String prefix, String segment) {
    return "\"winnow.filter\"='bumped-ribbon'"
        + (prefix == null ? "" : ", \"winnow.scan.prefix\"='" + prefix + "'")
        + (segment == null ? "" : ", \"winnow.scan.segment\"='" + segment + "'");
  }

  String stock() {
    return tables.stock().getNameAsString();
  }

  String winnow() {
    return tables.winnow().getNameAsString();
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
   * an ORDER BY.
   */
  TwoTables.Read compare(String what, String sql, int times, IntFunction<Object[]> args)
      throws Exception {
    return tables.compare(
        what, times, (table, run) -> rows(table.getNameAsString(), sql, args.apply(run)));
  }

  /** Runs a query once. */
  TwoTables.Read compare(String what, String sql, Object... args) throws Exception {
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
