package io.winnow.hbase.read;

import org.apache.hadoop.hbase.io.hfile.CacheStats;

/** The judgement on the block cache of this JVM, for tests elsewhere. */
public final class CachePressureDoor {
  private CachePressureDoor() {}

  /** Forgets what earlier tests counted, as a server that has just started. */
  public static void begin() {
    CachePressure.OF_THIS_JVM.watch(new CacheStats("no cache yet"));
  }
}
