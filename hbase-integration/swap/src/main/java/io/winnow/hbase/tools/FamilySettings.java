package io.winnow.hbase.tools;

import io.winnow.hbase.settings.FamilyConfiguration;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.settings.StockBloom;
import io.winnow.hbase.settings.StorePlan;
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
 * The settings of a column family under which filters are tried: its own, without those that say
 * which filter it gets.
 */
final class FamilySettings {
  static final String MEMORY = Setting.STORE_MEMORY.key();

  private static final List<String> REPLACED =
      List.of(
          Setting.FILTER.key(),
          Setting.FILTER_FLUSH.key(),
          Setting.FILTER_COMPACTION.key(),
          Setting.RATE_SCOPE.key());

  private final Configuration conf;

  /** Which part of a cell is the key. */
  final BloomType type;

  /** Of a row, for keys that are prefixes. */
  final int prefix;

  /** Null if the family is not known. */
  private final Alter alter;

  private FamilySettings(Configuration conf, BloomType type, int prefix, Alter alter) {
    this.conf = conf;
    this.type = type;
    this.prefix = prefix;
    this.alter = alter;
  }

  /** What alters the family; with this name, if it is not known. */
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

  /** Of files of which no more is known. */
  static FamilySettings of(Configuration site, BloomType type, int prefix) {
    Map<String, String> length =
        prefix == 0 ? Map.of() : Map.of(BloomFilterUtil.PREFIX_LENGTH_KEY, "" + prefix);
    return new FamilySettings(FamilyConfiguration.over(site, length), type, prefix, null);
  }

  /** HBase's own filters with these settings. */
  StockBloom stock() {
    return StockBloom.of(conf, type);
  }

  /** The filter of a file with one choice. */
  FilterTrial trial(Choice choice, double expectedKeys, List<FilterTrial.Beside> others) {
    return FilterTrial.of(with(choice.configuration), type, expectedKeys, others);
  }

  /**
   * What to alter so that the family has these settings: those among them, and those that it has
   * now and that would stand in their way, with nothing as their value.
   */
  Map<String, String> toAlter(Map<String, String> settings) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    for (String key : REPLACED) {
      if (!settings.containsKey(key) && !conf.getTrimmed(key, "").isEmpty()) {
        all.put(key, "");
      }
    }
    return all;
  }

  /** Whether all of these settings are its own already. */
  boolean has(Map<String, String> settings) {
    return settings.entrySet().stream()
        .allMatch(setting -> conf.getTrimmed(setting.getKey(), "").equals(setting.getValue()));
  }

  private Configuration with(Map<String, String> settings) {
    Map<String, String> all = new TreeMap<>();
    REPLACED.forEach(key -> all.put(key, ""));
    all.putAll(settings);
    return FamilyConfiguration.over(conf, all);
  }

  /** The recommended filter of a store's only file, with this memory. */
  StorePlan.PlannedFile onlyFile(double keys, double memory) {
    Map<String, String> settings = new TreeMap<>(Choice.BUMPED_RIBBON.configuration);
    settings.put(MEMORY, String.valueOf(memory));
    return StorePlan.of(with(settings), type).load(keys);
  }

  /** The rate of a question from that of a probe: of ROWCOL keys it has two. */
  double rateOfQuery(double rateOfProbe) {
    return type == BloomType.ROWCOL ? rateOfProbe * (2 - rateOfProbe) : rateOfProbe;
  }
}
