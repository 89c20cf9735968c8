package io.winnow.hbase.it;

import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.hbase.HConstants;
import org.junit.jupiter.api.Tag;

/** Under a BucketCache in a file. */
@Tag("table-life")
class TableShapesOnFileIT extends TableShapes {
  TableShapesOnFileIT() {
    super("on-file");
  }

  @Override
  Map<String, String> cache(Path directory) {
    return Map.of(
        HConstants.BUCKET_CACHE_IOENGINE_KEY,
        "file:" + directory.resolve("blocks"),
        HConstants.BUCKET_CACHE_SIZE_KEY,
        "64");
  }

  @Override
  String traceOfTheCache() {
    return "ioengine=file:";
  }
}
