package io.winnow.cascade;

import java.nio.file.Path;

/**
 * Is told what a filter does, for metrics and logs. All methods do nothing unless they are
 * overridden.
 *
 * <p>They are called by the threads that do it, some of them with the filter's locks: they must
 * return soon. They may look keys up, and ask for the statistics of a filter or a window. They must
 * not insert, delete, sync, rotate or close. What they throw is ignored.
 */
public interface CascadeListener {
  /** Hears nothing. */
  CascadeListener NONE = new CascadeListener() {};

  /**
   * A merge that ended.
   *
   * @param rank where it went to
   * @param entriesIn keys and tombstones that it took in
   * @param entriesOut those that it wrote
   * @param bytesRead from the drive
   * @param bytesWritten to the drive
   * @param nanos since it began; other merges may have gone first
   * @param failure why it came to nothing, or null; a merge that the close gave up has one too
   */
  record Merged(
      int rank,
      long entriesIn,
      long entriesOut,
      long bytesRead,
      long bytesWritten,
      long nanos,
      Throwable failure) {}

  /** A merge of so many entries began. */
  default void mergeBegan(int rank, long entries) {}

  default void mergeEnded(Merged merge) {}

  /**
   * An insert waited.
   *
   * @param stalled whether it was for a level in memory to be written; else it was for its share of
   *     the merges, which is short
   */
  default void insertWaited(long nanos, boolean stalled) {}

  /** A file or a directory was made safe, or that failed. */
  default void fsynced(Path path, long nanos, boolean failed) {}

  /** A lookup was answered "present", since a page could not be read. */
  default void lookupFailed(Throwable reason) {}

  /**
   * A merge went on without a page.
   *
   * @param doubtfulShare the share of all keys that is in doubt by now
   */
  default void pageLost(double doubtfulShare, Throwable reason) {}
}
