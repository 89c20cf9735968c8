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

  static Map<String, String> ofTable(TableDescriptor table) {
    return text(table.getValues());
  }

  /** Where a key stands in both, the family's metadata has the last word. */
  static Map<String, String> ofFamily(ColumnFamilyDescriptor family) {
    Map<String, String> values = new TreeMap<>(family.getConfiguration());
    values.putAll(text(family.getValues()));
    return values;
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
