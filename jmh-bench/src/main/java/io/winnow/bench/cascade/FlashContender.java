package io.winnow.bench.cascade;

import io.winnow.flash.store.IoCounters;
import java.io.Closeable;
import java.io.IOException;

/** A filter on flash, as far as it is measured. */
public interface FlashContender extends Closeable {
  void insert(long keyHash) throws IOException;

  boolean mightContain(long keyHash) throws IOException;

  /**
   * Whether inserts may be counted up to here: what they put off since the last time is done. Only
   * where that is all or nothing; work in the background is always under way.
   */
  default boolean mayStop() {
    return true;
  }

  /** How many inserts it takes until its memory is in the state that it stays in. */
  default long warmUp() {
    return 0;
  }

  /** Returns when what was inserted is safe. */
  void sync() throws IOException;

  /** What went to and from the drive since the beginning. */
  IoCounters.Snapshot traffic();

  /** What it takes on the drive. */
  long flashBytes() throws IOException;
}
