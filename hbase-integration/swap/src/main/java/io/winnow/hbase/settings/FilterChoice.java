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
 * The kinds of filter that the settings of a column family can select, with all that differs from
 * one to the other. A new kind of filter is a line here. They are listed to people in this order.
 */
public enum FilterChoice {
  /** HBase's own Bloom filter. */
  BLOOM("bloom", "Bloom", "stock Bloom", null, null),
  /**
   * A homogeneous Ribbon filter: the solution of a system of linear equations, one for each key.
   */
  RIBBON("ribbon", "Ribbon", "Ribbon", FilterType.RIBBON, RibbonSizing::forRate),
  /**
   * A bumped Ribbon filter: a Ribbon filter in layers, each of which passes the keys that it has no
   * room for to the next.
   */
  BUMPED_RIBBON(
      "bumped-ribbon",
      "BumpedRibbon",
      "bumped Ribbon",
      FilterType.BUMPED_RIBBON,
      BumpedRibbonSizing::forRate),
  /** A quotient filter: a compact hash table of short fingerprints of the keys. */
  QUOTIENT("quotient", "Quotient", "quotient", FilterType.QUOTIENT, QuotientSizing::forRate);

  /** The name of a kind of filter in the setting {@code winnow.filter}. */
  public final String label;

  /** The suffix of the names of metrics that count only one kind of filter. */
  public final String metricSuffix;

  /** The name of a kind of filter in words, for people. */
  public final String words;

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

  /** A filter of Winnow in a store file, with a method that returns its kind. */
  public interface Chosen {
    /** Returns the kind of filter that a store file has, such as bumped Ribbon. */
    FilterChoice choice();
  }

  /**
   * Returns the settings that select a kind of filter for a family; none for HBase's own, the
   * default.
   */
  public Map<String, String> settings() {
    return this == BLOOM ? Map.of() : Map.of(Setting.FILTER.key, label);
  }

  /**
   * Returns the sizing of the smallest Winnow filter of one kind for a false-positive rate.
   *
   * @param rate the false-positive rate of a probe
   */
  FilterSizing forRate(double rate) {
    return sizing.apply(rate);
  }

  /**
   * Returns the kind of filter that flushes write for a family that selects this kind for its
   * files, and no other for flushes. Instead of a kind that is built slowly it is one that is built
   * fast, because the file is soon compacted away.
   */
  public FilterChoice ofFlush() {
    return this == BUMPED_RIBBON ? RIBBON : this;
  }

  /**
   * Returns the kind of filter that has a given name in the setting {@code winnow.filter}.
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

  /** Returns the kind of filter that builds images of a given type. */
  public static FilterChoice of(FilterType type) {
    for (FilterChoice choice : values()) {
      if (choice.type == type) {
        return choice;
      }
    }
    throw new AssertionError(type);
  }

  /** Returns the kind of a store file's filter, which may be HBase's own. */
  public static FilterChoice of(BloomFilter filter) {
    return filter instanceof Chosen ? ((Chosen) filter).choice() : BLOOM;
  }
}
