package io.winnow.ycsb;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;

/**
 * The cost of a major compaction, from the request until there is one store file per region.
 *
 * @param wallNanos time until it was seen to be complete, which is checked every 20 ms
 * @param cpuNanos CPU time of the region servers' processes, with garbage collection
 */
record Compaction(long wallNanos, long cpuNanos) {
  private static final long POLL_MILLIS = 20;
  private static final long PATIENCE_SECONDS = 3_600;

  /** Compacts a table that has more than one store file per region, and measures the cost. */
  static Compaction run(Deployment deployment, TableName table)
      throws IOException, InterruptedException {
    try (Admin admin = deployment.connection().getAdmin()) {
      ServerCounters before = deployment.counters();
      long start = System.nanoTime();
      admin.majorCompact(table);
      while (files(admin, table) > regions(admin, table)
          || admin.getCompactionState(table) != CompactionState.NONE) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
          throw new IOException(
              table + " was not compacted within " + PATIENCE_SECONDS + " seconds");
        }
      }
      long wall = System.nanoTime() - start;
      return new Compaction(wall, deployment.counters().since(before).cpuNanos());
    }
  }

  private static int regions(Admin admin, TableName table) throws IOException {
    return admin.getRegions(table).size();
  }

  /** Returns the number of store files in all regions of a table. */
  static int files(Admin admin, TableName table) throws IOException {
    int files = 0;
    for (ServerName server : admin.getRegionServers()) {
      for (RegionMetrics region : admin.getRegionMetrics(server, table)) {
        files += region.getStoreFileCount();
      }
    }
    return files;
  }
}
