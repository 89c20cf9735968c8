package io.winnow.hbase.page;

import io.winnow.hbase.metrics.FileFilters;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.FamilyConfiguration;
import io.winnow.hbase.settings.FamilyFilters;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.StockBloom;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * Filters that a family's settings select, and HBase's own filters with the same settings for
 * comparison. Immutable.
 */
final class ConfiguredFilters {
  final FamilyFilters filters;

  /**
   * Calculator of the sizes and rates of HBase's own filters with the family's settings; null if
   * BLOOMFILTER is NONE, or if a setting is wrong.
   */
  final StockBloom stock;

  final boolean wantsFilter;

  ConfiguredFilters(FamilyFilters filters, StockBloom stock, boolean wantsFilter) {
    this.filters = filters;
    this.stock = stock;
    this.wantsFilter = wantsFilter;
  }

  static ConfiguredFilters of(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    BloomType type = family.getBloomFilterType();
    StockBloom stock = null;
    if (type != BloomType.NONE) {
      try {
        Configuration conf = FamilyConfiguration.of(site, table, family);
        stock = StockBloom.of(conf, type);
      } catch (IllegalArgumentException e) {
        // The problem of the filters names the wrong setting.
      }
    }
    FamilyFilters filters = FamilyFilters.of(site, table, family);
    return new ConfiguredFilters(filters, stock, type != BloomType.NONE);
  }

  /**
   * Returns true if a compaction would replace a file's filter by one of another kind, or write a
   * filter where the file has none.
   */
  boolean isOutdated(FileFilters file) {
    if (file.general != null) {
      return !List.of(filters.flush, filters.minorCompaction, filters.otherwise)
          .contains(FilterChoice.of(file.general).label);
    }
    return file.lack != FileFilters.Lack.NONE;
  }

  /**
   * Returns the false-positive rate of a probe that the family's settings select; NaN if there is
   * none.
   */
  double familyRate() {
    return stock == null ? Double.NaN : stock.configuredRate;
  }

  /**
   * Returns the bytes that HBase's own filter of the same keys would take. For a filter of HBase's,
   * returns its size.
   */
  double stockBytes(BloomFilter filter) {
    return stock == null ? filter.getByteSize() : stock.bytes(filter);
  }

  /**
   * Returns the false-positive rate of a probe for which a filter was sized; NaN if it is unknown.
   */
  double askedRate(BloomFilter filter) {
    if (filter instanceof WinnowFilterReader) {
      return ((WinnowFilterReader) filter).configuredRate();
    }
    return familyRate();
  }

  /**
   * Returns the false-positive rate of a probe that a filter has with the keys that it contains.
   * For a filter of HBase's, it is computed from its keys and the family's settings.
   */
  double builtRate(BloomFilter filter) {
    if (filter instanceof WinnowFilterReader) {
      return ((WinnowFilterReader) filter).estimatedRate();
    }
    return stock == null ? Double.NaN : stock.rate(filter.getKeyCount());
  }
}
