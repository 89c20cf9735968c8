package io.winnow.bench;

import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompoundConfiguration;

/** The filters that a column family can have, each as a family's configuration asks for it. */
public enum HBaseFilter {
  /** HBase's own: 128 KiB chunks, its default hash. */
  BLOOM("bloom", Map.of()),
  RIBBON("ribbon", Map.of("winnow.filter", "ribbon")),
  RIBBON_128("ribbon-128", Map.of("winnow.filter", "ribbon", "winnow.ribbon.width", "128")),
  BUMPED_RIBBON("bumped-ribbon", Map.of("winnow.filter", "bumped-ribbon")),
  QUOTIENT("quotient", Map.of("winnow.filter", "quotient"));

  static {
    WovenWithoutAgent.install();
  }

  private final String label;
  private final Map<String, String> settings;

  HBaseFilter(String label, Map<String, String> settings) {
    this.label = label;
    this.settings = settings;
  }

  /** The name in results. */
  public String label() {
    return label;
  }

  public static HBaseFilter ofLabel(String label) {
    for (HBaseFilter filter : values()) {
      if (filter.label.equals(label)) {
        return filter;
      }
    }
    throw new IllegalArgumentException("filter is '" + label + "', which is none");
  }

  /** The site's configuration with a family's on top, as a store makes it. */
  Configuration configuration(double rate) {
    Map<String, String> family = new TreeMap<>(settings);
    family.put("io.storefile.bloom.error.rate", String.valueOf(rate));
    Configuration site = new Configuration();
    site.set("fs.defaultFS", "file:///");
    return new CompoundConfiguration().add(site).addStringMap(family);
  }
}
