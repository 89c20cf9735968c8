package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The operator's tools on a real HDFS. In the profile {@code broken-cluster}. */
@Tag("broken-cluster")
@Isolated // from the other class of the profile
class ToolsOnHdfsIT {
  private static final int ROWS = 5000;

  private static BrokenCluster cluster;
  private static java.nio.file.Path directory;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    directory = TestServer.emptyDirectory("tools-on-hdfs");
    cluster = BrokenCluster.start(directory);
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static byte[] bytes(Path file) throws IOException {
    try (FSDataInputStream in = cluster.hdfs().open(file)) {
      return in.readAllBytes();
    }
  }

  private static String filter(JsonNode inspected) {
    return inspected.get(0).get("general").get("filter").asText();
  }

  /** By a table's name, by an address, and by a path: that one is where hbase.rootdir is. */
  @Test
  void filesAreReadAndWrittenThere() throws Exception {
    TableName table = cluster.create("orders", "bloom", Map.of());
    try (Traffic traffic = cluster.traffic(table)) {
      traffic.write(ROWS);
    }
    cluster.flush(table);
    Path file = cluster.hdfs().makeQualified(cluster.onlyFile(table));
    assertEquals("hdfs", file.toUri().getScheme());
    String path = file.toUri().getPath();

    for (String named : new String[] {table.getNameAsString(), file.toString(), path}) {
      JsonNode advice = cluster.tool(0, "advise", named);
      assertEquals(1, advice.get("files").asInt(), named);
      assertEquals(ROWS, advice.get("keys").asInt(), named);
    }
    assertEquals(0, cluster.tool(0, "audit", "--all").get("unreadable").size());
    assertEquals("orders", cluster.tool(0, "plan", "roll-out", "orders").get("table").asText());

    String converted = "/converted/" + file.getName();
    cluster.tool(0, "convert", path, converted, "--filter", "bumped-ribbon");
    JsonNode verified = cluster.tool(0, "inspect", "--verify", converted);
    assertEquals("bumped-ribbon", filter(verified));
    assertEquals(0, verified.get(0).get("verified").get("denied").asInt());
    assertEquals(ROWS, verified.get(0).get("verified").get("keys").asInt());

    cluster.tool(0, "convert", converted, "/converted/back", "--filter", "bloom");
    java.nio.file.Path local = directory.resolve("local");
    cluster.tool(0, "convert", converted, "file://" + local, "--filter", "bloom");
    assertArrayEquals(bytes(file), bytes(new Path("/converted/back")));
    assertArrayEquals(bytes(file), Files.readAllBytes(local));
    assertEquals(2, cluster.hdfs().listStatus(new Path("/converted")).length);
    assertTrue(cluster.hdfs().exists(file));
  }
}
