package io.winnow.hbase.it;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** Under the cache that HBase has if nobody says: on the heap alone. */
@Tag("table-life")
class TableShapesOnHeapIT extends TableShapes {
  TableShapesOnHeapIT() {
    super("on-heap");
  }

  @Override
  Map<String, String> cache(Path directory) {
    return Map.of();
  }

  @Override
  String traceOfTheCache() {
    return null;
  }
}
