package io.winnow.hbase.it;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * Tables with a column family for each filter, HBase's own among them, each named after it. One of
 * them has prefixes beside its rows, and this one and HBase's own have key segments.
 */
final class EveryFilter {
  static final String STOCK = "bloom";

  private static final String WITH_PREFIXES = "bumped-ribbon";

  private static final List<String> FILTERS = List.of(STOCK, "bumped-ribbon", "quotient", "ribbon");

  /** So many of them are not HBase's own. */
  static final int OURS = FILTERS.size() - 1;

  private EveryFilter() {}

  /** Each asks for the filter that it is named after, flushes too. */
  static ColumnFamilyDescriptor[] families(BloomType type) {
    return families(type, family -> {});
  }

  static ColumnFamilyDescriptor[] families(
      BloomType type, Consumer<ColumnFamilyDescriptorBuilder> more) {
    return FILTERS.stream()
        .map(filter -> family(filter, type, filter, more))
        .toArray(ColumnFamilyDescriptor[]::new);
  }

  /** All ask for HBase's own. */
  static ColumnFamilyDescriptor[] stockFamilies(BloomType type) {
    return stockFamilies(type, family -> {});
  }

  static ColumnFamilyDescriptor[] stockFamilies(
      BloomType type, Consumer<ColumnFamilyDescriptorBuilder> more) {
    return FILTERS.stream()
        .map(filter -> family(filter, type, STOCK, more))
        .toArray(ColumnFamilyDescriptor[]::new);
  }

  private static ColumnFamilyDescriptor family(
      String name, BloomType type, String filter, Consumer<ColumnFamilyDescriptorBuilder> more) {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(
            Rows.family(
                name, type, Map.of("winnow.filter", filter, "winnow.filter.flush", filter)));
    if (name.equals(WITH_PREFIXES)) {
      family.setConfiguration(
          "winnow.scan.prefix", filter.equals(STOCK) ? "none" : "" + Rows.SCANNED_PREFIX_SIZE);
    }
    if (name.equals(WITH_PREFIXES) || name.equals(STOCK)) {
      family.setConfiguration("winnow.scan.segment", Rows.SCANNED_PREFIX_SIZE + ",2");
    }
    more.accept(family);
    return family.build();
  }

  /** The filters of the families' files: so many times the family's own, and these. */
  static Map<String, List<String>> filters(int own, String... others) {
    Map<String, List<String>> filters = new TreeMap<>();
    for (String family : FILTERS) {
      filters.put(
          family,
          Stream.concat(Stream.generate(() -> family).limit(own), Arrays.stream(others))
              .sorted()
              .collect(Collectors.toList()));
    }
    return filters;
  }
}
