package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsDoor.run;
import static io.winnow.hbase.tools.ToolsTable.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.tools.ToolsDoor.Ran;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How tools are called, and on which tables. */
class ToolsCallTest extends ToolsCase {
  @ParameterizedTest
  @ValueSource(strings = {"space:t", "t"})
  void tableHasItsNamespace(String name) throws Exception {
    try (TestRegion region =
        ToolsTable.region(root, name, ToolsTable.family(BloomType.ROW, Map.of()), Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 100);
      for (String tool : List.of("advise", "audit")) {
        assertEquals(1, json(conf, Tool.DONE, tool, name).get("files").asInt());
      }
      JsonNode plan = json(conf, Tool.DONE, "plan", "roll-out", name);
      assertEquals(name, plan.get("table").asText());
      assertTrue(
          plan.get("steps").get(2).get("command").asText().startsWith("alter '" + name + "', "),
          plan.toString());
    }
  }

  @Test
  void settingMayStandAnywhere() throws Exception {
    try (TestRegion region = region(Map.of())) {
      put(region, 0, 10);
      Configuration bare = new Configuration(false);
      String setting = "hbase.rootdir=" + root.toUri();
      for (String[] args :
          new String[][] {
            {"audit", "-D", setting, "t"},
            {"audit", "t", "-D", setting},
            {"audit", "t", "-D" + setting}
          }) {
        Ran ran = run(bare, args);
        assertEquals(Tool.DONE, ran.code(), ran.toString());
        assertTrue(ran.out().startsWith("Nothing is left to do: each file has "), ran.out());
      }
    }
  }

  @Test
  void emptyTableIsNoFailureOfAudit() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      assertTrue(json(conf, Tool.DONE, "audit", "t").get("nothingLeft").asBoolean());
      assertEquals(Tool.DONE, run(conf, "plan", "roll-out", "t").code());
      Ran ran = run(conf, "advise", "t");
      assertEquals(Tool.FAILED, ran.code());
      assertTrue(ran.err().contains("t, f has no store file with rows"), ran.err());
    }
  }

  /** The keys changed, and so the old files' filters are not what is asked for. */
  @Test
  void filterOfOtherKeysIsNotAsAsked() throws Exception {
    try (TestRegion region = region(Map.of())) {
      Configuration conf = region.configuration();
      put(region, 0, 100);
      ToolsTable.alter(root, region, ToolsTable.family(BloomType.ROWCOL, Map.of()));
      JsonNode audit = json(conf, Tool.FOUND, "audit", "t");
      assertEquals("bloom of ROW", audit.get("groups").get(0).get("filter").asText());
      assertEquals("bloom of ROWCOL", audit.get("groups").get(0).get("asked").asText());
      region.region().compact(true);
      region.store().closeAndArchiveCompactedFiles();
      assertEquals(
          "bloom", json(conf, Tool.DONE, "audit", "t").get("groups").get(0).get("filter").asText());
    }
  }

  /** Nothing is read for options that cannot be met. */
  @Test
  void wrongOptionsAreFoundFirst() throws Exception {
    Configuration conf = new Configuration(false);
    for (String[] args :
        new String[][] {
          {"advise", "t", "--sample", "0"},
          {"advise", "t", "--block-cache", "much"},
          {"advise", "t", "--block-cache", "0"},
          {"advise", "t", "--memory", "0"},
          {"advise", "t", "--false-reads", "0.9"},
          {"advise", "t", "--memory", "0.5", "--false-reads", "0.1"},
          {"advise", "t", "--all"},
          {"advise", "--all", "--memory", "0.5"},
          {"audit", "t", "--all"},
          {"audit", "t", "--minutes", "5"},
          {"convert", "a", "b", "--filter", "none", "--block-size", "0"},
          {"plan", "roll-over", "t"},
        }) {
      Ran ran = run(conf, args);
      assertEquals(Tool.WRONG_USAGE, ran.code(), ran.toString());
      assertEquals(2, ran.err().lines().count(), ran.err());
    }
    for (String tool : List.of("advise", "audit", "inspect")) {
      Ran ran = run(conf, tool, "t", "--json", elsewhere + "/nosuch/file");
      assertEquals(Tool.FAILED, ran.code());
      assertTrue(ran.err().contains("there is no such directory"), ran.err());
    }
  }
}
