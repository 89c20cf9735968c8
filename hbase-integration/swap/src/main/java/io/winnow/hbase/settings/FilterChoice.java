package io.winnow.hbase.settings;

import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.quotient.QuotientSizing;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import java.util.Map;
import java.util.function.DoubleFunction;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * The filters that a family can ask for, HBase's own among them, and all that differs from one to
 * the other: a new kind of filter is a line here. The order is the one in which they are told.
 */
public enum FilterChoice {
  /** HBase's own. */
  BLOOM("bloom", "Bloom", "stock Bloom", null, null),
  RIBBON("ribbon", "Ribbon", "Ribbon", FilterType.RIBBON, RibbonSizing::forRate),
  BUMPED_RIBBON(
      "bumped-ribbon",
      "BumpedRibbon",
      "bumped Ribbon",
      FilterType.BUMPED_RIBBON,
      BumpedRibbonSizing::forRate),
  QUOTIENT("quotient", "Quotient", "quotient", FilterType.QUOTIENT, QuotientSizing::forRate);

  private final String label;
  private final String metricSuffix;
  private final String words;
  private final FilterType type;
  private final DoubleFunction<FilterSizing> sizing;

  FilterChoice(
      String label,
      String metricSuffix,
      String words,
      FilterType type,
      DoubleFunction<FilterSizing> sizing) {
    this.label = label;
    this.metricSuffix = metricSuffix;
    this.words = words;
    this.type = type;
    this.sizing = sizing;
  }

  /** A filter of a store file that is one of these, and not HBase's own. */
  public interface Chosen {
    FilterChoice choice();
  }

  /** As {@code winnow.filter} names it. */
  public String label() {
    return label;
  }

  /** How the names of metrics end that tell of this kind only. */
  public String metricSuffix() {
    return metricSuffix;
  }

  /** In words, for people. */
  public String words() {
    return words;
  }

  /** What to set for a family that is to have it; nothing for HBase's own, the default. */
  public Map<String, String> settings() {
    return this == BLOOM ? Map.of() : Map.of(Setting.FILTER.key(), label);
  }

  /** The filter of ours for this false-positive rate of a probe, as small as it can be. */
  FilterSizing forRate(double rate) {
    return sizing.apply(rate);
  }

  /**
   * What a flush writes for a family that asks for this and says nothing of flushes: one that is
   * built fast where this is not, since the file is soon compacted away.
   */
  public FilterChoice ofFlush() {
    return this == BUMPED_RIBBON ? RIBBON : this;
  }

  /**
   * The choice of this label.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static FilterChoice ofLabel(String label) {
    for (FilterChoice choice : values()) {
      if (choice.label.equals(label)) {
        return choice;
      }
    }
    throw new IllegalArgumentException("there is no filter " + label);
  }

  /** The choice that gives filters of this type. */
  public static FilterChoice of(FilterType type) {
    for (FilterChoice choice : values()) {
      if (choice.type == type) {
        return choice;
      }
    }
    throw new AssertionError(type);
  }

  /** What a filter of a store file is. */
  public static FilterChoice of(BloomFilter filter) {
    return filter instanceof Chosen ? ((Chosen) filter).choice() : BLOOM;
  }
}
