package io.winnow.ycsb;

import io.winnow.hbase.settings.FilterChoice;
import java.util.Map;

/** The filter of a table's only family, in which alone the compared tables differ. */
public enum TableFilter implements TableContender {
  /** HBase's own Bloom filter. */
  BLOOM(FilterChoice.BLOOM),

  /** Homogeneous Ribbon, width 64. */
  RIBBON(FilterChoice.RIBBON),

  /** Bumped Ribbon. */
  BUMPED_RIBBON(FilterChoice.BUMPED_RIBBON);

  private final FilterChoice choice;

  TableFilter(FilterChoice choice) {
    this.choice = choice;
  }

  /** Returns the value of {@code winnow.filter}, which is the name in every report, too. */
  @Override
  public String id() {
    return choice.label();
  }

  /** Returns the settings of the filter; empty for HBase's own. */
  @Override
  public Map<String, String> configuration() {
    return choice.settings();
  }
}
