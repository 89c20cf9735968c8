package io.winnow.hbase.it;

import static io.winnow.hbase.it.TestServer.WINNOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A real HBase with Winnow's agent and one that other people have, before it or after it. */
@Tag("other-agents")
class BesideAgentsIT {
  private static final int ROWS = 5_000;

  private static List<String> options(String agent, Path directory) {
    String jar = System.getProperty("winnow.agents") + "/" + agent + ".jar";
    if (agent.equals("jacoco")) {
      return List.of("-javaagent:" + jar + "=destfile=" + directory.resolve("jacoco.exec"));
    }
    return List.of(
        "-javaagent:" + jar,
        "-Dotel.traces.exporter=none",
        "-Dotel.metrics.exporter=none",
        "-Dotel.logs.exporter=none");
  }

  @ParameterizedTest
  @CsvSource({"jacoco, false", "jacoco, true", "opentelemetry, false", "opentelemetry, true"})
  void rowsAreThereAndFiltersAreOurs(String agent, boolean winnowIsFirst) throws Exception {
    Path directory = TestServer.emptyDirectory("beside-" + agent + "-" + winnowIsFirst);
    List<String> options = new ArrayList<>(options(agent, directory));
    options.add("-javaagent:" + TestServer.agentJar());
    if (winnowIsFirst) {
      Collections.reverse(options);
    }
    TestServer server = TestServer.withAgents(options, directory, Map.of());
    try {
      String said = Files.readString(directory.resolve("logs").resolve("hbase.out"));
      assertTrue(said.contains("Winnow: INFO: version "), said);
      assertTrue(said.contains(" Off: nothing."), said);
      for (String filter : List.of("ribbon", "bumped-ribbon", "quotient")) {
        TableName table =
            server.create(
                "of-" + filter,
                Rows.family("f", BloomType.ROWCOL, Map.of("winnow.filter", filter)));
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
      assertEquals(List.of(), server.logLinesWith("Winnow failed"));
    } finally {
      server.kill();
    }
  }
}
