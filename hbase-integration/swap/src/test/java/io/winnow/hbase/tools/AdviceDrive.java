package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsTable.json;
import static io.winnow.hbase.tools.ToolsTable.onlyFile;
import static io.winnow.hbase.tools.ToolsTable.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.winnow.hbase.AgentState;
import io.winnow.hbase.metrics.TestRegion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;

/**
 * Compares what {@code advise} says with the files that are then written; in the class loader of
 * the test, with seeds that are not drawn. Where they are, a bumped Ribbon filter of so few keys is
 * 1 % larger or smaller, by the keys that are bumped; and a quotient filter has one block more
 * where a run reaches over its end. Rows that several files have, and each kind of key.
 */
final class AdviceDrive {
  private AdviceDrive() {}

  /** The number of filters that were compared. */
  static String[] run(String directory) throws Exception {
    AgentState.activate(); // HBase's classes are woven in this class loader: convert asks
    int compared = 0;
    for (BloomType type :
        List.of(BloomType.ROW, BloomType.ROWCOL, BloomType.ROWPREFIX_FIXED_LENGTH)) {
      Path root = Path.of(directory).resolve(type.name());
      Path documents = Files.createDirectories(root.resolveSibling(type + "-json"));
      compared += compareConverted(root.resolve("converted"), documents, type);
      compared += compare(root.resolve("compacted"), documents, type);
    }
    Path documents = Files.createDirectories(Path.of(directory).resolve("json"));
    compared += storeOfManyFilesIsTheSumOfThem(Path.of(directory).resolve("many"), documents);
    compared += fileOfPrefixesNeedsNoTable(Path.of(directory).resolve("prefixes"), documents);
    return new String[] {"" + compared};
  }

  /** More files than are tried at once: each counts as it would alone. */
  private static int storeOfManyFilesIsTheSumOfThem(Path root, Path documents) throws Exception {
    try (TestRegion region = ToolsTable.region(root, ToolsTable.family(BloomType.ROW, Map.of()))) {
      Configuration conf = region.configuration();
      for (int i = 0; i < 10; i++) {
        put(region, 100 * i, 100 * i + 150 + 10 * i);
      }
      assertEquals(10, region.files().size());
      List<String> alone = new ArrayList<>();
      alone.add("advise");
      for (HStoreFile file : region.files()) {
        Path store = Files.createDirectories(documents.resolve("t/" + alone.size() + "/f"));
        Files.copy(ToolsTable.local(file.getPath()), store.resolve(file.getPath().getName()));
        alone.add(store.toString());
      }
      JsonNode together = json(documents, conf, Tool.DONE, "advise", "t");
      JsonNode apart = json(documents, conf, Tool.DONE, alone.toArray(String[]::new));
      assertEquals(10, apart.get("stores").asInt());
      assertEquals(apart.get("keys"), together.get("keys"));
      List<Choice> independent = // of the other files of the store
          List.of(Choice.BLOOM, Choice.BUMPED_RIBBON_BY_FILE, Choice.QUOTIENT);
      for (Choice choice : independent) {
        JsonNode lying = together.get("filtersAsFilesLie").get(choice.ordinal());
        JsonNode sum = apart.get("filters").get(choice.ordinal());
        assertEquals(sum.get("bytes"), lying.get("bytes"), choice.toString());
      }
      return independent.size();
    }
  }

  /** Files of prefixes say how long these are, wherever they lie. */
  private static int fileOfPrefixesNeedsNoTable(Path root, Path documents) throws Exception {
    try (TestRegion region =
        ToolsTable.region(root, ToolsTable.family(BloomType.ROWPREFIX_FIXED_LENGTH, Map.of()))) {
      Configuration conf = region.configuration();
      put(region, 0, 1000);
      JsonNode ofTable = json(documents, conf, Tool.DONE, "advise", "t");
      Path alone = Files.createDirectories(documents.resolve("a/b/c")).resolve("file");
      Files.copy(onlyFile(region), alone);
      JsonNode ofFile = json(documents, conf, Tool.DONE, "advise", alone.toString());
      assertEquals(ofTable.get("keys"), ofFile.get("keys"));
      for (Choice choice : Choice.values()) {
        assertEquals(
            ofTable.get("filters").get(choice.ordinal()).get("bytes"),
            ofFile.get("filters").get(choice.ordinal()).get("bytes"),
            choice.toString());
      }
      return Choice.values().length;
    }
  }

  /** A file that {@code convert} writes is the only one of its store. */
  private static int compareConverted(Path root, Path documents, BloomType type) throws Exception {
    try (TestRegion region = ToolsTable.region(root, ToolsTable.family(type, Map.of()))) {
      Configuration conf = region.configuration();
      put(region, 0, 5000);
      String stock = onlyFile(region).toString();
      JsonNode advice = json(documents, conf, Tool.DONE, "advise", "t");
      for (Choice choice : Choice.ofWinnow()) {
        JsonNode said = advice.get("filters").get(choice.ordinal());
        String to = documents.resolve(choice.name()).toString();
        String scope = choice.configuration.getOrDefault("winnow.error.rate.scope", "store");
        json(
            documents,
            conf,
            Tool.DONE,
            "convert",
            stock,
            to,
            "--filter",
            choice.filter(),
            "-Dwinnow.error.rate.scope=" + scope);
        JsonNode filter = json(documents, conf, Tool.DONE, "inspect", to).get(0).get("general");
        String what = choice + ": " + said + " then " + filter;
        assertEquals(filter.get("bytes").asLong(), said.get("bytes").asLong(), what);
        double estimated = filter.get("estimatedRate").asDouble();
        assertEquals(
            rateOfQuery(type, estimated),
            said.get("falseReadsPerAbsentGet").asDouble(),
            1e-9,
            what);
      }
      return Choice.ofWinnow().size();
    }
  }

  private static int compare(Path root, Path documents, BloomType type) throws Exception {
    try (TestRegion region = ToolsTable.region(root, ToolsTable.family(type, Map.of()))) {
      Configuration conf = region.configuration();
      put(region, 0, 6000);
      put(region, 5000, 8000);
      put(region, 8000, 9000);
      JsonNode advice = json(documents, conf, Tool.DONE, "advise", "t");
      JsonNode now =
          json(
              documents,
              conf,
              Tool.DONE,
              "inspect",
              root.resolve("data/default/t").toString(),
              "--verify");
      assertEquals(3, advice.get("files").asInt());
      double bytes = 0;
      double falseReads = 0;
      for (JsonNode file : now) {
        bytes += file.get("general").get("bytes").asDouble();
        falseReads += rateOfQuery(type, file.get("general").get("estimatedRate").asDouble());
      }
      assertEquals(bytes, advice.get("now").get("bytes").asDouble());
      assertEquals(
          falseReads,
          advice.get("now").get("falseReadsPerAbsentGet").asDouble(),
          0.02 * falseReads);
      JsonNode stockAgain = advice.get("filtersAsFilesLie").get(0);
      assertEquals(bytes, stockAgain.get("bytes").asDouble(), 16);

      for (Choice choice : Choice.values()) {
        ToolsTable.alter(root, region, ToolsTable.family(type, choice.configuration));
        region.region().compact(true);
        region.store().closeAndArchiveCompactedFiles();
        JsonNode then =
            json(documents, conf, Tool.DONE, "inspect", onlyFile(region).toString(), "--verify")
                .get(0);
        JsonNode said = advice.get("filters").get(choice.ordinal());
        JsonNode filter = then.get("general");
        String what = choice + ": " + said + " then " + filter;
        assertEquals(choice.filter(), filter.get("filter").asText());
        assertEquals(filter.get("bytes").asDouble(), said.get("bytes").asDouble(), 16, what);
        assertEquals(
            filter.get("keys").asDouble(), advice.get("keysAfterCompaction").asDouble(), what);
        double counted = then.get("verified").get("falsePositiveRate").asDouble();
        double probes = then.get("verified").get("absentKeysAsked").asDouble();
        double estimated = said.get("falseReadsPerAbsentGet").asDouble();
        double ofOneProbe = type == BloomType.ROWCOL ? 1 - Math.sqrt(1 - estimated) : estimated;
        assertTrue(probes > 500_000, what);
        assertEquals(
            ofOneProbe, counted, 0.1 * ofOneProbe + 5 * Math.sqrt(ofOneProbe / probes), what);
      }
    }
    return Choice.values().length;
  }

  private static double rateOfQuery(BloomType type, double ofProbe) {
    return type == BloomType.ROWCOL ? ofProbe * (2 - ofProbe) : ofProbe;
  }
}
