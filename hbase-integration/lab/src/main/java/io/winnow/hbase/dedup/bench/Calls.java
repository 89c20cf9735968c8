package io.winnow.hbase.dedup.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** How many calls to servers the HBase clients in this JVM have made: HBase's own counters. */
final class Calls {
  /** The setting that has HBase count. */
  static final String ENABLED = "hbase.client.metrics.enable";

  private static final String COUNTER = "rpcCount_ClientService_";

  private Calls() {}

  static long made() throws IOException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    long sum = 0;
    try {
      for (ObjectName name : beans.queryNames(ObjectName.WILDCARD, null)) {
        if (name.getCanonicalName().contains(COUNTER)) {
          sum += ((Number) beans.getAttribute(name, "Count")).longValue();
        }
      }
    } catch (JMException e) {
      throw new IOException("HBase's client does not tell how many calls it made", e);
    }
    return sum;
  }
}
