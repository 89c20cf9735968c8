package io.winnow.hbase.metrics;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsTag;

/**
 * The open regions of this JVM's region servers and the values of Winnow's metrics, for the page
 * {@code /winnow}. JMX shows the same values, which may be some seconds old. Immutable.
 */
public final class ServerView {

  /** The regions that are open in this JVM. */
  public final Collection<HRegion> regions;

  private final Map<String, Long> values = new LinkedHashMap<>();
  private final Map<String, String> meanings = new HashMap<>();

  private ServerView(Collection<HRegion> regions) {
    this.regions = regions;
  }

  /** Returns the open regions and the values of Winnow's metrics at this moment. */
  public static ServerView now() {
    return of(WinnowSource.METRICS, WinnowSource.regions());
  }

  static ServerView of(ServerMetrics metrics, Collection<HRegion> regions) {
    ServerView view = new ServerView(regions);
    metrics.writeTo(view.new Taker(), () -> regions);
    return view;
  }

  /**
   * Returns the value of a metric that {@code docs/metrics.md} lists; 0 if there is none of this
   * name.
   */
  public long value(String name) {
    return values.getOrDefault(name, 0L);
  }

  /** Returns the values of all metrics by name, in the order of publication. */
  public Map<String, Long> values() {
    return Collections.unmodifiableMap(values);
  }

  /**
   * Returns the meaning of a metric, in a sentence; null if there is no metric of the given name.
   */
  public String meaning(String name) {
    return meanings.get(name);
  }

  /** Returns Winnow's version. */
  public static String version() {
    return ServerMetrics.version();
  }

  /**
   * A record of Hadoop's metrics system that only keeps the values and the meanings written into
   * it.
   */
  private final class Taker extends MetricsRecordBuilder {
    private MetricsRecordBuilder take(MetricsInfo info, long value) {
      values.put(info.name(), value);
      meanings.put(info.name(), info.description());
      return this;
    }

    @Override
    public MetricsRecordBuilder addCounter(MetricsInfo info, int value) {
      return take(info, value);
    }

    @Override
    public MetricsRecordBuilder addCounter(MetricsInfo info, long value) {
      return take(info, value);
    }

    @Override
    public MetricsRecordBuilder addGauge(MetricsInfo info, int value) {
      return take(info, value);
    }

    @Override
    public MetricsRecordBuilder addGauge(MetricsInfo info, long value) {
      return take(info, value);
    }

    @Override
    public MetricsRecordBuilder addGauge(MetricsInfo info, float value) {
      return take(info, (long) value);
    }

    @Override
    public MetricsRecordBuilder addGauge(MetricsInfo info, double value) {
      return take(info, (long) value);
    }

    @Override
    public MetricsRecordBuilder tag(MetricsInfo info, String value) {
      return this; // no number
    }

    @Override
    public MetricsRecordBuilder add(MetricsTag tag) {
      return this;
    }

    @Override
    public MetricsRecordBuilder add(AbstractMetric metric) {
      return this;
    }

    @Override
    public MetricsRecordBuilder setContext(String context) {
      return this;
    }

    @Override
    public MetricsCollector parent() {
      return null;
    }
  }
}
