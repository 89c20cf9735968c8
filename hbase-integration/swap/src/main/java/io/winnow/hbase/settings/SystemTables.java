package io.winnow.hbase.settings;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Layer of configuration that keeps the filter settings of hbase-site.xml away from HBase's own
 * tables. They get the stock filter and no key segments, unless their own descriptor, the table's
 * or the family's, sets another one.
 *
 * <p>A store lays the settings of its table and family over those of the site. For a system table,
 * a layer with the stock filter comes between, and marks the configuration. Without the mark the
 * origin of a filter setting is unknown, and the system table's file gets the stock filter.
 */
public final class SystemTables {
  private static final Map<String, String> BELOW_TABLE =
      Map.of(
          Setting.FILTER.key,
          FilterChoice.BLOOM.label,
          Setting.FILTER_FLUSH.key,
          "", // as if they were not set
          Setting.FILTER_COMPACTION.key,
          "",
          Setting.SCAN_SEGMENT.key,
          "",
          SystemFiles.MARK,
          "true");

  private SystemTables() {}

  /**
   * Returns the configuration that the settings of a table and its families override: the site's,
   * or for a system table the site's with the stock filter.
   */
  public static Configuration below(Configuration site, TableDescriptor table) {
    return SystemFiles.isSystem(table.getTableName().getNameAsString())
        ? FamilyConfiguration.over(site, BELOW_TABLE)
        : site;
  }
}
