package io.winnow.ycsb;

import io.winnow.hbase.settings.FilterChoice;
import java.util.Map;

/** What the compared tables differ in, and in nothing else: the filter of their one family. */
public enum TableFilter implements TableContender {
  /** HBase's own. */
  BLOOM(FilterChoice.BLOOM),

  /** Homogeneous Ribbon, width 64. */
  RIBBON(FilterChoice.RIBBON),

  /** Bumped Ribbon. */
  BUMPED_RIBBON(FilterChoice.BUMPED_RIBBON);

  private final FilterChoice choice;

  TableFilter(FilterChoice choice) {
    this.choice = choice;
  }

  /** The value of {@code winnow.filter}, and the name in every report. */
  @Override
  public String id() {
    return choice.label();
  }

  /** None for what HBase does by itself. */
  @Override
  public Map<String, String> configuration() {
    return choice.settings();
  }
}
