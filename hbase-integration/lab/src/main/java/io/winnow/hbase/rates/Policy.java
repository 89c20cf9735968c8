package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.Map;

/**
 * Filter settings of a family.
 *
 * @param name the name in reports
 * @param settings settings of the family, beside those that all families share
 * @param memory the value of {@code winnow.store.memory}; null if it is not set
 */
record Policy(String name, Map<String, String> settings, Double memory) {
  static final String STOCK = "stock";
  static final String FILE = "file";
  static final String STORE = "store";

  private static final String FILTER = Setting.FILTER.key();
  private static final String BUMPED_RIBBON = FilterChoice.BUMPED_RIBBON.label();

  /** Returns the policy with HBase's own filter. */
  static Policy stock() {
    return new Policy(STOCK, Map.of(), null);
  }

  /** Returns the policy in which each file has the configured rate. */
  static Policy file() {
    return new Policy(FILE, Map.of(FILTER, BUMPED_RIBBON, Setting.RATE_SCOPE.key(), "file"), null);
  }

  /** Returns the policy of a family that sets only the filter, so that rates are per store. */
  static Policy store() {
    return new Policy(STORE, Map.of(FILTER, BUMPED_RIBBON), null);
  }

  /** Returns the policy of a family that also sets how much memory its filters may take. */
  static Policy store(double memory) {
    String share = Table.exact(memory);
    Map<String, String> settings = Map.of(FILTER, BUMPED_RIBBON, Setting.STORE_MEMORY.key(), share);
    return new Policy(STORE + '-' + share, settings, memory);
  }
}
