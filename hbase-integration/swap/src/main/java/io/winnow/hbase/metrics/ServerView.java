package io.winnow.hbase.metrics;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.regionserver.HRegion;

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
    metrics.writeTo(
        (name, meaning, value, isCounter) -> {
          view.values.put(name, value);
          view.meanings.put(name, meaning);
        },
        () -> regions);
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
}
