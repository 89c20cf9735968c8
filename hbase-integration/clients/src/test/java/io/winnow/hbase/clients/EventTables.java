package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Tables of HBase with the events of users, for programs that copy whole tables. A row is a user of
 * 7 bytes and an event of 3, in two families.
 */
final class EventTables {
  static final int USERS = 80;
  static final int EVENTS = 4;

  /** Files with the events of a quarter of the users each; a further one has changes. */
  static final int FILES = 4;

  static final byte[] BY_ROW = Bytes.toBytes("a");
  static final byte[] BY_COLUMN = Bytes.toBytes("b");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final byte[] OTHER = Bytes.toBytes("o");

  private EventTables() {}

  /** Returns a user who is there. */
  static byte[] user(int number) {
    return Bytes.toBytes(String.format("u%06d", number * 2));
  }

  /** Returns the smallest row behind those of a user, which is no user's. */
  static byte[] behind(int number) {
    return Bytes.toBytes(String.format("u%06d", number * 2 + 1));
  }

  private static byte[] row(byte[] user, int event) {
    return Bytes.add(user, Bytes.toBytes(String.format("e%02d", event)));
  }

  static TableName stock(PhoenixHBase hbase, String name) throws IOException {
    return create(hbase, name, Map.of(), Map.of());
  }

  static TableName winnow(PhoenixHBase hbase, String name) throws IOException {
    return create(
        hbase,
        name,
        Map.of(
            "winnow.filter", "bumped-ribbon",
            "winnow.scan.prefix", "7",
            "winnow.scan.segment", "7,3"),
        Map.of("winnow.filter", "ribbon"));
  }

  private static TableName create(
      PhoenixHBase hbase, String name, Map<String, String> byRow, Map<String, String> byColumn)
      throws IOException {
    TableName table = TableName.valueOf(name);
    hbase
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(family(BY_ROW, BloomType.ROW, byRow))
                .setColumnFamily(family(BY_COLUMN, BloomType.ROWCOL, byColumn))
                .build(),
            new byte[][] {user(USERS / 2)});
    return table;
  }

  private static ColumnFamilyDescriptor family(
      byte[] name, BloomType type, Map<String, String> settings) {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(name)
            .setBloomFilterType(type)
            .setMaxVersions(3)
            .setBlocksize(1_000_000);
    settings.forEach(family::setConfiguration);
    return family.build();
  }

  /** Writes files of users, and one of changes: new versions, and deletes of each kind. */
  static void fill(PhoenixHBase hbase, TableName name) throws IOException {
    for (int file = 0; file < FILES; file++) {
      write(hbase, name, file);
    }
    try (Table table = hbase.admin().getConnection().getTable(name)) {
      for (int user = 0; user < USERS; user += 5) {
        table.put(put(user, 1, 2));
        table.put(put(user, 2, 3));
        table.put(put(user, 3, 2));
      }
      table.delete(new Delete(row(user(7), 0), 9));
      table.delete(new Delete(row(user(8), 1)).addFamily(BY_ROW, 9));
      table.delete(new Delete(row(user(9), 2)).addColumns(BY_COLUMN, QUALIFIER, 9));
      table.delete(new Delete(row(user(10), 1)).addColumn(BY_ROW, QUALIFIER, 2));
    }
    hbase.flush(name.getNameAsString());
  }

  /** Writes one file, with the events of a quarter of the users. */
  static void write(PhoenixHBase hbase, TableName name, int file) throws IOException {
    try (Table table = hbase.admin().getConnection().getTable(name)) {
      List<Put> puts = new ArrayList<>();
      for (int user = file; user < USERS; user += FILES) {
        for (int event = 0; event < EVENTS; event++) {
          puts.add(put(user, event, 1));
        }
      }
      table.put(puts);
    }
    hbase.flush(name.getNameAsString());
  }

  /** Writes one file, with events of users who are not there. */
  static void writeOfNobody(PhoenixHBase hbase, TableName name) throws IOException {
    try (Table table = hbase.admin().getConnection().getTable(name)) {
      table.put(put(behind(3), 1, 1));
      table.put(put(behind(55), 1, 1));
    }
    hbase.flush(name.getNameAsString());
  }

  /** Returns an event of a user. */
  static Put put(int user, int event, long time) {
    return put(user(user), event, time);
  }

  private static Put put(byte[] user, int event, long time) {
    byte[] value = Bytes.toBytes("value " + Bytes.toString(user) + " " + event + " " + time);
    return new Put(row(user, event), time)
        .addColumn(BY_ROW, QUALIFIER, value)
        .addColumn(BY_COLUMN, QUALIFIER, value)
        .addColumn(BY_COLUMN, OTHER, value);
  }

  /**
   * Compares all versions of all cells, and the rows of each user and of users who are not there.
   *
   * @return what {@link #absent} does
   */
  static TwoTables.Read compare(PhoenixHBase hbase, String client, TableName stock, TableName other)
      throws Exception {
    TwoTables tables = new TwoTables(hbase, client, stock, other);
    TwoTables.Query all = (table, run) -> scan(hbase, table, new Scan().setReversed(run == 1));
    assertEquals(2 * (EVENTS * USERS - 1), tables.compare("all rows", 2, all).rows());
    tables.compare(
        "rows of a user",
        USERS,
        (table, run) ->
            scan(hbase, table, new Scan().withStartRow(user(run)).withStopRow(behind(run))));
    tables.compare(
        "events of a user",
        USERS,
        (table, run) ->
            scan(
                hbase,
                table,
                new Scan()
                    .withStartRow(row(user(run), run % EVENTS))
                    .withStopRow(row(user(run), run % EVENTS + 2))));
    try (Table one = hbase.admin().getConnection().getTable(stock);
        Table two = hbase.admin().getConnection().getTable(other)) {
      tables.compare(
          "a Get",
          USERS,
          (table, run) ->
              cells(
                  (table.equals(stock) ? one : two)
                      .get(new Get(row(user(run), run % EVENTS)).readAllVersions())));
      tables.compare(
          "a Get of one column",
          USERS,
          (table, run) ->
              cells(
                  (table.equals(stock) ? one : two)
                      .get(
                          new Get(row(user(run), run * 7 % (EVENTS + 1)))
                              .addColumn(BY_COLUMN, run % 3 == 0 ? BY_ROW : QUALIFIER))));
    }
    return absent(hbase, client, stock, other);
  }

  /** Compares scans of users who are not there, and returns what they read of the first family. */
  static TwoTables.Read absent(PhoenixHBase hbase, String client, TableName stock, TableName other)
      throws Exception {
    TwoTables.Read absent =
        new TwoTables(hbase, client, stock, other)
            .compare(
                "rows of a user, absent",
                USERS / 2 - 1,
                (table, run) -> {
                  byte[] user = behind(run * 2);
                  return scan(
                      hbase,
                      table,
                      new Scan()
                          .withStartRow(user)
                          .withStopRow(Bytes.unsignedCopyAndIncrement(user))
                          .addFamily(BY_ROW));
                });
    assertEquals(0, absent.rows());
    return absent;
  }

  static List<String> scan(PhoenixHBase hbase, TableName name, Scan scan) throws IOException {
    try (Table table = hbase.admin().getConnection().getTable(name);
        ResultScanner scanner = table.getScanner(scan.readAllVersions())) {
      List<String> rows = new ArrayList<>();
      scanner.forEach(result -> rows.add(cells(result).toString()));
      return rows;
    }
  }

  /** Returns the cells of a row. */
  static List<String> cells(Result result) {
    List<String> cells = new ArrayList<>();
    for (Cell cell : result.rawCells()) {
      cells.add(
          String.join(
              "/",
              Bytes.toString(CellUtil.cloneRow(cell)),
              Bytes.toString(CellUtil.cloneFamily(cell)),
              Bytes.toString(CellUtil.cloneQualifier(cell)),
              Long.toString(cell.getTimestamp()),
              Bytes.toString(CellUtil.cloneValue(cell))));
    }
    return cells;
  }
}
