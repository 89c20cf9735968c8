package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.Map;

/**
 * One way to make the filters of a family.
 *
 * @param name as it is told
 * @param settings of the family, beside those that all share
 * @param memory what the family was told of {@code winnow.store.memory}; null if nothing
 */
record Policy(String name, Map<String, String> settings, Double memory) {
  static final String STOCK = "stock";
  static final String FILE = "file";
  static final String STORE = "store";

  private static final String FILTER = Setting.FILTER.key();
  private static final String BUMPED_RIBBON = FilterChoice.BUMPED_RIBBON.label();

  /** HBase's own filter. */
  static Policy stock() {
    return new Policy(STOCK, Map.of(), null);
  }

  /** Each file has the rate that is asked for. */
  static Policy file() {
    return new Policy(FILE, Map.of(FILTER, BUMPED_RIBBON, Setting.RATE_SCOPE.key(), "file"), null);
  }

  /** What the family gets that asks for nothing but the filter. */
  static Policy store() {
    return new Policy(STORE, Map.of(FILTER, BUMPED_RIBBON), null);
  }

  /** What it gets that also says how much memory its filters may take. */
  static Policy store(double memory) {
    String share = Table.exact(memory);
    Map<String, String> settings = Map.of(FILTER, BUMPED_RIBBON, Setting.STORE_MEMORY.key(), share);
    return new Policy(STORE + '-' + share, settings, memory);
  }
}
