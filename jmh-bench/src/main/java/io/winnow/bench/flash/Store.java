package io.winnow.bench.flash;

import io.winnow.flash.store.IoCounters;
import java.io.Closeable;
import java.io.IOException;

/** A map on flash from 64-bit keys to small values, with the operations that are measured. */
interface Store extends Closeable {
  /**
   * Bytes of a value. An entry is like the record of a de-duplicated chunk: 8 bytes of key, 24 of
   * value.
   */
  int VALUE_BYTES = 24;

  void put(long key, byte[] value) throws IOException;

  /** Returns the value, or null if there is none. */
  byte[] get(long key) throws IOException;

  /**
   * Returns whether the first entries must come in the order of their keys, because at random they
   * would take too long.
   */
  default boolean isLoadedInOrder() {
    return false;
  }

  /** Waits until nothing runs in the background, and no entries are in the page cache. */
  void settle() throws IOException;

  /** Returns the reads and writes of the drive so far. */
  IoCounters.Snapshot traffic();

  /** Returns the bytes that the map takes on the drive. */
  long flashBytes() throws IOException;

  /**
   * Returns whether entries were evicted for newer ones, so that a missing key may be one of these.
   */
  default boolean hasEvicted() {
    return false;
  }
}
