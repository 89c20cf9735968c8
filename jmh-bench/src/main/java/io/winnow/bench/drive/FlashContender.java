package io.winnow.bench.drive;

import io.winnow.flash.store.IoSnapshot;
import java.io.Closeable;
import java.io.IOException;

/** A filter on flash that is compared with others, with the operations that are measured. */
public interface FlashContender extends Closeable {
  void insert(long keyHash) throws IOException;

  boolean mightContain(long keyHash) throws IOException;

  /**
   * Returns whether a measurement of inserts may end now, because the work that the filter puts off
   * is done. It is false only for work that is done all at once; background work is always under
   * way.
   */
  default boolean mayStop() {
    return true;
  }

  /** Returns the number of inserts after which the filter's memory is in its steady state. */
  default long warmUp() {
    return 0;
  }

  /** Makes all inserted keys durable on the drive. */
  void sync() throws IOException;

  /** Returns the numbers of reads and writes of the drive by the filter so far. */
  IoSnapshot traffic();

  /** Returns the bytes that the filter takes on the drive. */
  long flashBytes() throws IOException;
}
