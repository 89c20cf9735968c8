package io.winnow.hbase.hooks;

import io.winnow.hbase.page.PageWarmUp;
import io.winnow.hbase.page.WinnowServlet;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hook of a region server that adds the page {@code /winnow} to its web pages. Throws nothing into
 * HBase.
 */
public final class PageHooks {
  private static final Logger LOG = LoggerFactory.getLogger(PageHooks.class);

  private PageHooks() {}

  /**
   * Adds the page {@code /winnow} to the web pages of a region server. Called by {@code
   * HRegionServer.configureInfoServer}. The page shows values of {@code /jmx}, so the same people
   * may see both: {@link WinnowServlet} makes the same checks.
   */
  public static void putsUpPages(HRegionServer server) {
    try {
      server
          .getInfoServer()
          .addPrivilegedServlet("winnow", WinnowServlet.PATH, WinnowServlet.class);
    } catch (Throwable e) {
      LOG.warn("There is no page {} in this server's web UI", "/winnow", e);
      return;
    }
    try {
      PageWarmUp.begin(server);
    } catch (Throwable e) {
      LOG.debug("The first request of {} takes longer", "/winnow", e);
    }
  }
}
