package io.winnow.hbase.hooks;

import io.winnow.hbase.settings.SystemTables;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** The hook of a store that lays its settings over the site's. */
public final class SystemTableHooks {
  private SystemTableHooks() {}

  /**
   * Returns the configuration over which a store lays the values of its table and family, for
   * {@code StoreUtils.createStoreConfiguration}. Throws nothing.
   */
  public static Configuration below(Configuration site, TableDescriptor table) {
    return SystemTables.below(site, table);
  }
}
