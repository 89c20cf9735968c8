package io.winnow.hbase.metrics;

import io.winnow.hbase.HBaseMember;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * The filters of one open store file: the one that Gets query, and the one of delete-family
 * markers. Uses blocks that are in memory since the file was opened, and reads nothing. Immutable.
 */
public final class FileFilters {

  /** The store file's filter that Gets query; null if there is none. */
  public final BloomFilter general;

  /** The store file's filter of delete-family markers; null if there is none. */
  public final BloomFilter deleteFamily;

  /** The reason why the store file has no filter for Gets; null if it has one. */
  public final Lack lack;

  /**
   * Creates the pair of a store file's filters: the one that Gets query, and the one of
   * delete-family markers.
   *
   * @param general the filter of rows or columns; null if there is none
   * @param deleteFamily the filter of delete-family markers; null if there is none
   * @param lack the reason why there is no general filter; null if there is one
   */
  public FileFilters(BloomFilter general, BloomFilter deleteFamily, Lack lack) {
    this.general = general;
    this.deleteFamily = deleteFamily;
    this.lack = lack;
  }

  /** Reason why a store file has no filter for Gets. */
  public enum Lack {
    /** No filter, because the settings of the family select none, or because the file is empty. */
    NONE("openFilesNone", "Open files without a filter, whose families want none"),
    /** No filter, although the settings of the family select one. */
    MISSING("openFilesMissing", "Open files without a filter, whose families want one"),
    /** A filter that the file has and that could not be opened. */
    UNREADABLE("openFilesUnreadable", "Open files with a filter that could not be opened");

    /** The name in JMX of the number of such files. */
    final String metric;

    /** The meaning of the number. */
    final String meaning;

    Lack(String metric, String meaning) {
      this.metric = metric;
      this.meaning = meaning;
    }
  }

  private static final MethodHandle GENERAL = getter(HBaseMember.GENERAL_FILTER);
  private static final MethodHandle DELETE_FAMILY = getter(HBaseMember.DELETE_FAMILY_FILTER);

  private static MethodHandle getter(HBaseMember member) {
    return member.getter(BloomFilter.class, StoreFileReader.class);
  }

  /**
   * Returns the filters of the store file that a reader has open.
   *
   * @param isWanted true if the file's family wants a filter
   */
  public static FileFilters of(StoreFileReader reader, boolean isWanted) {
    BloomFilter general = filter(GENERAL, reader);
    Lack lack = null;
    if (general == null) {
      lack =
          hasMetaBlock(reader)
              ? Lack.UNREADABLE
              : isWanted && reader.getEntries() > 0 ? Lack.MISSING : Lack.NONE;
    }
    return new FileFilters(general, filter(DELETE_FAMILY, reader), lack);
  }

  /**
   * Returns true if the store file was written with a filter, and so has the filter's meta block. A
   * file whose filter was abandoned at its end has a Bloom type too, but no meta block. The block
   * is in memory since the file was opened.
   */
  private static boolean hasMetaBlock(StoreFileReader reader) {
    try {
      return reader.getBloomFilterType() != BloomType.NONE
          && reader.getHFileReader().getGeneralBloomFilterMetadata() != null;
    } catch (IOException e) {
      return true;
    }
  }

  private static BloomFilter filter(MethodHandle getter, StoreFileReader reader) {
    try {
      return (BloomFilter) getter.invokeExact(reader);
    } catch (Throwable e) {
      throw new IllegalStateException(e); // a field is read
    }
  }
}
