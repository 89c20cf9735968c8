package io.winnow.ycsb;

import java.util.Arrays;
import java.util.Map;

/** What the compared tables differ in, and in nothing else: the filter of their one family. */
public enum TableFilter implements TableContender {
  /** HBase's own. */
  BLOOM("bloom"),

  /** Homogeneous Ribbon, width 64. */
  RIBBON("ribbon"),

  /** Bumped Ribbon. */
  BUMPED_RIBBON("bumped-ribbon");

  /** The value of {@code winnow.filter}, and the name in every report. */
  private final String id;

  TableFilter(String id) {
    this.id = id;
  }

  @Override
  public String id() {
    return id;
  }

  /** None for what HBase does by itself. */
  @Override
  public Map<String, String> configuration() {
    return this == BLOOM ? Map.of() : Map.of("winnow.filter", id);
  }

  static TableFilter ofId(String id) {
    return Arrays.stream(values())
        .filter(kind -> kind.id.equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no kind of filter " + id));
  }
}
