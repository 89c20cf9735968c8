package io.winnow.hbase.metrics;

import io.winnow.hbase.agent.WovenFactory;
import java.util.Collection;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.HRegion;

/** What a server with these regions would tell, for tests elsewhere. */
public final class ServerViewDoor {
  static {
    WovenFactory.install(); // before anything looks at the scanner
  }

  private ServerViewDoor() {}

  public static ServerView of(Collection<HRegion> regions) {
    return ServerView.of(new ServerMetrics(), regions);
  }

  /** As if a filter had let a file through unnecessarily. */
  public static void countFalseRead(TableName table, byte[] family) {
    Families.of(table, family).falsePositives.increment();
  }

  /** Counts reloads of evicted chunks, and skipped loads, that never were. */
  public static void countReloads(int loads, int skips) {
    ServerMetric.CHUNK_RELOADS.add(loads);
    ServerMetric.LOADS_SKIPPED.add(skips);
  }
}
