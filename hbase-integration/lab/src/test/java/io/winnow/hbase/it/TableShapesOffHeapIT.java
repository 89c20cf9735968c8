package io.winnow.hbase.it;

import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.hbase.HConstants;
import org.junit.jupiter.api.Tag;

/** Under a BucketCache outside of the heap. */
@Tag("long")
class TableShapesOffHeapIT extends TableShapes {
  TableShapesOffHeapIT() {
    super("off-heap");
  }

  @Override
  Map<String, String> cache(Path directory) {
    return Map.of(
        HConstants.BUCKET_CACHE_IOENGINE_KEY, "offheap", HConstants.BUCKET_CACHE_SIZE_KEY, "64");
  }

  @Override
  String traceOfTheCache() {
    return "ioengine=offheap";
  }
}
