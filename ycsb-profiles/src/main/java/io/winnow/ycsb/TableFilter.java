package io.winnow.ycsb;

import io.winnow.hbase.settings.FilterChoice;
import java.util.Map;

/** The filter of a table's only family, in which alone the tables of a comparison differ. */
public enum TableFilter implements TableContender {
  /** HBase's own Bloom filter. */
  BLOOM(FilterChoice.BLOOM),

  /**
   * Homogeneous Ribbon filter: the solution of a system of linear equations, one for each key, with
   * 64 coefficients in an equation.
   */
  RIBBON(FilterChoice.RIBBON),

  /**
   * Bumped Ribbon filter: a Ribbon filter in layers, each of which passes the keys that it has no
   * room for to the next.
   */
  BUMPED_RIBBON(FilterChoice.BUMPED_RIBBON);

  private final FilterChoice choice;

  TableFilter(FilterChoice choice) {
    this.choice = choice;
  }

  /**
   * Returns the filter's value of {@code winnow.filter}, which is also its name in every report.
   */
  @Override
  public String id() {
    return choice.label;
  }

  /** Returns the settings of a family with the filter; empty for HBase's own. */
  @Override
  public Map<String, String> configuration() {
    return choice.settings();
  }
}
