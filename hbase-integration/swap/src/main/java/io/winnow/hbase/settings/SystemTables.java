package io.winnow.hbase.settings;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what hbase-site.xml says about filters to the tables of users. HBase's own tables get the
 * stock filter, except where their own descriptor, the table's or the family's, names another one.
 *
 * <p>A store lays its table's and family's settings over the site's. For a system table, a layer
 * with the stock filter comes between, and marks the configuration: without the mark nobody knows
 * who asked, and then a system table's file gets the stock filter.
 */
public final class SystemTables {
  private static final Logger LOG = LoggerFactory.getLogger(SystemTables.class);

  private static final Map<String, String> BELOW_TABLE =
      Map.of(
          Setting.FILTER.key(),
          FilterChoice.BLOOM.label(),
          Setting.FILTER_FLUSH.key(),
          "", // as if they were not set
          Setting.FILTER_COMPACTION.key(),
          "",
          SystemFiles.MARK,
          "true");

  private SystemTables() {}

  /**
   * Asked by {@code StoreUtils.createStoreConfiguration}: what the table's and the family's
   * settings are laid over. Throws nothing.
   */
  public static Configuration below(Configuration site, TableDescriptor table) {
    try {
      return SystemFiles.isSystem(table.getTableName().getNameAsString())
          ? FamilyConfiguration.over(site, BELOW_TABLE)
          : site;
    } catch (Throwable e) { // whatever it is, the region has to open
      LOG.error("Cannot tell whether {} is a system table", table, e);
      return site;
    }
  }
}
