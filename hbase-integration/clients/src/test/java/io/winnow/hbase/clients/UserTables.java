package io.winnow.hbase.clients;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Tables of events of users, with the key (USR, TS), in eight files of one data block each: either
 * each user is in one file, or each file has a slice of time of all users.
 */
final class UserTables {
  static final int FILES = 8;
  static final int USERS = FILES * 15;

  /** Number of events of each user. */
  static final int ROWS = 2 * FILES;

  /** Number of runs of a query; those of one whole user are run for each user. */
  static final int TIMES = 12;

  /** The key's type is to be put in for {@code {USR}}. */
  static final String COLUMNS =
      "(USR {USR} NOT NULL, TS BIGINT NOT NULL, A VARCHAR, B BIGINT,"
          + " CONSTRAINT PK PRIMARY KEY ({PK}))";

  private static final IntFunction<Object[]> NONE = i -> new Object[0];

  final Twins twins;
  private final PhoenixHBase hbase;
  private String state = "written";

  /**
   * Creates the tables.
   *
   * @param type of the column USR
   * @param key the columns of the key, with their orders
   * @param options of both tables
   * @param prefix the {@code winnow.scan.prefix} of the one with Winnow's filters; null for none
   * @param segment its {@code winnow.scan.segment}; null for none
   */
  UserTables(String name, String type, String key, String options, String prefix, String segment)
      throws Exception {
    this.hbase = PhoenixHBase.shared();
    this.twins =
        new Twins(
            hbase,
            name,
            COLUMNS.replace("{USR}", type).replace("{PK}", key),
            options,
            Twins.settings(prefix, segment));
  }

  static String user(int number) {
    return String.format("u%06d", number);
  }

  /** Returns a user who is there, with an even number. */
  static String present(int i) {
    return user(i * 37 % USERS * 2);
  }

  static String absent(int i) {
    return user(i * 37 % USERS * 2 + 1);
  }

  /** Returns the time of an event; the events of a slice of time have neighbouring numbers. */
  static long time(int row) {
    return 1_700_000_000_000L + row * 70_000L;
  }

  /** Fills the tables, so that each user is in one file. */
  UserTables filledByUser() throws Exception {
    for (int file = 0; file < FILES; file++) {
      List<Object[]> rows = new ArrayList<>();
      for (int user = file; user < USERS; user += FILES) {
        for (int row = 0; row < ROWS; row++) {
          rows.add(event(user, row));
        }
      }
      write(rows);
    }
    return this;
  }

  /** Fills the tables, so that each user has two events in each file. */
  UserTables filledByTime() throws Exception {
    for (int file = 0; file < FILES; file++) {
      List<Object[]> rows = new ArrayList<>();
      for (int user = 0; user < USERS; user++) {
        rows.add(event(user, 2 * file));
        rows.add(event(user, 2 * file + 1));
      }
      write(rows);
    }
    return this;
  }

  private static Object[] event(int user, int row) {
    return new Object[] {user(user * 2), time(row), "a" + user + "-" + row, (long) user + row};
  }

  private void write(List<Object[]> rows) throws Exception {
    twins.upsert("UPSERT INTO % VALUES(?, ?, ?, ?)", rows);
    twins.flush();
  }

  /** Deletes users and events, and writes some of them again. */
  void change() throws Exception {
    state = "changed";
    twins.change("DELETE FROM % WHERE USR IN (?, ?)", present(1), present(2));
    twins.change("DELETE FROM % WHERE USR = ? AND TS < ?", present(3), time(4));
    twins.change("DELETE FROM % WHERE USR = ? AND TS = ?", present(4), time(2));
    twins.change("UPSERT INTO % VALUES(?, ?, 'again', 1)", present(5), time(99));
    twins.change("UPSERT INTO % VALUES(?, ?, 'back', 1)", present(1), time(1));
    twins.change(
        "UPSERT INTO % SELECT USR, TS, 'moved', B + 1 FROM % WHERE USR = ? AND TS >= ?",
        present(6), time(5));
    twins.flush();
  }

  /** Splits the first region, whose halves read the files of the whole. */
  void split() throws Exception {
    state += ", split";
    twins.each(hbase::splitFirst);
  }

  void majorCompact() throws Exception {
    state = "compacted";
    twins.each(hbase::majorCompact);
  }

  /** Merges the first two regions, which read the files of both. */
  void merge() throws Exception {
    state += ", merged";
    twins.each(table -> hbase.merge(table, 0, 1));
  }

  /** Runs all queries, and returns what they read. */
  Map<String, TwoTables.Read> queries() throws Exception {
    Map<String, TwoTables.Read> reads = new LinkedHashMap<>();
    String select = "SELECT * FROM % WHERE ";
    IntFunction<Object[]> user = i -> new Object[] {present(i)};
    run(reads, "USR = ?", select + "USR = ?", USERS, user);
    run(reads, "USR = ?, absent", select + "USR = ?", USERS, i -> new Object[] {absent(i)});
    run(reads, "COUNT(*) of USR = ?", "SELECT COUNT(*), SUM(B), MAX(A) FROM % WHERE USR = ?", user);
    run(
        reads,
        "USR = ? ORDER BY TS DESC LIMIT 2",
        select + "USR = ? ORDER BY USR DESC, TS DESC LIMIT 2",
        user);
    run(reads, "USR = ? ORDER BY TS LIMIT 2", select + "USR = ? ORDER BY USR, TS LIMIT 2", user);
    run(
        reads,
        "USR = ? AND TS >= ? AND TS < ?",
        select + "USR = ? AND TS >= ? AND TS < ?",
        i -> new Object[] {present(i), time(i % ROWS), time(i % ROWS + 1)});
    run(
        reads,
        "USR = ? AND TS >= ?",
        select + "USR = ? AND TS >= ?",
        i -> new Object[] {present(i), time(ROWS - 1)});
    run(
        reads,
        "USR = ? AND (TS < ? OR TS > ?)",
        select + "USR = ? AND (TS < ? OR TS > ?)",
        i -> new Object[] {present(i), time(1), time(ROWS - 2)});
    run(
        reads,
        "USR IN (?, ?, ?)",
        select + "USR IN (?, ?, ?)",
        i -> new Object[] {present(i), present(i + 5), present(i + 7)});
    run(
        reads,
        "USR IN (?, ?) ORDER BY USR DESC",
        select + "USR IN (?, ?) ORDER BY USR DESC, TS DESC",
        i -> new Object[] {present(i), absent(i)});
    run(
        reads,
        "USR IN (?, ?) AND TS >= ? AND TS < ?",
        select + "USR IN (?, ?) AND TS >= ? AND TS < ?",
        i -> new Object[] {present(i), present(i + 5), time(i % ROWS), time(i % ROWS + 2)});
    run(
        reads,
        "USR = ? AND TS IN (?, ?)",
        select + "USR = ? AND TS IN (?, ?)",
        i -> new Object[] {present(i), time(2), time(5)});
    run(
        reads,
        "USR = ? AND TS = ?",
        select + "USR = ? AND TS = ?",
        i -> new Object[] {i % 3 == 0 ? absent(i) : present(i), time(3)});
    run(
        reads,
        "(USR, TS) IN (3)",
        select + "(USR, TS) IN ((?, ?), (?, ?), (?, ?))",
        i -> new Object[] {present(i), time(1), present(i + 1), time(2), absent(i), time(3)});
    run(
        reads,
        "USR >= ? AND USR < ?",
        select + "USR >= ? AND USR < ?",
        i -> new Object[] {user(i * 20), user(i * 20 + 8)});
    run(
        reads,
        "USR LIKE ?",
        "SELECT COUNT(*), SUM(B) FROM % WHERE USR LIKE ?",
        i -> new Object[] {"u0000" + i + "%"});
    run(
        reads,
        "(USR, TS) > (?, ?) LIMIT 10",
        select + "(USR, TS) > (?, ?) ORDER BY USR, TS LIMIT 10",
        i -> new Object[] {user(i * 20), time(3)});
    run(
        reads,
        "USR = ? AND (USR, TS) > (?, ?) LIMIT 3",
        select + "USR = ? AND (USR, TS) > (?, ?) ORDER BY USR, TS LIMIT 3",
        i -> new Object[] {present(i), present(i), time(3)});
    run(
        reads,
        "USR = ? AND B = ?",
        select + "USR = ? AND B = ?",
        i -> new Object[] {present(i), (long) (i * 37 % USERS + 3)});
    run(reads, "TS >= ?", select + "TS >= ?", 1, i -> new Object[] {time(ROWS - 1)});
    run(reads, "GROUP BY", "SELECT B, COUNT(*), MAX(A) FROM % GROUP BY B ORDER BY B", 1, NONE);
    run(reads, "last 20", "SELECT * FROM % ORDER BY USR DESC, TS DESC LIMIT 20", 1, NONE);
    run(reads, "all rows", "SELECT * FROM %", 1, NONE);
    return reads;
  }

  private void run(
      Map<String, TwoTables.Read> reads, String what, String sql, IntFunction<Object[]> args)
      throws Exception {
    run(reads, what, sql, TIMES, args);
  }

  private void run(
      Map<String, TwoTables.Read> reads,
      String what,
      String sql,
      int times,
      IntFunction<Object[]> args)
      throws Exception {
    reads.put(what, twins.compare(state + ": " + what, sql, times, args));
  }
}
