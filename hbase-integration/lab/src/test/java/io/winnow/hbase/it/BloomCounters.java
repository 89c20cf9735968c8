package io.winnow.hbase.it;

import io.winnow.hbase.standalone.JvmBeans;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.management.AttributeNotFoundException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.hadoop.hbase.TableName;

/**
 * HBase's own counters of a table's filters, as it shows them through JMX.
 *
 * @param requests questions to a filter
 * @param negatives those answered with no
 * @param eligible questions that a filter could have answered, had the file one
 */
record BloomCounters(long requests, long negatives, long eligible) {

  /** The counters, which lag behind by a second or two. */
  static Map<TableName, BloomCounters> of(ProcessHandle server, Set<TableName> tables)
      throws IOException, InterruptedException {
    try (JvmBeans beans = JvmBeans.of(server)) {
      Map<TableName, BloomCounters> counters = new LinkedHashMap<>();
      for (TableName table : tables) {
        counters.put(
            table,
            new BloomCounters(
                counter(beans, table, "bloomFilterRequestsCount"),
                counter(beans, table, "bloomFilterNegativeResultsCount"),
                counter(beans, table, "bloomFilterEligibleRequestsCount")));
      }
      return counters;
    } catch (JMException e) {
      throw new IOException("cannot read the counters of " + tables, e);
    }
  }

  private static long counter(JvmBeans beans, TableName table, String counter)
      throws IOException, JMException, InterruptedException {
    String attribute =
        "Namespace_%s_table_%s_metric_%s"
            .formatted(table.getNamespaceAsString(), table.getQualifierAsString(), counter);
    for (int second = 0; ; second++) {
      try {
        return (long) beans.connection().getAttribute(TABLES, attribute);
      } catch (InstanceNotFoundException | AttributeNotFoundException e) {
        // HBase takes its beans away when regions come and go.
        if (second == TestServer.PATIENCE_SECONDS) {
          throw e;
        }
        TimeUnit.SECONDS.sleep(1);
      }
    }
  }

  private static final ObjectName TABLES = tables();

  private static ObjectName tables() {
    try {
      return new ObjectName("Hadoop:service=HBase,name=RegionServer,sub=Tables");
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  BloomCounters since(BloomCounters before) {
    return new BloomCounters(
        requests - before.requests, negatives - before.negatives, eligible - before.eligible);
  }
}
