package io.winnow.hbase.it;

import static io.winnow.hbase.it.TestServer.WINNOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real HBase with the agent on each Java: rows are written, compacted and read. {@code
 * docs/design/testing.md} says where the Javas come from.
 */
@Tag("java-versions")
class JavaVersionsIT {
  private static final int ROWS = 20_000;

  /** The home that a property names, the Java of this JVM, or what pip has. */
  private static Path home(int version) throws IOException, InterruptedException {
    String named = System.getProperty("winnow.java." + version, "");
    if (!named.isEmpty()) {
      return Path.of(named);
    }
    if (version == Runtime.version().feature()) {
      return Path.of(System.getProperty("java.home"));
    }
    String wheel = System.getProperty("winnow.java.wheel." + version);
    Path target = TestServer.emptyDirectory("java-" + version);
    List<String> pip =
        List.of("python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target");
    List<String> command = new ArrayList<>(pip);
    command.addAll(List.of(target.toString(), wheel));
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertEquals(0, process.waitFor(), "the end of " + command);
    try (Stream<Path> files = Files.walk(target)) {
      Path java = files.filter(file -> file.endsWith("bin/java")).findFirst().orElseThrow();
      return java.getParent().getParent();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {11, 17, 21, 25})
  void rowsAreThereAndFiltersAreOurs(int version) throws Exception {
    Path directory = TestServer.emptyDirectory("on-java-" + version);
    TestServer server = TestServer.withAgentOn(home(version), directory);
    try {
      String said = Files.readString(directory.resolve("logs").resolve("hbase.out"));
      assertTrue(said.contains("Winnow: INFO: version "), said);
      assertTrue(said.contains(" Off: nothing."), said);
      List<String> java = server.logLinesWith("java.version=" + version); // of ZooKeeper's
      assertFalse(java.isEmpty(), "the log tells of no Java " + version);
      for (String filter : List.of("ribbon", "bumped-ribbon", "quotient")) {
        ColumnFamilyDescriptor family =
            Rows.family("f", BloomType.ROW, Map.of("winnow.filter", filter));
        TableName table = server.create("of-" + filter, family);
        for (int file = 0; file < 2; file++) {
          Rows.write(server.connection(), table, file * ROWS / 2, (file + 1) * ROWS / 2);
          server.flush(table);
        }
        assertEquals(List.of(WINNOW, WINNOW), server.filterVersions(table));
        Rows.assertAllFound(server.connection(), table, ROWS);
        server.majorCompact(table);
        assertEquals(List.of(WINNOW), server.filterVersions(table));
        Rows.assertAllFound(server.connection(), table, ROWS);
        Rows.assertMisses(server.connection(), table, ROWS);
      }
    } finally {
      server.kill();
    }
  }
}
