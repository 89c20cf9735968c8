package io.winnow.hbase.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What is known of the filters of one column family of one table, all its regions that this JVM
 * serves or has served. Only ever rises. Thread-safe.
 */
public final class FamilyCounters {
  private final byte[] family;
  private final String prefix;
  private final LongAdder falsePositives = new LongAdder();
  private final LongAdder truePositives = new LongAdder();
  private final ScanCounters scans = new ScanCounters();
  private final Map<Fallback, LongAdder> fallbacks = new EnumMap<>(Fallback.class);

  public FamilyCounters(TableName table, byte[] family) {
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

  /** What stands in front of the names of this family's metrics, in HBase's way. */
  public String prefix() {
    return prefix;
  }

  boolean isOf(byte[] name) {
    return Bytes.equals(family, name);
  }

  /** The filter said maybe, and the file has the key. */
  public void countTruePositive() {
    truePositives.increment();
  }

  /** The filter said maybe, and the file does not have the key. */
  public void countFalsePositive() {
    falsePositives.increment();
  }

  /** A file of the family got the stock filter in place of ours. */
  public void countFallback(Fallback reason) {
    fallbacks.get(reason).increment();
  }

  /** Files of the family that got the stock filter for this reason. */
  public long fallbacks(Fallback reason) {
    return fallbacks.get(reason).sum();
  }

  /** What its scans came to. */
  public ScanCounters scans() {
    return scans;
  }

  public long falsePositives() {
    return falsePositives.sum();
  }

  public long truePositives() {
    return truePositives.sum();
  }
}
