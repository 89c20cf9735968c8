package io.winnow.hbase.hooks;

import io.winnow.hbase.settings.SystemTables;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hook of a store that keeps the filter settings of hbase-site.xml away from HBase's own tables.
 */
public final class SystemTableHooks {
  private static final Logger LOG = LoggerFactory.getLogger(SystemTableHooks.class);

  private SystemTableHooks() {}

  /**
   * Returns the configuration that the settings of a table and its families override: the site's,
   * without its filter settings if the table is HBase's own. Called by {@code
   * StoreUtils.createStoreConfiguration}. Throws nothing.
   */
  public static Configuration below(Configuration site, TableDescriptor table) {
    try {
      return SystemTables.below(site, table);
    } catch (Throwable e) { // the region must open, whatever happens
      try {
        LOG.error(
            "Cannot check whether {} is a system table: it gets the settings of hbase-site.xml",
            table,
            e);
      } catch (Throwable again) {
        // The region matters more than the line.
      }
      return site;
    }
  }
}
