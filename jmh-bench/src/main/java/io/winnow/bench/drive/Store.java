package io.winnow.bench.drive;

import io.winnow.flash.store.IoSnapshot;
import java.io.Closeable;
import java.io.IOException;

/**
 * A map on flash from 64-bit keys to small values that is compared with others, with the operations
 * that are measured.
 */
interface Store extends Closeable {
  /**
   * Number of bytes in each value of the measured maps. An entry is like the record of a
   * de-duplicated chunk: 8 bytes of key, 24 of value.
   */
  int VALUE_BYTES = 24;

  void put(long key, byte[] value) throws IOException;

  /** Returns the value of a key, or null if the map does not have the key. */
  byte[] get(long key) throws IOException;

  /**
   * Returns whether the first entries must be put into the map in the order of their keys, because
   * in random order they would take too long.
   */
  default boolean isLoadedInOrder() {
    return false;
  }

  /**
   * Waits until the map does nothing in the background, and none of its entries are in the page
   * cache.
   */
  void settle() throws IOException;

  /** Returns the numbers of reads and writes of the drive by the map so far. */
  IoSnapshot traffic();

  /** Returns the bytes that the map takes on the drive. */
  long flashBytes() throws IOException;

  /**
   * Returns whether the map has evicted old entries for newer ones, so that a missing key may be
   * one of these.
   */
  default boolean hasEvicted() {
    return false;
  }
}
