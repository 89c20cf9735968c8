package io.winnow.ycsb;

import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A way to set the false-positive rates of the filters of a store's files, which {@code ./winnow
 * ycsb --stores} and {@code --scans} compare.
 */
enum StorePolicy implements TableContender {
  /** HBase's Bloom filters with one false-positive rate for all files. */
  STOCK("stock", Map.of()),

  /** Bumped Ribbon filters with one false-positive rate for all files. */
  FILE("file", byScope("file")),

  /** Bumped Ribbon filters in which a file's rate depends on its share of the store's keys. */
  STORE("store", byScope("store")),

  /**
   * Bumped Ribbon filters with rates by store, and with the prefixes of row groups beside the rows;
   * only in {@code --scans}.
   */
  PREFIX("prefix", withPrefix());

  /** Filter settings that {@code ./winnow ycsb --stores} compares. */
  static final List<StorePolicy> OF_STORES = List.of(STOCK, FILE, STORE);

  /** Filter settings with the defaults of HBase and of Winnow. */
  static final List<StorePolicy> DEFAULTS = List.of(STOCK, STORE);

  /** Filter settings that {@code ./winnow ycsb --scans} compares. */
  static final List<StorePolicy> OF_SCANS = List.of(STOCK, STORE, PREFIX);

  private final String id;
  private final Map<String, String> configuration;

  StorePolicy(String id, Map<String, String> configuration) {
    this.id = id;
    this.configuration = configuration;
  }

  private static Map<String, String> byScope(String scope) {
    return Map.of(
        Setting.FILTER.key, FilterChoice.BUMPED_RIBBON.label, Setting.RATE_SCOPE.key, scope);
  }

  private static Map<String, String> withPrefix() {
    Map<String, String> settings = new HashMap<>(byScope("store"));
    settings.put(Setting.SCAN_PREFIX.key, Integer.toString(KeySpace.GROUP_BYTES));
    return Map.copyOf(settings);
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public Map<String, String> configuration() {
    return configuration;
  }
}
