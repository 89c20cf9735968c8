package io.winnow.cascade;

import io.winnow.base.FieldText;
import java.nio.file.Path;

/**
 * Receives events of a cascade filter, for metrics and logs. All methods do nothing unless they are
 * overridden.
 *
 * <p>The filter's threads call them, sometimes with its locks held: they must return soon. They may
 * look keys up and call {@code statistics()}. They must not insert, delete, sync or close. Their
 * exceptions are ignored.
 */
public interface CascadeListener {
  /** A listener that ignores all events of a cascade filter. */
  CascadeListener NONE = new CascadeListener() {};

  /** Description of an ended merge of a cascade filter's levels. */
  final class Merged {
    private final int rank;
    private final long entriesIn;
    private final long entriesOut;
    private final long bytesRead;
    private final long bytesWritten;
    private final long nanos;
    private final Throwable failure;

    /** Creates the description of an ended merge; {@code failure} is null if it succeeded. */
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

    /** Returns the rank of the level that the merge wrote. */
    public int rank() {
      return rank;
    }

    /** Returns the number of keys and tombstones that the merge read. */
    public long entriesIn() {
      return entriesIn;
    }

    /** Returns the number of keys and tombstones that the merge wrote. */
    public long entriesOut() {
      return entriesOut;
    }

    /** Returns the bytes that the merge read from the drive. */
    public long bytesRead() {
      return bytesRead;
    }

    /** Returns the bytes that the merge wrote to the drive. */
    public long bytesWritten() {
      return bytesWritten;
    }

    /**
     * Returns the nanoseconds since the merge began, including the time it waited for other merges.
     */
    public long nanos() {
      return nanos;
    }

    /**
     * Returns the reason why the merge failed, or null. A merge that {@code close()} abandoned has
     * a reason too.
     */
    public Throwable failure() {
      return failure;
    }

    @Override
    public String toString() {
      return FieldText.of(this);
    }
  }

  /**
   * Receives the begin of a merge of levels.
   *
   * @param rank rank of the level that it writes
   * @param entries entries of its sources
   */
  default void mergeBegan(int rank, long entries) {}

  /** Receives the end of a merge of levels, successful or failed. */
  default void mergeEnded(Merged merge) {}

  /**
   * Receives the wait of an insert for a merge.
   *
   * @param stalled whether it waited until the frozen memory level was written; otherwise it waited
   *     for its share of the merges, which is short
   */
  default void insertWaited(long nanos, boolean stalled) {}

  /** Receives the fsync of a file or directory, successful or failed. */
  default void fsynced(Path path, long nanos, boolean failed) {}

  /**
   * Receives the failure of a lookup, which returned {@code true} because a page could not be read.
   */
  default void lookupFailed(Throwable reason) {}

  /**
   * Receives the loss of a page: a merge could not read it and left it out.
   *
   * @param doubtfulShare the share of all fingerprints that are in doubt by now
   */
  default void pageLost(double doubtfulShare, Throwable reason) {}
}
