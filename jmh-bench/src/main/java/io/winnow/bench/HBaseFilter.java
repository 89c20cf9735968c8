package io.winnow.bench;

import io.winnow.hbase.settings.FamilyConfiguration;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterFactory;

/** The filters that a column family can have, each with the settings that a family has for it. */
enum HBaseFilter {
  /** No filter at all. */
  NONE(FilterChoice.BLOOM),
  /** HBase's own filter: Bloom chunks of 128 KiB with HBase's default hash. */
  BLOOM(FilterChoice.BLOOM),
  /** HBase's own Bloom filter with HBase's other hash, Murmur3. */
  BLOOM_MURMUR3(FilterChoice.BLOOM, "hbase.hash.type", "murmur3"),
  RIBBON(FilterChoice.RIBBON),
  RIBBON_128(FilterChoice.RIBBON, Setting.RIBBON_WIDTH.key, "128"),
  BUMPED_RIBBON(FilterChoice.BUMPED_RIBBON),
  /**
   * Bumped Ribbon without the reader's short cut: each query looks up its block in the block cache,
   * as HBase's own filter does.
   */
  BUMPED_RIBBON_LOOKED_UP(FilterChoice.BUMPED_RIBBON, Setting.READ_SHORTCUT.key, "false"),
  /**
   * Filter of Winnow whose chunks {@link BloomInPlace} replaces by Bloom chunks for a benchmark.
   */
  BLOOM_XXH3_SHORT_CUT(
      FilterChoice.BUMPED_RIBBON,
      Setting.RATE_SCOPE.key,
      "file",
      BloomFilterFactory.IO_STOREFILE_BLOOM_ERROR_RATE,
      BloomInPlace.RATE),
  QUOTIENT(FilterChoice.QUOTIENT);

  static {
    WovenWithoutAgent.install();
  }

  private final Map<String, String> settings;

  HBaseFilter(FilterChoice choice, String... more) {
    settings = new TreeMap<>(choice.settings());
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
  }

  /** Returns whether HBase's own code writes and queries the filter. */
  boolean isStock() {
    return !settings.containsKey(Setting.FILTER.key);
  }

  BloomType type() {
    return this == NONE ? BloomType.NONE : BloomType.ROW;
  }

  /**
   * Returns the site's configuration merged with the settings of a family that has the filter.
   *
   * @param rate the false-positive rate, unless the filter has one of its own
   */
  Configuration configuration(double rate) {
    Map<String, String> family = new TreeMap<>();
    family.put(BloomFilterFactory.IO_STOREFILE_BLOOM_ERROR_RATE, String.valueOf(rate));
    family.putAll(settings);
    Configuration site = new Configuration();
    site.set("fs.defaultFS", "file:///");
    return FamilyConfiguration.over(site, family);
  }
}
