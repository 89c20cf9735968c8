package io.winnow.hbase.tools;

import io.winnow.hbase.settings.FamilyConfiguration;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.settings.StockBloom;
import io.winnow.hbase.settings.StorePlan;
import io.winnow.hbase.settings.StoreView;
import io.winnow.hbase.write.FilterTrial;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterUtil;

/**
 * Settings of a column family under which filters are tried: those of the family without the ones
 * that select a filter.
 */
final class FamilySettings {
  static final String MEMORY = Setting.STORE_MEMORY.key;

  private static final List<String> SELECTING_A_FILTER =
      List.of(
          Setting.FILTER.key,
          Setting.FILTER_FLUSH.key,
          Setting.FILTER_COMPACTION.key,
          Setting.RATE_SCOPE.key);

  private final Configuration conf;

  /** Bloom type of the family, which says what part of a cell is a key of the filter. */
  final BloomType type;

  /** Length in bytes of the row prefix that is a key of the filter; 0 if keys are not prefixes. */
  final int prefix;

  /** Instructions for the HBase shell that alter the family; null if its table is unknown. */
  private final Alter alter;

  private FamilySettings(Configuration conf, BloomType type, int prefix, Alter alter) {
    this.conf = conf;
    this.type = type;
    this.prefix = prefix;
    this.alter = alter;
  }

  /**
   * Returns instructions for the HBase shell that alter the family.
   *
   * @param name name of the family, for lines of a family whose table is unknown
   */
  Alter alter(String name) {
    return alter == null ? Alter.ofUnknown(name) : alter;
  }

  static FamilySettings of(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    Configuration conf = FamilyConfiguration.of(site, table, family);
    BloomType type = family.getBloomFilterType();
    int prefix =
        type == BloomType.ROWPREFIX_FIXED_LENGTH
            ? conf.getInt(BloomFilterUtil.PREFIX_LENGTH_KEY, 0)
            : 0;
    return new FamilySettings(conf, type, prefix, Alter.of(site, table, family));
  }

  /**
   * Returns the settings of files whose table is unknown: the site's, with the Bloom type and the
   * prefix length of the files.
   */
  static FamilySettings of(Configuration site, BloomType type, int prefix) {
    Map<String, String> length =
        prefix == 0 ? Map.of() : Map.of(BloomFilterUtil.PREFIX_LENGTH_KEY, "" + prefix);
    return new FamilySettings(FamilyConfiguration.over(site, length), type, prefix, null);
  }

  /**
   * Returns a calculator of the sizes and rates that HBase's own filters have with the family's
   * settings.
   */
  StockBloom stock() {
    return StockBloom.of(conf, type);
  }

  /**
   * Returns a trial that builds, for one file, one of the filters that a family can choose.
   *
   * @param expectedKeys keys of the file, as far as they are known
   * @param others the files beside it in its store
   */
  FilterTrial trial(Choice choice, double expectedKeys, List<StoreView.OtherFile> others) {
    return FilterTrial.of(with(choice.configuration), type, expectedKeys, others);
  }

  /**
   * Returns the settings to write so that given settings have effect: these, and an empty value for
   * each setting of the family that would override them.
   */
  Map<String, String> toAlter(Map<String, String> settings) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    for (String key : SELECTING_A_FILTER) {
      if (!settings.containsKey(key) && !conf.getTrimmed(key, "").isEmpty()) {
        all.put(key, "");
      }
    }
    return all;
  }

  /** Returns true if the family has all of the given settings already. */
  boolean has(Map<String, String> settings) {
    return settings.entrySet().stream()
        .allMatch(setting -> conf.getTrimmed(setting.getKey(), "").equals(setting.getValue()));
  }

  private Configuration with(Map<String, String> settings) {
    Map<String, String> all = new TreeMap<>();
    SELECTING_A_FILTER.forEach(key -> all.put(key, ""));
    all.putAll(settings);
    return FamilyConfiguration.over(conf, all);
  }

  /**
   * Returns size and rate of the recommended filter for the only file of a store.
   *
   * @param keys keys of the file
   * @param memory value of {@code winnow.store.memory}
   */
  StorePlan.PlannedFile onlyFile(double keys, double memory) {
    Map<String, String> settings = new TreeMap<>(Choice.BUMPED_RIBBON.configuration);
    settings.put(MEMORY, String.valueOf(memory));
    return StorePlan.of(with(settings), type).load(keys);
  }
}
