package io.winnow.hbase.settings;

import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The configuration of a column family: the values of hbase-site.xml, those of the table over them,
 * and those of the family over both, as a store of a server with the agent has them.
 */
public final class FamilyConfiguration {
  /**
   * Words that name METADATA as the place of a setting of a family, where it overrides every other
   * place.
   */
  public static final String METADATA = "METADATA";

  /**
   * Words that name CONFIGURATION as the place of a setting of a family, where only METADATA
   * overrides it.
   */
  public static final String CONFIGURATION = "CONFIGURATION";

  /**
   * Words that name the table as the place of a setting, which then holds for all families of the
   * table.
   */
  public static final String TABLE = "the table";

  /** Words that name hbase-site.xml as the place of a setting, which then holds for all tables. */
  public static final String SITE = "hbase-site.xml";

  private FamilyConfiguration() {}

  /**
   * Returns the configuration that a store of a column family uses.
   *
   * @param site the configuration of a server, which includes hbase-site.xml
   */
  public static Configuration of(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    return over(SystemTables.below(site, table), ofTable(table), ofFamily(family));
  }

  /**
   * Returns the configuration of a column family, from values of table and family that were read
   * already.
   *
   * @param below the configuration that the table's values are laid over
   */
  static Configuration over(
      Configuration below, Map<String, String> ofTable, Map<String, String> ofFamily) {
    return over(over(below, ofTable), ofFamily);
  }

  /**
   * Returns a configuration in which the given values override others; an empty value counts as not
   * set.
   */
  public static Configuration over(Configuration below, Map<String, String> values) {
    return new CompoundConfiguration().add(below).addStringMap(values);
  }

  /** Returns the configuration values of a table descriptor. */
  public static Map<String, String> ofTable(TableDescriptor table) {
    return text(table.getValues());
  }

  /**
   * Returns the configuration values of a family descriptor. Its METADATA hides the CONFIGURATION.
   */
  public static Map<String, String> ofFamily(ColumnFamilyDescriptor family) {
    Map<String, String> values = new TreeMap<>(family.getConfiguration());
    values.putAll(metadata(family));
    return values;
  }

  /** Returns the values in a family's METADATA, as the HBase shell calls it. */
  public static Map<String, String> metadata(ColumnFamilyDescriptor family) {
    return text(family.getValues());
  }

  /**
   * Returns the name of the place where a family's value of a setting comes from; null if the
   * setting has no value.
   *
   * @param below the configuration that the table's values are laid over
   */
  static String place(
      Configuration below, TableDescriptor table, ColumnFamilyDescriptor family, String key) {
    if (metadata(family).containsKey(key)) {
      return METADATA;
    }
    if (family.getConfiguration().containsKey(key)) {
      return CONFIGURATION;
    }
    if (ofTable(table).containsKey(key)) {
      return TABLE;
    }
    return below.getTrimmed(key, "").isEmpty() ? null : SITE;
  }

  private static Map<String, String> text(Map<Bytes, Bytes> values) {
    Map<String, String> text = new TreeMap<>();
    values.forEach((key, value) -> text.put(text(key), text(value)));
    return text;
  }

  private static String text(Bytes bytes) {
    return Bytes.toString(bytes.get(), bytes.getOffset(), bytes.getLength());
  }
}
