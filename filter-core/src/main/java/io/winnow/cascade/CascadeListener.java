package io.winnow.cascade;

import java.nio.file.Path;

/**
 * Is told what a filter does, for metrics and logs. All methods do nothing unless they are
 * overridden.
 *
 * <p>They are called by the threads that do it, some of them with the filter's locks: they must
 * return soon. They may look keys up, and ask for the statistics of a filter. They must not insert,
 * delete, sync or close. What they throw is ignored.
 */
public interface CascadeListener {
  /** Hears nothing. */
  CascadeListener NONE = new CascadeListener() {};

  /** A merge that ended. */
  final class Merged {
    private final int rank;
    private final long entriesIn;
    private final long entriesOut;
    private final long bytesRead;
    private final long bytesWritten;
    private final long nanos;
    private final Throwable failure;

    public Merged(
        int rank,
        long entriesIn,
        long entriesOut,
        long bytesRead,
        long bytesWritten,
        long nanos,
        Throwable failure) {
      this.rank = rank;
      this.entriesIn = entriesIn;
      this.entriesOut = entriesOut;
      this.bytesRead = bytesRead;
      this.bytesWritten = bytesWritten;
      this.nanos = nanos;
      this.failure = failure;
    }

    /** Where it went to. */
    public int rank() {
      return rank;
    }

    /** Keys and tombstones that it took in. */
    public long entriesIn() {
      return entriesIn;
    }

    /** Those that it wrote. */
    public long entriesOut() {
      return entriesOut;
    }

    /** The bytes read from the drive. */
    public long bytesRead() {
      return bytesRead;
    }

    /** The bytes written to the drive. */
    public long bytesWritten() {
      return bytesWritten;
    }

    /** Since it began; other merges may have gone first. */
    public long nanos() {
      return nanos;
    }

    /** Why it came to nothing, or null; a merge that the close gave up has one too. */
    public Throwable failure() {
      return failure;
    }
  }

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
