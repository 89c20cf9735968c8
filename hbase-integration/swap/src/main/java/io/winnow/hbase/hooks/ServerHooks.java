package io.winnow.hbase.hooks;

import io.winnow.hbase.metrics.WinnowSource;
import io.winnow.hbase.settings.MemoryLimit;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a woven region server tells. Nothing is thrown into HBase. */
public final class ServerHooks {
  private static final Logger LOG = LoggerFactory.getLogger(ServerHooks.class);

  private ServerHooks() {}

  /**
   * A region server is being made: its metrics are to be told from now on, and its configuration
   * holds for all.
   */
  public static void starts(HRegionServer server) {
    try {
      MemoryLimit.serverStarts(server.getConfiguration());
    } catch (Throwable e) {
      LOG.warn("The first file that is written says what memory filters may take", e);
    }
    try {
      WinnowSource.add(server);
    } catch (Throwable e) {
      LOG.warn("Winnow's metrics are not told by this server", e);
    }
  }
}
