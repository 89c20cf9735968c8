package io.winnow.bench;

import io.winnow.hbase.settings.FamilyConfiguration;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.util.BloomFilterFactory;

/** The filters that a column family can have, each with the settings that a family has for it. */
public enum HBaseFilter {
  /** HBase's own filter: Bloom chunks of 128 KiB with HBase's default hash. */
  BLOOM(FilterChoice.BLOOM),
  /** HBase's own Bloom filter with HBase's other hash, Murmur3. */
  BLOOM_MURMUR3("bloom-murmur3", FilterChoice.BLOOM, Map.of("hbase.hash.type", "murmur3")),
  RIBBON(FilterChoice.RIBBON),
  RIBBON_128("ribbon-128", FilterChoice.RIBBON, Map.of(Setting.RIBBON_WIDTH.key, "128")),
  BUMPED_RIBBON(FilterChoice.BUMPED_RIBBON),
  /**
   * Bumped Ribbon without the reader's short cut: each query looks up its block in the block cache,
   * as HBase's own filter does.
   */
  BUMPED_RIBBON_LOOKED_UP(
      "bumped-ribbon-looked-up",
      FilterChoice.BUMPED_RIBBON,
      Map.of(Setting.READ_SHORTCUT.key, "false")),
  /**
   * Filter of Winnow whose chunks {@link BloomInPlace} replaces by Bloom chunks for a benchmark.
   */
  BLOOM_XXH3_SHORT_CUT(
      "bloom-xxh3-short-cut", FilterChoice.BUMPED_RIBBON, Map.of(Setting.RATE_SCOPE.key, "file")),
  QUOTIENT(FilterChoice.QUOTIENT);

  static {
    WovenWithoutAgent.install();
  }

  private final String label;
  private final Map<String, String> settings;

  HBaseFilter(FilterChoice choice) {
    this(choice.label, choice, Map.of());
  }

  HBaseFilter(String label, FilterChoice choice, Map<String, String> more) {
    this.label = label;
    this.settings = new TreeMap<>(choice.settings());
    this.settings.putAll(more);
  }

  /** Returns whether HBase's own code writes and queries the filter. */
  boolean isStock() {
    return this == BLOOM || this == BLOOM_MURMUR3;
  }

  /** Returns the name of the filter in benchmark results. */
  public String label() {
    return label;
  }

  public static HBaseFilter ofLabel(String label) {
    for (HBaseFilter filter : values()) {
      if (filter.label.equals(label)) {
        return filter;
      }
    }
    throw new IllegalArgumentException("there is no filter '" + label + "'");
  }

  /** Returns the site's configuration merged with the settings of a family that has the filter. */
  Configuration configuration(double rate) {
    Map<String, String> family = new TreeMap<>(settings);
    double configured = this == BLOOM_XXH3_SHORT_CUT ? BloomInPlace.RATE : rate;
    family.put(BloomFilterFactory.IO_STOREFILE_BLOOM_ERROR_RATE, String.valueOf(configured));
    Configuration site = new Configuration();
    site.set("fs.defaultFS", "file:///");
    return FamilyConfiguration.over(site, family);
  }
}
