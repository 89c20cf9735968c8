package io.winnow.hbase.dedup.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Number of calls to servers that the HBase clients in this JVM have made, from HBase's own
 * counters.
 */
final class Calls {
  /** Name of the setting that makes HBase's client count its calls. */
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
      throw new IOException("HBase's client does not report how many calls it made", e);
    }
    return sum;
  }
}
