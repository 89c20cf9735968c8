package io.winnow.hbase.tools;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What a column family may ask for. */
enum Choice {
  BLOOM("bloom", "HBase's own", Map.of()),
  RIBBON("ribbon", "rates by store", Map.of("winnow.filter", "ribbon")),
  BUMPED_RIBBON("bumped-ribbon", "rates by store", Map.of("winnow.filter", "bumped-ribbon")),
  BUMPED_RIBBON_BY_FILE(
      "bumped-ribbon",
      "one rate for all files",
      Map.of("winnow.filter", "bumped-ribbon", "winnow.error.rate.scope", "file")),
  QUOTIENT("quotient", "one rate for all files", Map.of("winnow.filter", "quotient"));

  private final String filter;
  private final String setting;
  private final Map<String, String> configuration;

  Choice(String filter, String setting, Map<String, String> configuration) {
    this.filter = filter;
    this.setting = setting;
    this.configuration = new TreeMap<>(configuration);
  }

  static List<Choice> ofWinnow() {
    return Arrays.stream(values()).filter(choice -> choice != BLOOM).collect(Collectors.toList());
  }

  /** As the settings call it. */
  String filter() {
    return filter;
  }

  /** In words. */
  String setting() {
    return setting;
  }

  /** What is to stand in the family's CONFIGURATION. */
  Map<String, String> configuration() {
    return configuration;
  }
}
