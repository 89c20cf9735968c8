package io.winnow.hbase.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Counters of the filters of one column family of one table, over all its regions that this JVM
 * serves or has served. They only rise. Thread-safe.
 */
public final class FamilyCounters {
  final TableName table;
  final byte[] family;

  /** The prefix of the names of the family's metrics, as HBase forms it. */
  public final String prefix;

  /** Number of Gets whose row lies between the first and the last row of a file. */
  public final LongAdder gets = new LongAdder();

  /** Number of filter answers <i>maybe</i> to Gets for keys that the files do not have. */
  public final LongAdder falsePositives = new LongAdder();

  /** Number of filter answers <i>maybe</i> to Gets for keys that the files have. */
  public final LongAdder truePositives = new LongAdder();

  /** The counters of the scans of a column family. */
  public final ScanCounters scans = new ScanCounters();

  private final Map<Fallback, LongAdder> fallbacks = new EnumMap<>(Fallback.class);

  /** Creates counters for the filters of a column family, all at zero. */
  public FamilyCounters(TableName table, byte[] family) {
    this.table = table;
    this.family = family.clone();
    this.prefix =
        "Namespace_"
            + table.getNamespaceAsString()
            + "_table_"
            + table.getQualifierAsString()
            + "_columnfamily_"
            + Bytes.toStringBinary(family)
            + "_metric_";
    for (Fallback reason : Fallback.values()) {
      fallbacks.put(reason, new LongAdder());
    }
  }

  boolean isOf(byte[] name) {
    return Bytes.equals(family, name);
  }

  /** Counts a store file that got the stock filter, though the settings select a Winnow filter. */
  public void countFallback(Fallback reason) {
    fallbacks.get(reason).increment();
  }

  /** Returns the number of store files that got the stock filter for a given reason. */
  public long fallbacks(Fallback reason) {
    return fallbacks.get(reason).sum();
  }
}
