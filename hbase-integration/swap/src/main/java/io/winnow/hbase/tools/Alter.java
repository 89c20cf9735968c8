package io.winnow.hbase.tools;

import io.winnow.hbase.settings.FamilyConfiguration;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Instructions for the HBase shell that alter a column family, so that new settings have an effect.
 * An instruction writes a setting where the family has it now, because METADATA of the family hides
 * its CONFIGURATION, and both hide the table and hbase-site.xml. In the shell, an empty value
 * removes a setting.
 */
final class Alter {
  private static final String ROW = ", BLOOMFILTER => 'ROW'";

  private final String table;
  private final String family;
  private final Map<String, String> metadata;
  private final Map<String, String> configuration;

  /** Configuration that the family inherits from its table and from hbase-site.xml. */
  private final Configuration below;

  private final Predicate<String> isOfTable;

  private Alter(
      String table,
      String family,
      Map<String, String> metadata,
      Map<String, String> configuration,
      Configuration below,
      Predicate<String> isOfTable) {
    this.table = table;
    this.family = family;
    this.metadata = metadata;
    this.configuration = configuration;
    this.below = below;
    this.isOfTable = isOfTable;
  }

  static Alter of(Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    return new Alter(
        table.getTableName().getNameAsString(),
        Bytes.toStringBinary(family.getName()),
        FamilyConfiguration.metadata(family),
        family.getConfiguration(),
        FamilyConfiguration.of(site, table, ColumnFamilyDescriptorBuilder.of(family.getName())),
        key -> table.getValue(key) != null);
  }

  /**
   * Returns instructions for the HBase shell that alter a family of an unknown table: they have
   * TABLE as the table's name.
   */
  static Alter ofUnknown(String family) {
    return new Alter("TABLE", family, Map.of(), Map.of(), new Configuration(false), key -> false);
  }

  /**
   * Returns an instruction for the HBase shell that writes the given settings to the family. A
   * setting with an empty value is removed.
   */
  String line(Map<String, String> settings) {
    return line("", settings);
  }

  /**
   * Returns an instruction for the HBase shell that writes the given settings to the family and
   * sets its BLOOMFILTER to ROW.
   */
  String lineWithRow(Map<String, String> settings) {
    return line(ROW, settings);
  }

  /**
   * Returns an instruction for the HBase shell that selects HBase's own Bloom filter for the
   * family.
   */
  String lineToStock() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put(Setting.FILTER.key, FilterChoice.BLOOM.label);
    settings.put(Setting.FILTER_FLUSH.key, "");
    settings.put(Setting.FILTER_COMPACTION.key, "");
    return line(settings);
  }

  /**
   * Returns an instruction that removes a setting from the place that has effect now: a line for
   * the HBase shell, or a sentence if the place is hbase-site.xml.
   */
  String removal(String key) {
    if (metadata.containsKey(key)) {
      return line("", Map.of(key, ""), Map.of());
    }
    if (configuration.containsKey(key)) {
      return line("", Map.of(), Map.of(key, ""));
    }
    return isOfTable.test(key)
        ? String.format("alter '%s', CONFIGURATION => {'%s' => ''}", table, key)
        : "remove " + key + " from hbase-site.xml";
  }

  private String line(String type, Map<String, String> settings) {
    Map<String, String> inMetadata = new LinkedHashMap<>();
    Map<String, String> inConfiguration = new LinkedHashMap<>();
    settings.forEach(
        (key, given) -> {
          String filter = settings.get(Setting.FILTER.key);
          String value = given.isEmpty() ? defaultOver(key, filter) : given;
          if (metadata.containsKey(key)) {
            inMetadata.put(key, value);
          }
          if (value.isEmpty() ? configuration.containsKey(key) : !metadata.containsKey(key)) {
            inConfiguration.put(key, value);
          }
        });
    return line(type, inMetadata, inConfiguration);
  }

  /**
   * Returns the value to write to the family in order to remove a setting: empty, or the default if
   * the table or hbase-site.xml sets it too. Without the default, removing the setting from the
   * family would uncover their value. The default fits the new filter.
   */
  private String defaultOver(String key, String filter) {
    if (below.getTrimmed(key, "").isEmpty() || filter == null) {
      return "";
    } else if (key.equals(Setting.FILTER_FLUSH.key)) {
      return FilterChoice.ofLabel(filter).ofFlush().label;
    } else if (key.equals(Setting.FILTER_COMPACTION.key)) {
      return filter;
    }
    return key.equals(Setting.RATE_SCOPE.key) ? "auto" : "";
  }

  private String line(
      String type, Map<String, String> inMetadata, Map<String, String> inConfiguration) {
    return String.format(
        "alter '%s', {NAME => '%s'%s%s%s}",
        table,
        family,
        type,
        map(FamilyConfiguration.METADATA, inMetadata),
        map(FamilyConfiguration.CONFIGURATION, inConfiguration));
  }

  private static String map(String name, Map<String, String> settings) {
    return settings.isEmpty()
        ? ""
        : settings.entrySet().stream()
            .map(setting -> "'" + setting.getKey() + "' => '" + setting.getValue() + "'")
            .collect(Collectors.joining(", ", ", " + name + " => {", "}"));
  }
}
