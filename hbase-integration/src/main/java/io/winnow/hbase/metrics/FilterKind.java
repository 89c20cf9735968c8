package io.winnow.hbase.metrics;

import io.winnow.hbase.WinnowFilterReader;
import org.apache.hadoop.hbase.util.BloomFilter;

/** What a store file's filter can be; the constants' order is the order in which they are told. */
enum FilterKind {
  BLOOM("Bloom", "stock Bloom"),
  RIBBON("Ribbon", "Ribbon"),
  BUMPED_RIBBON("BumpedRibbon", "bumped Ribbon"),
  QUOTIENT("Quotient", "quotient");

  private final String suffix;
  private final String words;

  FilterKind(String suffix, String words) {
    this.suffix = suffix;
    this.words = words;
  }

  /** How the names of metrics end that tell of this kind only. */
  String suffix() {
    return suffix;
  }

  String words() {
    return words;
  }

  static FilterKind of(BloomFilter filter) {
    if (!(filter instanceof WinnowFilterReader)) {
      return BLOOM;
    }
    WinnowFilterReader ours = (WinnowFilterReader) filter;
    switch (ours.type()) {
      case BUMPED_RIBBON:
        return BUMPED_RIBBON;
      case QUOTIENT:
        return QUOTIENT;
      default:
        return RIBBON;
    }
  }
}
