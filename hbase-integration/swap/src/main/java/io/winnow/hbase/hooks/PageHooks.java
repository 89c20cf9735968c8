package io.winnow.hbase.hooks;

import io.winnow.hbase.page.PageWarmUp;
import io.winnow.hbase.page.WinnowServlet;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a woven region server calls to have our page. Nothing is thrown into HBase. */
public final class PageHooks {
  private static final Logger LOG = LoggerFactory.getLogger(PageHooks.class);

  private PageHooks() {}

  /**
   * The server puts up its web pages. Ours shows values of {@code /jmx}, so whoever may see that
   * may see ours; {@link WinnowServlet} asks what that page asks.
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
      LOG.debug("The first answer of {} takes longer", "/winnow", e);
    }
  }
}
