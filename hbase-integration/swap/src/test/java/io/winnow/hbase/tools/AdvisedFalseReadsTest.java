package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsTable.put;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.winnow.hbase.metrics.TestRegion;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** The unnecessary file reads that {@code advise} computes are those that Gets then make. */
class AdvisedFalseReadsTest extends ToolsCase {
  private static final int GETS = 20_000;

  /** So that few Gets tell a rate well. */
  private static final String RATE = "0.2";

  @Test
  void getsReadAsManyFilesUnnecessarilyAsWasSaid() throws Exception {
    Map<String, String> settings = Map.of("io.storefile.bloom.error.rate", RATE);
    BlockCache cache = BlockCacheFactory.createBlockCache(new Configuration());
    try (TestRegion region =
        new TestRegion(root, "t", ToolsTable.family(BloomType.ROW, settings), Map.of(), cache)) {
      Configuration conf = region.configuration();
      ToolsTable.describe(root, conf, region.descriptor());
      put(region, 0, 9_000);
      put(region, 8_000, 14_000);
      put(region, 14_000, 16_500);
      JsonNode advice = json(conf, Tool.DONE, "advise", "t");
      assertSaid("now", advice.get("now"), region);
      for (Choice choice : Choice.values()) {
        Map<String, String> all = new HashMap<>(settings);
        all.putAll(choice.configuration);
        ToolsTable.alter(root, region, ToolsTable.family(BloomType.ROW, all));
        region.region().compact(true);
        region.store().closeAndArchiveCompactedFiles();
        assertEquals(1, region.files().size());
        assertSaid(choice.name(), advice.get("filters").get(choice.ordinal()), region);
      }
    }
  }

  private static void assertSaid(String what, JsonNode said, TestRegion region) throws Exception {
    double expected = said.get("falseReadsPerAbsentGet").asDouble();
    long before = region.falsePositives();
    for (int i = 0; i < GETS; i++) {
      byte[] absent = Bytes.add(ToolsTable.row(i % 16_500), Bytes.toBytes("-" + i));
      region.region().get(new Get(absent));
    }
    double counted = (region.falsePositives() - before) / (double) GETS;
    // Five sigma, and 4 Gets, as small counts are skewed: (5^2 - 1) / 6.
    double chance = 5 * Math.sqrt(expected / GETS) + 4.0 / GETS;
    assertEquals(expected, counted, 0.1 * expected + chance, what);
  }
}
