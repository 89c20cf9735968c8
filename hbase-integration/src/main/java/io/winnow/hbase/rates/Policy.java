package io.winnow.hbase.rates;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One way to make the filters of a family.
 *
 * @param name as it is told
 * @param settings of the family, beside those that all share
 * @param errorRate what a file, or all of a store, was asked to have
 * @param presentShare what the family was told of its Gets
 */
record Policy(String name, Map<String, String> settings, double errorRate, double presentShare) {
  static final String STOCK = "stock";
  static final String FILE = "file";
  static final String STORE = "store";
  static final String EQUAL_READS = "store-equal-reads";
  static final String MOSTLY_PRESENT = "store-mostly-present";

  private static final String FILTER = "winnow.filter";
  private static final String SCOPE = "winnow.error.rate.scope";

  /** HBase's own filter. */
  static Policy stock(double rate) {
    return new Policy(STOCK, Map.of(), rate, 0);
  }

  /** Each file has the rate that is asked for. */
  static Policy file(double rate) {
    return new Policy(FILE, Map.of(FILTER, "bumped-ribbon", SCOPE, "file"), rate, 0);
  }

  /** What the family gets that asks for nothing but the filter. */
  static Policy store(double rate) {
    return new Policy(STORE, Map.of(FILTER, "bumped-ribbon", SCOPE, "store"), rate, 0);
  }

  /**
   * The rates of a store's files add up to a rate that is asked for.
   *
   * @param presentShare what the family is told; 0 for nothing
   */
  static Policy store(String name, double storeRate, double presentShare) {
    Map<String, String> settings = new LinkedHashMap<>(store(storeRate).settings());
    settings.put("winnow.store.error.rate", String.format(Locale.ROOT, "%.6f", storeRate));
    if (presentShare > 0) {
      settings.put("winnow.store.present.share", String.valueOf(presentShare));
    }
    return new Policy(name, settings, storeRate, presentShare);
  }
}
