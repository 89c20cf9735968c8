package io.winnow.hbase.it;

import static io.winnow.hbase.it.TestServer.STOCK;
import static io.winnow.hbase.it.TestServer.WINNOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.standalone.TableCommand;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code ./winnow table} against a real HBase: a filter comes, and goes again. */
class TableCommandIT {
  @TempDir static Path conf;

  private static TestServer server;

  @BeforeAll
  static void start() throws Exception {
    server = TestServer.shared();
    Configuration client = server.configuration();
    // Four attempts in a fifth of a second are too few for a region that is being opened.
    client.unset("hbase.client.pause");
    try (OutputStream out = Files.newOutputStream(conf.resolve("hbase-site.xml"))) {
      client.writeXml(out);
    }
  }

  private static String run(int exitCode, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--conf", conf.toString()));
    return run(exitCode, all);
  }

  private static String run(int exitCode, List<String> all) {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(printed, true);
    int code = new TableCommand().run(out, out, all.toArray(new String[0]));
    assertEquals(exitCode, code, printed.toString());
    return printed.toString();
  }

  @Test
  void filterComesAndGoesWithoutTheShell() throws Exception {
    TableName table = TableName.valueOf("by-command");
    run(0, "create", "by-command", "f", "winnow.filter=bumped-ribbon");
    run(0, "load", "by-command", "f", "--rows", "1000");
    assertEquals(List.of(WINNOW, WINNOW, WINNOW, WINNOW), server.filterVersions(table));
    run(0, "alter", "by-command", "f", "winnow.filter=bloom", "BLOOMFILTER=ROW");
    run(0, "compact", "by-command", "f");
    assertOneStockFile(table);
    run(0, "alter", "by-command", "f", "winnow.filter=");
    assertEquals(
        null,
        server
            .admin()
            .getDescriptor(table)
            .getColumnFamily(Bytes.toBytes("f"))
            .getConfigurationValue("winnow.filter"));
  }

  /** HBase takes the files away that a compaction has replaced a while after its end. */
  private static void assertOneStockFile(TableName table) throws Exception {
    TestServer.await("the file of a compaction", () -> server.storeFiles(table).size() == 1);
    assertEquals(List.of(STOCK), server.filterVersions(table));
  }

  /** Runs a line of a text that a command printed to be copied. */
  private static String runLine(int index, String text) {
    List<String> lines = text.lines().filter(line -> line.startsWith("  ./winnow table ")).toList();
    assertTrue(lines.size() > index, text);
    List<String> words = List.of(lines.get(index).strip().split(" "));
    return run(0, words.subList(2, words.size()));
  }

  @Test
  void printedLinesWorkAsTheyAre() throws Exception {
    TableName table = TableName.valueOf("orders");
    String steps = TableCommand.firstSteps(conf, null);
    String created = runLine(0, steps);
    runLine(1, steps);
    assertEquals(List.of(WINNOW, WINNOW, WINNOW, WINNOW), server.filterVersions(table));
    String altered = runLine(0, created);
    runLine(0, altered);
    assertOneStockFile(table);
  }

  @Test
  void mistakesAreNamed() throws Exception {
    run(0, "create", "disabled", "f");
    server.admin().disableTable(TableName.valueOf("disabled"));
    assertTrue(run(1, "compact", "disabled", "f").contains("disabled is disabled: enable it"));
    assertTrue(run(1, "load", "no-such-table", "f").contains("there is no table no-such-table"));
    String refusal = run(1, "create", "refused", "f", "winnow.filter=blom");
    assertTrue(refusal.contains("winnow.filter is 'blom'"), refusal);
    assertEquals(1, refusal.lines().count(), refusal);
    run(64, "alter", "by-command", "f");
    run(64, "create", "by-command");
    run(64, "drop", "by-command", "f");
  }
}
