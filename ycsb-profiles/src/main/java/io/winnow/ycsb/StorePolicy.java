package io.winnow.ycsb;

import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.Map;

/** How the files of a store get their filters' error rates: what {@code --stores} compares. */
enum StorePolicy implements TableContender {
  /** HBase's Bloom filters, one rate for all files. */
  STOCK("stock", Map.of()),

  /** Bumped Ribbon, one rate for all files. */
  FILE("file", byScope("file")),

  /** Bumped Ribbon, a file's rate by its share of the store's keys. */
  STORE("store", byScope("store"));

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

  @Override
  public String id() {
    return id;
  }

  @Override
  public Map<String, String> configuration() {
    return configuration;
  }
}
