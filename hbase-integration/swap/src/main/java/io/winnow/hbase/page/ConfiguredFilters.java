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

/** What a family asks for, and what HBase's own filters would be with its settings. Immutable. */
final class ConfiguredFilters {
  final FamilyFilters filters;

  /** Null if the family asks for no filter, or a setting means nothing. */
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
        // The filters' problem says so.
      }
    }
    FamilyFilters filters = FamilyFilters.of(site, table, family);
    return new ConfiguredFilters(filters, stock, type != BloomType.NONE);
  }

  /** Whether a compaction of the file would give it another filter, or one at last. */
  boolean isOutdated(FileFilters file) {
    if (file.general() != null) {
      return !List.of(filters.flush(), filters.minorCompaction(), filters.otherwise())
          .contains(FilterChoice.of(file.general()).label());
    }
    return file.lack() != FileFilters.Lack.NONE;
  }

  /** What HBase's own filter of the same keys would take; of one that is HBase's, its size. */
  double stockBytes(BloomFilter filter) {
    return filter instanceof WinnowFilterReader && stock != null
        ? stock.bytes(filter.getKeyCount())
        : filter.getByteSize();
  }

  /** The rate of a probe that the filter was made for; NaN if that is not known. */
  double askedRate(BloomFilter filter) {
    if (filter instanceof WinnowFilterReader) {
      WinnowFilterReader ours = (WinnowFilterReader) filter;
      return ours.configuredRate();
    }
    return stock == null ? Double.NaN : stock.askedRate();
  }

  /** The rate of a probe by what was built; of a filter of HBase's, by its keys and settings. */
  double builtRate(BloomFilter filter) {
    if (filter instanceof WinnowFilterReader) {
      WinnowFilterReader ours = (WinnowFilterReader) filter;
      return ours.estimatedRate();
    }
    return stock == null ? Double.NaN : stock.rate(filter.getKeyCount());
  }
}
