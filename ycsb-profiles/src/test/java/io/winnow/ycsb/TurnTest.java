package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

class TurnTest {

  /** Answers every read with no row at all. */
  private static final class LostTable extends DB implements BatchReads {
    @Override
    public Status batchRead(
        String table, List<String> keys, Set<String> fields, List<Map<String, ByteIterator>> rows) {
      keys.forEach(key -> rows.add(Map.of()));
      return Status.OK;
    }

    @Override
    public Status read(
        String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
      return Status.NOT_FOUND;
    }

    @Override
    public Status scan(
        String table,
        String startKey,
        int count,
        Set<String> fields,
        Vector<HashMap<String, ByteIterator>> result) {
      return Status.OK;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
      return Status.OK;
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
      return Status.OK;
    }

    @Override
    public Status delete(String table, String key) {
      return Status.OK;
    }
  }

  @Test
  void aLostRowEndsTheTurnAtOnce() throws Exception {
    Properties properties = new Properties();
    properties.setProperty("recordcount", "1000");
    ReadWorkload workload = new ReadWorkload();
    workload.init(properties);
    long start = System.nanoTime();
    WrongReadException e =
        assertThrows(
            WrongReadException.class,
            () -> Turn.run(workload, properties, List.of(new LostTable()), 3_600, null));
    assertTrue(e.getMessage().contains("brought back"), e.getMessage());
    assertTrue(System.nanoTime() - start < 3_600_000_000_000L, "without the warm-up's end");
  }
}
