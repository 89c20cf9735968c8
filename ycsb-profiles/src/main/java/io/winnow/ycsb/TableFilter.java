package io.winnow.ycsb;

import io.winnow.hbase.contest.Contender;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.List;
import java.util.Map;

/**
 * The filter of a table's only family, in which alone the tables of a comparison differ.
 *
 * @param id the name of the filter in every report
 * @param configuration the CONFIGURATION of the family; empty for HBase's own filter
 */
public record TableFilter(String id, Map<String, String> configuration) implements Contender {
  /** HBase's own Bloom filter. */
  public static final TableFilter BLOOM = of(FilterChoice.BLOOM);

  /**
   * Homogeneous Ribbon filter: the solution of a system of linear equations, one for each key, with
   * 64 coefficients in an equation.
   */
  public static final TableFilter RIBBON = of(FilterChoice.RIBBON);

  /**
   * Bumped Ribbon filter: a Ribbon filter in layers, each of which passes the keys that it has no
   * room for to the next.
   */
  public static final TableFilter BUMPED_RIBBON = of(FilterChoice.BUMPED_RIBBON);

  /** The kinds of filters that runs without {@code --stores} and {@code --scans} compare. */
  public static final List<TableFilter> KINDS = List.of(BLOOM, RIBBON, BUMPED_RIBBON);

  /** HBase's Bloom filters with one false-positive rate for all files. */
  static final TableFilter STOCK = new TableFilter("stock", Map.of());

  /** Bumped Ribbon filters with one false-positive rate for all files. */
  static final TableFilter FILE = byScope("file");

  /** Bumped Ribbon filters in which a file's rate depends on its share of the store's keys. */
  static final TableFilter STORE = byScope("store");

  /** Bumped Ribbon filters like those, which have the prefixes of row groups beside the rows. */
  static final TableFilter PREFIX =
      new TableFilter(
          "prefix",
          Map.of(
              Setting.FILTER.key,
              BUMPED_RIBBON.id,
              Setting.RATE_SCOPE.key,
              "store",
              Setting.SCAN_PREFIX.key,
              Integer.toString(KeySpace.GROUP_BYTES)));

  /** Filters that {@code ./winnow ycsb --stores} compares. */
  static final List<TableFilter> OF_STORES = List.of(STOCK, FILE, STORE);

  /** Filters with the defaults of HBase and of Winnow. */
  static final List<TableFilter> DEFAULTS = List.of(STOCK, STORE);

  /** Filters that {@code ./winnow ycsb --scans} compares. */
  static final List<TableFilter> OF_SCANS = List.of(STOCK, STORE, PREFIX);

  private static TableFilter of(FilterChoice choice) {
    return new TableFilter(choice.label, choice.settings());
  }

  private static TableFilter byScope(String scope) {
    return new TableFilter(
        scope, Map.of(Setting.FILTER.key, BUMPED_RIBBON.id, Setting.RATE_SCOPE.key, scope));
  }
}
