package io.winnow.ycsb;

import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How the files of a store get their filters' error rates: what {@code --stores} and {@code
 * --scans} compare.
 */
enum StorePolicy implements TableContender {
  /** HBase's Bloom filters, one rate for all files. */
  STOCK("stock", Map.of()),

  /** Bumped Ribbon, one rate for all files. */
  FILE("file", byScope("file")),

  /** Bumped Ribbon, a file's rate by its share of the store's keys. */
  STORE("store", byScope("store")),

  /** The same with the prefixes of groups beside the rows: {@code --scans} has it. */
  PREFIX("prefix", withPrefix());

  /** Those of {@code --stores}. */
  static final List<StorePolicy> OF_STORES = List.of(STOCK, FILE, STORE);

  /** HBase as it comes, and Winnow as it comes. */
  static final List<StorePolicy> DEFAULTS = List.of(STOCK, STORE);

  /** Those of {@code --scans}. */
  static final List<StorePolicy> OF_SCANS = List.of(STOCK, STORE, PREFIX);

  private final String id;
  private final Map<String, String> configuration;

  StorePolicy(String id, Map<String, String> configuration) {
    this.id = id;
    this.configuration = configuration;
  }

  private static Map<String, String> byScope(String scope) {
    return Map.of(
        Setting.FILTER.key(), FilterChoice.BUMPED_RIBBON.label(), Setting.RATE_SCOPE.key(), scope);
  }

  private static Map<String, String> withPrefix() {
    Map<String, String> settings = new HashMap<>(byScope("store"));
    settings.put(Setting.SCAN_PREFIX.key(), Integer.toString(KeySpace.GROUP_BYTES));
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
