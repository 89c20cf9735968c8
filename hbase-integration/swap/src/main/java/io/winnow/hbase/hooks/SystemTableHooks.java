package io.winnow.hbase.hooks;

import io.winnow.hbase.settings.SystemTables;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Hook of a store that keeps the filter settings of hbase-site.xml away from HBase's own tables.
 */
public final class SystemTableHooks {
  private SystemTableHooks() {}

  /**
   * Returns the configuration that the settings of a table and its families override: the site's,
   * without its filter settings if the table is HBase's own. Called by {@code
   * StoreUtils.createStoreConfiguration}. Throws nothing.
   */
  public static Configuration below(Configuration site, TableDescriptor table) {
    return SystemTables.below(site, table);
  }
}
