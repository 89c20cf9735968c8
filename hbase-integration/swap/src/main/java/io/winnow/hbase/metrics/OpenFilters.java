package io.winnow.hbase.metrics;

import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.StockBloom;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * Numbers and bytes of the filters of all store files that are open at one moment. To make it, each
 * open file is visited, and nothing is read. Immutable once it is made.
 */
final class OpenFilters {
  /** Number of store files that have one kind of filter, and the bytes of these filters. */
  static final class Sum {
    long files;
    long bytes;

    private void add(BloomFilter filter) {
      files++;
      bytes += filter.getByteSize();
    }
  }

  /** Bytes of a family's open filters that Gets query, beside those of HBase's own filters. */
  static final class Size {
    static final Size NONE = new Size();

    long bytes;

    /** Bytes that HBase's own filters of the same files would take. */
    long stockBytes;
  }

  /** Number and bytes of the open filters that Gets query, for each kind of filter. */
  final Map<FilterChoice, Sum> general = new EnumMap<>(FilterChoice.class);

  /** Number and bytes of the open filters of delete-family markers, for each kind of filter. */
  final Map<FilterChoice, Sum> deleteFamily = new EnumMap<>(FilterChoice.class);

  /**
   * The column family of each open store, by the object in which HBase counts the queries to the
   * store's filters.
   */
  final Map<BloomFilterMetrics, FamilyCounters> stores = new IdentityHashMap<>();

  /** Sizes of the open filters of each column family. */
  final Map<FamilyCounters, Size> sizes = new HashMap<>();

  /** Number of open files without a filter for Gets, by the reason. */
  final Map<FileFilters.Lack, Long> without = new EnumMap<>(FileFilters.Lack.class);

  /** Size in bytes of the block caches that have filters' chunks, of all servers in this JVM. */
  long cacheBytes;

  private OpenFilters() {
    for (FilterChoice kind : FilterChoice.values()) {
      general.put(kind, new Sum());
      deleteFamily.put(kind, new Sum());
    }
  }

  /** Returns the numbers and bytes of the filters of all open files of the given regions. */
  static OpenFilters of(Collection<HRegion> regions) {
    OpenFilters filters = new OpenFilters();
    Set<BlockCache> caches = Collections.newSetFromMap(new IdentityHashMap<>());
    for (HRegion region : regions) {
      BlockCache cache = region.getBlockCache();
      if (cache != null && caches.add(cache)) {
        filters.cacheBytes += firstLevel(cache).size();
      }
      for (HStore store : region.getStores()) {
        filters.add(store);
      }
    }
    return filters;
  }

  /** Returns the level of a block cache that has filters' chunks, on the heap. */
  private static BlockCache firstLevel(BlockCache cache) {
    BlockCache[] levels = cache.getBlockCaches();
    return levels == null || levels.length == 0 ? cache : levels[0];
  }

  private void add(HStore store) {
    byte[] family = store.getColumnFamilyDescriptor().getName();
    FamilyCounters counters = Families.of(store.getTableName(), family);
    stores.put(store.getStoreEngine().getBloomFilterMetrics(), counters);
    Size size = sizes.computeIfAbsent(counters, unseen -> new Size());
    StockBloom stock = stockOf(store);
    boolean isWanted = store.getColumnFamilyDescriptor().getBloomFilterType() != BloomType.NONE;
    for (HStoreFile file : store.getStorefiles()) {
      StoreFileReader reader = file.getReader();
      if (reader != null) { // else it is being opened, or closed
        FileFilters filters = FileFilters.of(reader, isWanted);
        add(filters);
        if (filters.general != null) {
          long bytes = filters.general.getByteSize();
          size.bytes += bytes;
          size.stockBytes += stock == null ? bytes : Math.round(stock.bytes(filters.general));
        }
      }
    }
  }

  /**
   * Returns the calculator of the sizes of HBase's own filters with a store's settings; null if the
   * family wants no filter, or if a setting is wrong.
   */
  private static StockBloom stockOf(HStore store) {
    BloomType type = store.getColumnFamilyDescriptor().getBloomFilterType();
    try {
      return type == BloomType.NONE ? null : StockBloom.of(store.getReadOnlyConfiguration(), type);
    } catch (IllegalArgumentException e) {
      return null; // the page names the wrong setting
    }
  }

  private void add(FileFilters file) {
    if (file.general != null) {
      general.get(FilterChoice.of(file.general)).add(file.general);
    } else {
      without.merge(file.lack, 1L, Long::sum);
    }
    if (file.deleteFamily != null) {
      deleteFamily.get(FilterChoice.of(file.deleteFamily)).add(file.deleteFamily);
    }
  }
}
