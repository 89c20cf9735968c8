package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Spark, with the agent in its JVM and without: it writes store files for a bulk load, and reads
 * tables and snapshots. Each row is that of a table with HBase's filters.
 */
@Tag("clients")
class SparkIT {
  private static PhoenixHBase hbase;
  private static TableName stock;

  @BeforeAll
  static void fill() throws Exception {
    hbase = PhoenixHBase.shared();
    stock = EventTables.stock(hbase, "sparkB");
    for (int file = 0; file < EventTables.FILES; file++) {
      EventTables.write(hbase, stock, file);
    }
  }

  private static Path directory(String name) {
    return Path.of(System.getProperty("winnow.it.directory"), "spark", name);
  }

  /** Checks what a program of Spark loaded and read. */
  private static TwoTables.Read check(String name, TableName loaded) throws Exception {
    List<String> rows = EventTables.scan(hbase, stock, new Scan());
    for (String output : SparkJobs.READS) {
      assertEquals(rows, Files.readAllLines(directory(name).resolve(output)), output);
    }
    TwoTables tables = new TwoTables(hbase, "Spark " + name, stock, loaded);
    tables.compare("all rows", 1, (table, run) -> EventTables.scan(hbase, table, new Scan()));
    tables.compare(
        "rows of a user",
        EventTables.USERS,
        (table, run) ->
            EventTables.scan(
                hbase,
                table,
                new Scan()
                    .withStartRow(EventTables.user(run))
                    .withStopRow(EventTables.behind(run))));
    return EventTables.absent(hbase, "Spark " + name, stock, loaded);
  }

  /** Creates a table, of which one file is written by the server. */
  private static TableName table(String name) throws Exception {
    TableName table = EventTables.winnow(hbase, name);
    EventTables.write(hbase, table, 0);
    Files.createDirectories(directory(name));
    return table;
  }

  @Test
  void withTheAgent() throws Exception {
    TableName table = table("sparkAgent");
    SparkJobs.main(table.getNameAsString(), directory("sparkAgent").toString());
    TwoTables.Read absent = check("sparkAgent", table);
    assertTrue(absent.winnow().blocks() <= 0.3, absent::toString);
    assertTrue(absent.winnow().filterQueries() > 0.5, absent::toString);
  }

  @Test
  void withoutTheAgent() throws Exception {
    TableName table = table("sparkStock");
    Path log =
        OtherJvm.run(
            directory("sparkStock"),
            false,
            SparkJobs.class.getName(),
            table.getNameAsString(),
            directory("sparkStock").toString());
    // Of a file that the server wrote: it is read without its filter.
    assertTrue(Files.readString(log).contains("GENERAL_BLOOM_META"), () -> "see " + log);
    TwoTables.Read absent = check("sparkStock", table);
    assertTrue(absent.winnow().blocks() >= 1, absent::toString);
  }
}
