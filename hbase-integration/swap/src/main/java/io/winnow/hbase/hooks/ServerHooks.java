package io.winnow.hbase.hooks;

import io.winnow.hbase.metrics.WinnowSource;
import io.winnow.hbase.settings.MemoryLimit;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hook of a region server that starts, by which Winnow publishes metrics. Throws nothing into
 * HBase.
 */
public final class ServerHooks {
  private static final Logger LOG = LoggerFactory.getLogger(ServerHooks.class);

  private ServerHooks() {}

  /**
   * Publishes the metrics of a region server from now on, and takes the memory limit of filters
   * under construction from the server's configuration. Called by the constructor of {@code
   * MetricsRegionServerWrapperImpl}.
   */
  public static void starts(HRegionServer server) {
    try {
      MemoryLimit.serverStarts(server.getConfiguration());
    } catch (Throwable e) {
      LOG.warn(
          "Cannot read the memory limit of filters: the first file that is written sets it", e);
    }
    try {
      WinnowSource.add(server);
    } catch (Throwable e) {
      LOG.warn("Cannot publish Winnow's metrics of this server", e);
    }
  }
}
