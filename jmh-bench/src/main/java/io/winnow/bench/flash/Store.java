package io.winnow.bench.flash;

import io.winnow.flash.store.IoCounters;
import java.io.Closeable;
import java.io.IOException;

/** A map on flash from 64-bit keys to small values, as far as it is measured. */
interface Store extends Closeable {
  /** Of an entry, as of a chunk that is kept once: 8 bytes of key, 24 of value. */
  int VALUE_BYTES = 24;

  void put(long key, byte[] value) throws IOException;

  /** The value, or null if there is none. */
  byte[] get(long key) throws IOException;

  /** Whether it takes its first entries in the order of their keys: at random it takes too long. */
  default boolean isLoadedInOrder() {
    return false;
  }

  /** Returns when nothing goes on in the background, and what was put is not in the page cache. */
  void settle() throws IOException;

  /** What went to and from the drive since the beginning. */
  IoCounters.Snapshot traffic();

  /** What it takes on the drive. */
  long flashBytes() throws IOException;

  /** Whether entries made way for newer ones, so that one that is not found may be one of these. */
  default boolean hasEvicted() {
    return false;
  }
}
