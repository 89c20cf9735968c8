package io.winnow.hbase.settings;

import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A column family's configuration: hbase-site.xml, the table's values over it, and the family's
 * over these, as a store of a server with the agent lays them.
 */
public final class FamilyConfiguration {
  /** The places of a setting, from the first that counts to the last. */
  public static final String METADATA = "METADATA";

  public static final String CONFIGURATION = "CONFIGURATION";
  public static final String TABLE = "the table";
  public static final String SITE = "hbase-site.xml";

  private FamilyConfiguration() {}

  /**
   * What a store of the family works with.
   *
   * @param site the configuration of a server, hbase-site.xml in it
   */
  public static Configuration of(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    return over(SystemTables.below(site, table), ofTable(table), ofFamily(family));
  }

  /** The same, of values that were read, over what is below the table's. */
  static Configuration over(
      Configuration below, Map<String, String> ofTable, Map<String, String> ofFamily) {
    return over(over(below, ofTable), ofFamily);
  }

  /** A configuration with some values over it; an empty value is as good as none. */
  public static Configuration over(Configuration below, Map<String, String> values) {
    return new CompoundConfiguration().add(below).addStringMap(values);
  }

  public static Map<String, String> ofTable(TableDescriptor table) {
    return text(table.getValues());
  }

  /** Where a key stands in both, the family's metadata has the last word. */
  public static Map<String, String> ofFamily(ColumnFamilyDescriptor family) {
    Map<String, String> values = new TreeMap<>(family.getConfiguration());
    values.putAll(metadata(family));
    return values;
  }

  /** The family's METADATA, as the HBase shell calls it: it hides the CONFIGURATION. */
  public static Map<String, String> metadata(ColumnFamilyDescriptor family) {
    return text(family.getValues());
  }

  /**
   * Returns the place that gives a family the value of a key, for people; null if it has none.
   *
   * @param below what the table's values are laid over
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
