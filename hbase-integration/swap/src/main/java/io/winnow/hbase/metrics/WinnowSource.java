package io.winnow.hbase.metrics;

import io.winnow.hbase.RepeatedLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.hadoop.hbase.metrics.BaseSourceImpl;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Winnow's source in HBase's metrics system: one record, which JMX shows as the bean {@value
 * #BEAN}.
 *
 * <p>A JVM has one, for all region servers in it; servers that are gone are left out. Thread-safe.
 */
public final class WinnowSource extends BaseSourceImpl {
  private static final Logger LOG = LoggerFactory.getLogger(WinnowSource.class);

  static final String BEAN = "Hadoop:service=HBase,name=RegionServer,sub=Winnow";

  static final ServerMetrics METRICS = new ServerMetrics();

  private static final Set<HRegionServer> SERVERS =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private static boolean isRegistered;

  private static final Failures FAILURES =
      new Failures(
          LOG::warn,
          "Winnow's metrics are not complete. Later failures are not logged",
          null,
          RepeatedLog.once());

  private WinnowSource() {
    // The super constructor also registers the source.
    super("Winnow", "The filters of this region server", "regionserver", "RegionServer,sub=Winnow");
  }

  /**
   * Adds the open files of a region server to those whose filters the metrics count, from now on.
   */
  public static synchronized void add(HRegionServer server) {
    SERVERS.add(server);
    if (!isRegistered) {
      isRegistered = true;
      new WinnowSource();
      new FamilySource();
      LOG.info("Winnow {} publishes its metrics as {}", ServerMetrics.version(), BEAN);
    }
  }

  /**
   * Source of a record for each column family, with its names as tags. Prometheus makes labels of
   * them; JMX has the same values in {@value #BEAN}, under names that begin with the family's.
   */
  private static final class FamilySource extends BaseSourceImpl {
    FamilySource() {
      super(
          "WinnowFamily",
          "The filters of each column family",
          "regionserver",
          "RegionServer,sub=WinnowFamily");
    }

    @Override
    public void getMetrics(MetricsCollector collector, boolean all) {
      try {
        METRICS.writeFamilies(
            () -> {
              MetricsRecordBuilder record = collector.addRecord(getMetricsName());
              getMetricsRegistry().snapshot(record, all);
              return record;
            },
            WinnowSource::regions);
      } catch (Throwable e) {
        FAILURES.report(e);
      }
    }
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    try {
      MetricsRecordBuilder record = collector.addRecord(getMetricsName());
      getMetricsRegistry().snapshot(record, all); // the context and the host
      METRICS.writeTo(record, WinnowSource::regions);
    } catch (Throwable e) { // a failure would end the timer that all of HBase's metrics share
      FAILURES.report(e);
    }
  }

  /** Returns all regions that are open in this JVM. */
  static Collection<HRegion> regions() {
    List<HRegion> regions = new ArrayList<>();
    synchronized (SERVERS) {
      SERVERS.forEach(server -> regions.addAll(server.getOnlineRegionsLocalContext()));
    }
    return regions;
  }
}
