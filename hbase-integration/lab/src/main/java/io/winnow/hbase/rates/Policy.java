package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.contest.Contender;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterFactory;

/**
 * Filters of a column family that are compared with others: the settings with which they are
 * written, and those with which they are read.
 *
 * @param id the name in reports
 * @param type HBase's type of filter
 * @param settings settings of the family, beside those that all families share
 * @param site settings of the site with which the files are read
 */
record Policy(String id, BloomType type, Map<String, String> settings, Map<String, String> site)
    implements Contender {
  /** No filters. */
  static final Policy NONE =
      new Policy(
          "none",
          BloomType.ROW,
          Map.of(BloomFilterFactory.IO_STOREFILE_BLOOM_ENABLED, "false"),
          Map.of());

  /** HBase's own filter. */
  static final Policy STOCK = new Policy("stock", BloomType.ROW, Map.of(), Map.of());

  /** Winnow's filters, where all store files have the configured false-positive rate. */
  static final Policy FILE = winnow("file", Setting.RATE_SCOPE, "file");

  /** Winnow's filters with rates per store, whatever the block cache is. */
  static final Policy STORE = winnow("store", Setting.RATE_SCOPE, "store");

  /**
   * Winnow's filters with no more settings: rates per store, or one rate if the block cache is
   * short when a file is written.
   */
  static final Policy AUTO = winnow("auto");

  /** Returns Winnow's filters with rates per store within a given memory. */
  static Policy store(double memory) {
    String share = Table.exact(memory);
    return winnow(STORE.id + '-' + share, Setting.STORE_MEMORY, share);
  }

  /**
   * Returns Winnow's filters with some settings of the family.
   *
   * @param more keys and values in turn
   */
  static Policy winnow(String id, Object... more) {
    Map<String, String> settings = new HashMap<>(FilterChoice.BUMPED_RIBBON.settings());
    for (int i = 0; i < more.length; i += 2) {
      settings.put(((Setting) more[i]).key, String.valueOf(more[i + 1]));
    }
    return new Policy(id, BloomType.ROW, settings, Map.of());
  }
}
