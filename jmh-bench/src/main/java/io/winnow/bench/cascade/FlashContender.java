package io.winnow.bench.cascade;

import io.winnow.flash.store.IoCounters;
import java.io.Closeable;
import java.io.IOException;

/** A filter on flash, with the operations that are measured. */
public interface FlashContender extends Closeable {
  void insert(long keyHash) throws IOException;

  boolean mightContain(long keyHash) throws IOException;

  /**
   * Returns whether inserts may be counted up to here, because the work that they put off is done.
   * It is false only for work that is done all at once; background work is always under way.
   */
  default boolean mayStop() {
    return true;
  }

  /** Returns the number of inserts after which the filter's memory is in its steady state. */
  default long warmUp() {
    return 0;
  }

  /** Returns when all inserted keys are synced. */
  void sync() throws IOException;

  /** Returns the reads and writes of the drive so far. */
  IoCounters.Snapshot traffic();

  /** Returns the bytes that the filter takes on the drive. */
  long flashBytes() throws IOException;
}
