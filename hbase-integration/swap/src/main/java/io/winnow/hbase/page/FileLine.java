package io.winnow.hbase.page;

import io.winnow.FilterFormatException;
import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.metrics.FileFilters;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.FilterChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Facts about one open store file and its filters: a row of the list of files on the page {@code
 * /winnow}.
 */
final class FileLine {
  final String region;
  final HStoreFile file;
  final StoreFileReader reader;
  final ConfiguredFilters configured;
  private final FileFilters filters;

  FileLine(
      String region,
      HStoreFile file,
      StoreFileReader reader,
      ConfiguredFilters configured,
      FileFilters filters) {
    this.region = region;
    this.file = file;
    this.reader = reader;
    this.configured = configured;
    this.filters = filters;
  }

  /**
   * Returns a row of the list for each open file of a family; empty if no such family is open on
   * this server.
   *
   * @param table name of the table, as printed
   * @param family name of the family, as printed
   */
  static List<FileLine> of(PageInput input, String table, String family) {
    List<FileLine> lines = new ArrayList<>();
    ConfiguredFilters configured = null;
    for (HRegion region : input.view.regions) {
      if (!region.getTableDescriptor().getTableName().getNameAsString().equals(table)) {
        continue;
      }
      for (HStore store : region.getStores()) {
        ColumnFamilyDescriptor descriptor = store.getColumnFamilyDescriptor();
        if (Bytes.toStringBinary(descriptor.getName()).equals(family)) {
          if (configured == null) {
            configured = ConfiguredFilters.of(input.site, region.getTableDescriptor(), descriptor);
          }
          addAll(region.getRegionInfo().getEncodedName(), store, configured, lines);
        }
      }
    }
    return lines;
  }

  private static void addAll(
      String region, HStore store, ConfiguredFilters configured, List<FileLine> lines) {
    for (HStoreFile file : store.getStorefiles()) {
      StoreFileReader reader = file.getReader();
      if (reader != null) { // null while the file is opened or closed
        FileFilters filters = FileFilters.of(reader, configured.wantsFilter);
        lines.add(new FileLine(region, file, reader, configured, filters));
      }
    }
  }

  String name() {
    return file.getPath().getName();
  }

  long bytes() {
    return reader.length();
  }

  long cells() {
    return reader.getEntries();
  }

  String filter() {
    return filters.general == null
        ? filters.lack.name().toLowerCase(Locale.ROOT)
        : FilterChoice.of(filters.general).label;
  }

  /**
   * Returns <i>yes</i> if the file has the filter that the family's settings select, or else
   * <i>no</i> and the name of the selected filter.
   */
  String asConfigured() {
    return configured.isOutdated(filters) ? "no: " + configured.filters.inWords() : "yes";
  }

  Long keys() {
    return filters.general == null ? null : filters.general.getKeyCount();
  }

  Long filterBytes() {
    return filters.general == null ? null : filters.general.getByteSize();
  }

  double bitsPerKey() {
    return ofFilter(filter -> 8.0 * filter.getByteSize() / filter.getKeyCount());
  }

  double askedRate() {
    return ofFilter(configured::askedRate);
  }

  /**
   * Returns in words why the file's filter has its false-positive rate; empty if the file does not
   * record it, null for HBase's own filters.
   */
  String whyThisRate() {
    return filters.general instanceof WinnowFilterReader
        ? ((WinnowFilterReader) filters.general).whyThisRate()
        : null;
  }

  double builtRate() {
    return ofFilter(configured::builtRate);
  }

  private double ofFilter(ToDoubleFunction<BloomFilter> fact) {
    BloomFilter filter = filters.general;
    return filter == null ? Double.NaN : fact.applyAsDouble(filter);
  }

  /** Returns the rule and the number of intervals of the file's segments; null without them. */
  String segment() {
    try {
      KeySegment segment = KeySegment.in(reader.getHFileReader().getHFileInfo());
      return segment == null ? null : segment.rule + ": " + segment.intervals();
    } catch (FilterFormatException e) {
      return e.getMessage();
    }
  }

  String deleteFamilyFilter() {
    return filters.deleteFamily == null ? null : FilterChoice.of(filters.deleteFamily).label;
  }

  Long deleteFamilyBytes() {
    return filters.deleteFamily == null ? null : filters.deleteFamily.getByteSize();
  }
}
