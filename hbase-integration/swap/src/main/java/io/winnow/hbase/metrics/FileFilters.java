package io.winnow.hbase.metrics;

import io.winnow.hbase.HBaseMember;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
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

  private static final MethodHandle GENERAL = getter(HBaseMember.GENERAL_FILTER);
  private static final MethodHandle DELETE_FAMILY = getter(HBaseMember.DELETE_FAMILY_FILTER);

  private static MethodHandle getter(HBaseMember member) {
    return member.getter(BloomFilter.class, StoreFileReader.class);
  }

  /**
   * @param isWanted whether the file's family asks for a filter
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

  private static BloomFilter filter(MethodHandle getter, StoreFileReader reader) {
    try {
      return (BloomFilter) getter.invokeExact(reader);
    } catch (Throwable e) {
      throw new IllegalStateException(e); // a field is read
    }
  }
}
