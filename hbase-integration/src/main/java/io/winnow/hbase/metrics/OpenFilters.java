package io.winnow.hbase.metrics;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * The filters of all store files that are open at one moment. Costs a visit to every open file, and
 * no read. Immutable once it is made.
 */
final class OpenFilters {
  /** Files of one kind, and the bytes of their filters. */
  static final class Sum {
    private long files;
    private long bytes;

    private void add(BloomFilter filter) {
      files++;
      bytes += filter.getByteSize();
    }

    long files() {
      return files;
    }

    long bytes() {
      return bytes;
    }
  }

  /** The reader's filter of delete-family markers; null if this HBase has no such field. */
  private static final Field DELETE_FAMILY = deleteFamilyField();

  private final Map<FilterKind, Sum> general = new EnumMap<>(FilterKind.class);
  private final Map<FilterKind, Sum> deleteFamily = new EnumMap<>(FilterKind.class);
  private final Map<BloomFilterMetrics, FamilyCounters> stores = new IdentityHashMap<>();
  private long none;
  private long missing;
  private long unreadable;

  private OpenFilters() {
    for (FilterKind kind : FilterKind.values()) {
      general.put(kind, new Sum());
      deleteFamily.put(kind, new Sum());
    }
  }

  private static Field deleteFamilyField() {
    try {
      Field field = StoreFileReader.class.getDeclaredField("deleteFamilyBloomFilter");
      field.setAccessible(true);
      return field;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  static OpenFilters of(Collection<HRegion> regions) {
    OpenFilters filters = new OpenFilters();
    for (HRegion region : regions) {
      for (HStore store : region.getStores()) {
        filters.add(store);
      }
    }
    return filters;
  }

  private void add(HStore store) {
    byte[] family = store.getColumnFamilyDescriptor().getName();
    stores.put(
        store.getStoreEngine().getBloomFilterMetrics(), Families.of(store.getTableName(), family));
    boolean isWanted = store.getColumnFamilyDescriptor().getBloomFilterType() != BloomType.NONE;
    for (HStoreFile file : store.getStorefiles()) {
      StoreFileReader reader = file.getReader();
      if (reader != null) { // else it is being opened, or closed
        add(reader, isWanted);
      }
    }
  }

  private void add(StoreFileReader reader, boolean isWanted) {
    BloomFilter filter = reader.getGeneralBloomFilter();
    if (filter != null) {
      general.get(FilterKind.of(filter)).add(filter);
    } else if (hasMetaBlock(reader)) {
      unreadable++;
    } else if (isWanted && reader.getEntries() > 0) {
      missing++;
    } else {
      none++;
    }
    BloomFilter markers = deleteFamilyFilter(reader);
    if (markers != null) {
      deleteFamily.get(FilterKind.of(markers)).add(markers);
    }
  }

  /**
   * Whether the file was written with a filter: one whose filter was given up at its end has a
   * Bloom type all the same. The block is in memory since the file was opened.
   */
  private static boolean hasMetaBlock(StoreFileReader reader) {
    try {
      return reader.getBloomFilterType() != BloomType.NONE
          && reader.getHFileReader().getGeneralBloomFilterMetadata() != null;
    } catch (IOException e) {
      return true;
    }
  }

  private static BloomFilter deleteFamilyFilter(StoreFileReader reader) {
    try {
      return DELETE_FAMILY == null ? null : (BloomFilter) DELETE_FAMILY.get(reader);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e); // it was made accessible
    }
  }

  Sum general(FilterKind kind) {
    return general.get(kind);
  }

  Sum deleteFamily(FilterKind kind) {
    return deleteFamily.get(kind);
  }

  /** Files without a filter, whose families ask for none. */
  long none() {
    return none;
  }

  /** Files without a filter, whose families ask for one. */
  long missing() {
    return missing;
  }

  /** Files that have a filter which could not be opened. */
  long unreadable() {
    return unreadable;
  }

  /** What HBase counts of each open store's filters, and the family it is about. */
  Map<BloomFilterMetrics, FamilyCounters> stores() {
    return stores;
  }
}
