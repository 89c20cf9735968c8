package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.Map;
import org.apache.hadoop.hbase.util.BloomFilterFactory;

/**
 * Filter settings of a column family that are compared with those of others.
 *
 * @param name the name in reports
 * @param settings settings of the family, beside those that all families share
 * @param memory the value of {@code winnow.store.memory}; null if it is not set
 */
record Policy(String name, Map<String, String> settings, Double memory) {
  static final String NONE = "none";
  static final String STOCK = "stock";
  static final String FILE = "file";
  static final String STORE = "store";
  static final String AUTO = "auto";

  private static final String FILTER = Setting.FILTER.key;
  private static final String BUMPED_RIBBON = FilterChoice.BUMPED_RIBBON.label;

  /** Returns the policy of a family without filters. */
  static Policy none() {
    return new Policy(NONE, Map.of(BloomFilterFactory.IO_STOREFILE_BLOOM_ENABLED, "false"), null);
  }

  /** Returns the policy of a family with HBase's own filter. */
  static Policy stock() {
    return new Policy(STOCK, Map.of(), null);
  }

  /**
   * Returns the policy of a family whose store files all have the configured false-positive rate.
   */
  static Policy file() {
    return new Policy(FILE, Map.of(FILTER, BUMPED_RIBBON, Setting.RATE_SCOPE.key, "file"), null);
  }

  /**
   * Returns the policy of a family whose filters choose their rates per store, whatever the block
   * cache is.
   */
  static Policy store() {
    return new Policy(STORE, Map.of(FILTER, BUMPED_RIBBON, Setting.RATE_SCOPE.key, "store"), null);
  }

  /**
   * Returns the policy of a family that sets only the kind of filter: rates per store, or one rate
   * if the block cache is short when a file is written.
   */
  static Policy auto() {
    return new Policy(AUTO, Map.of(FILTER, BUMPED_RIBBON), null);
  }

  /**
   * Returns the policy of a family whose filters choose their rates per store within a given
   * memory.
   */
  static Policy store(double memory) {
    String share = Table.exact(memory);
    Map<String, String> settings = Map.of(FILTER, BUMPED_RIBBON, Setting.STORE_MEMORY.key, share);
    return new Policy(STORE + '-' + share, settings, memory);
  }
}
