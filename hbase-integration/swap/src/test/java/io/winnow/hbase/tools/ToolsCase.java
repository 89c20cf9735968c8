package io.winnow.hbase.tools;

import com.fasterxml.jackson.databind.JsonNode;
import io.winnow.hbase.metrics.TestRegion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.io.TempDir;

/** Tools on the files of a region, under a root of its own; and a directory beside it. */
abstract class ToolsCase {
  /** The name of a region that a test makes by hand. */
  static final String REGION = "0123456789abcdef0123456789abcdef";

  @TempDir Path root;
  @TempDir Path elsewhere;

  /** The document of a tool that ends with this code. */
  final JsonNode json(Configuration conf, int code, String... args)
      throws IOException, InterruptedException {
    return ToolsTable.json(elsewhere, conf, code, args);
  }

  /** The region of the table {@code t}, whose filters have rows as keys. */
  final TestRegion region(Map<String, String> settings) throws IOException {
    return ToolsTable.region(root, ToolsTable.family(BloomType.ROW, settings));
  }

  /** Where a table's regions are. */
  final Path table(String name) {
    return root.resolve("data/default").resolve(name);
  }
}
