package io.winnow.hbase.metrics;

import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a woven region server tells. Nothing is thrown into HBase. */
public final class ServerHooks {
  private static final Logger LOG = LoggerFactory.getLogger(ServerHooks.class);

  private ServerHooks() {}

  /** A region server is being made: its metrics are to be told from now on. */
  public static void starts(HRegionServer server) {
    try {
      WinnowSource.tell(server);
    } catch (Throwable e) {
      LOG.warn("Winnow's metrics are not told by this server", e);
    }
  }
}
