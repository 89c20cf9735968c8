package io.winnow.hbase.tools;

import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Filters that the settings of a column family can select, each with the rule that chooses its
 * false-positive rate.
 */
enum Choice {
  BLOOM(FilterChoice.BLOOM, "HBase's own", Map.of()),
  RIBBON(FilterChoice.RIBBON, "rates by store", Map.of()),
  BUMPED_RIBBON(FilterChoice.BUMPED_RIBBON, "rates by store", Map.of()),
  BUMPED_RIBBON_BY_FILE(
      FilterChoice.BUMPED_RIBBON, "one rate for all files", Map.of(Setting.RATE_SCOPE.key, "file")),
  QUOTIENT(FilterChoice.QUOTIENT, "one rate for all files", Map.of());

  private final FilterChoice filter;

  /** Rule that chooses the false-positive rate of a filter, in words. */
  final String setting;

  /** Settings that select a filter, to write to the CONFIGURATION of a family. */
  final Map<String, String> configuration;

  Choice(FilterChoice filter, String setting, Map<String, String> more) {
    this.filter = filter;
    this.setting = setting;
    this.configuration = new TreeMap<>(filter.settings());
    this.configuration.putAll(more);
  }

  static List<Choice> ofWinnow() {
    return Arrays.stream(values()).filter(choice -> choice != BLOOM).collect(Collectors.toList());
  }

  /** Returns the name of a filter, as the setting {@code winnow.filter} has it. */
  String filter() {
    return filter.label;
  }
}
