package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.WorkloadException;

class TurnTest {

  /** Answers every read with no row at all. */
  private static class LostTable extends DB implements BatchReads {
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

  private static List<Turn.Operation> operations(
      ReadWorkload workload, Properties properties, DB table) throws WorkloadException {
    Object state = workload.initThread(properties, 0, 1);
    return List.of(() -> workload.doTransaction(table, state));
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
            () ->
                new Turn(workload::rows, new Turn.Manner(3_600, 0, null))
                    .run(operations(workload, properties, new LostTable()), null));
    assertTrue(e.getMessage().contains("returned something wrong"), e.getMessage());
    assertTrue(System.nanoTime() - start < 3_600_000_000_000L, "without the warm-up's end");
  }

  /** Gives every row that is asked for, and halts once. */
  private static final class SlowTable extends LostTable {
    private static final long HALT_MILLIS = 200;
    private final AtomicInteger left;

    SlowTable(int reads) {
      left = new AtomicInteger(reads);
    }

    @Override
    public Status batchRead(
        String table, List<String> keys, Set<String> fields, List<Map<String, ByteIterator>> rows) {
      if (left.decrementAndGet() == 0) {
        try {
          TimeUnit.MILLISECONDS.sleep(HALT_MILLIS);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return super.batchRead(table, keys, fields, rows);
    }
  }

  /** What comes while a table halts waits too: in a closed loop, one operation alone would. */
  @Test
  void latencyAtAFixedRateCountsFromWhenAnOperationIsDue() throws Exception {
    Properties properties = new Properties();
    properties.setProperty("recordcount", "1000");
    properties.setProperty(ReadWorkload.ABSENT, "1");
    ReadWorkload workload = new ReadWorkload();
    workload.init(properties);
    SlowTable table = new SlowTable(Integer.MAX_VALUE);
    Turn.Outcome outcome =
        new Turn(workload::rows, new Turn.Manner(1, 1000, null))
            .run(
                operations(workload, properties, table),
                new StillServers(
                    () -> {
                      table.left.set(100);
                      return ServerCounters.NONE;
                    }));
    Histogram latencies = outcome.latencies();
    assertEquals(1000, latencies.getTotalCount(), "all that were due in a second");
    long late =
        latencies.getCountBetweenValues(
            TimeUnit.MILLISECONDS.toNanos(SlowTable.HALT_MILLIS / 4), latencies.getMaxValue());
    assertTrue(late >= 100, late + " of those that were due in 0.2 seconds waited");
    assertTrue(latencies.getMaxValue() >= TimeUnit.MILLISECONDS.toNanos(SlowTable.HALT_MILLIS));
  }

  @Test
  void whatGoesOnMeanwhileSaysHowLongATurnIsMeasured() throws Exception {
    Properties properties = new Properties();
    properties.setProperty("recordcount", "1000");
    properties.setProperty(ReadWorkload.ABSENT, "1");
    ReadWorkload workload = new ReadWorkload();
    workload.init(properties);
    long[] rows = new long[1];
    Turn.Meanwhile meanwhile =
        () -> {
          long before = workload.counts().misses();
          while (workload.counts().misses() < before + 10_000) {
            LockSupport.parkNanos(1_000_000);
          }
          rows[0] = workload.counts().misses() - before;
        };
    Turn.Outcome outcome =
        new Turn(workload::rows, new Turn.Manner(0.2, 0, meanwhile))
            .run(
                operations(workload, properties, new SlowTable(Integer.MAX_VALUE)),
                new StillServers(() -> ServerCounters.NONE));
    assertTrue(outcome.rows() >= rows[0] && rows[0] >= 10_000, outcome.rows() + " rows");
  }
}
