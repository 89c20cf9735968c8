package io.winnow.hbase.metrics;

import io.winnow.hbase.FilterFacts;
import io.winnow.hbase.WinnowFilterReader;
import java.io.IOException;
import java.lang.reflect.Field;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * The filters of one store file that is open. Looks at what is in memory since the file was opened,
 * and reads nothing. Immutable.
 */
public final class FileFilters {
  private final BloomFilter general;
  private final BloomFilter deleteFamily;
  private final Lack lack;

  public FileFilters(BloomFilter general, BloomFilter deleteFamily, Lack lack) {
    this.general = general;
    this.deleteFamily = deleteFamily;
    this.lack = lack;
  }

  /** The filter that Gets ask; null if there is none. */
  public BloomFilter general() {
    return general;
  }

  /** The filter of delete-family markers; null if there is none. */
  public BloomFilter deleteFamily() {
    return deleteFamily;
  }

  /** Why there is no filter for Gets; null if there is one. */
  public Lack lack() {
    return lack;
  }

  /** Why a file has no filter that Gets could ask. */
  public enum Lack {
    /** The family asks for none, or the file is empty. */
    NONE,
    /** The family asks for one. */
    MISSING,
    /** The file has one, which could not be opened. */
    UNREADABLE
  }

  /** The reader's filter of delete-family markers; null if this HBase has no such field. */
  private static final Field DELETE_FAMILY = deleteFamilyField();

  private static Field deleteFamilyField() {
    try {
      Field field = StoreFileReader.class.getDeclaredField("deleteFamilyBloomFilter");
      field.setAccessible(true);
      return field;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  /**
   * @param isWanted whether the file's family asks for a filter
   */
  public static FileFilters of(StoreFileReader reader, boolean isWanted) {
    BloomFilter general = reader.getGeneralBloomFilter();
    Lack lack = null;
    if (general == null) {
      lack =
          hasMetaBlock(reader)
              ? Lack.UNREADABLE
              : isWanted && reader.getEntries() > 0 ? Lack.MISSING : Lack.NONE;
    }
    return new FileFilters(general, deleteFamilyOf(reader), lack);
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

  private static BloomFilter deleteFamilyOf(StoreFileReader reader) {
    try {
      return DELETE_FAMILY == null ? null : (BloomFilter) DELETE_FAMILY.get(reader);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e); // it was made accessible
    }
  }

  /** What a filter is, as {@code winnow.filter} names it. */
  public static String label(BloomFilter filter) {
    return filter instanceof WinnowFilterReader
        ? ((WinnowFilterReader) filter).type().label()
        : FilterFacts.STOCK;
  }
}
