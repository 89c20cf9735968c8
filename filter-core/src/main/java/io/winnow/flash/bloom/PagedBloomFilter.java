package io.winnow.flash.bloom;

import io.winnow.flash.drive.IoCounters;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;

/**
 * Common part of the plain and the elevator Bloom filter on flash, where each bit of a key may be
 * on any page. The subclasses differ in how a bit gets to its page. {@code
 * docs/format/bit-pages-v1.md} describes the file.
 *
 * <p>Not thread-safe.
 */
abstract class PagedBloomFilter implements Closeable {
  final BitPages bits;
  private final BloomSizing sizing;
  private final long[] ofKey;

  PagedBloomFilter(BitPages bits, BloomSizing sizing) {
    this.bits = bits;
    this.sizing = sizing;
    this.ofKey = new long[sizing.hashFunctions()];
  }

  /**
   * Inserts a key, given by its hash, into the Bloom filter. If a damaged page must be changed, all
   * its bits are set, so that it rules out no key.
   *
   * @throws IllegalStateException if the filter is closed
   */
  public final void insert(long keyHash) throws IOException {
    bits.checkOpen();
    makeRoom(ofKey.length);
    BloomPositions.of(sizing, keyHash, ofKey);
    for (long position : ofKey) {
      set(position);
    }
  }

  /**
   * Returns whether the key with this hash may have been inserted.
   *
   * @throws IllegalStateException if the filter is closed
   */
  public final boolean mightContain(long keyHash) throws IOException {
    bits.checkOpen();
    BloomPositions.of(sizing, keyHash, ofKey);
    try {
      for (long position : ofKey) {
        if (!isSet(position)) {
          return false;
        }
      }
      return true;
    } catch (DamagedPageException e) {
      return true;
    }
  }

  /** Syncs the Bloom filter: returns when all earlier inserts are safe from a power failure. */
  public final void sync() throws IOException {
    bits.checkOpen();
    writeAndSync();
  }

  private void writeAndSync() throws IOException {
    writeBack();
    bits.sync();
  }

  /** Returns the counters of the Bloom filter's reads and writes. */
  public final IoCounters counters() {
    bits.checkOpen();
    return bits.store.counters;
  }

  /** Syncs the Bloom filter, and closes its store. */
  @Override
  public final void close() throws IOException {
    if (bits.isClosed()) {
      return;
    }
    try {
      writeAndSync();
    } finally {
      release();
      bits.close();
    }
  }

  /** Makes room for the positions of a key's bits before any of them is set. */
  abstract void makeRoom(int positions) throws IOException;

  /** Sets the bit of the Bloom filter at a position. */
  abstract void set(long position) throws IOException;

  /** Returns whether the bit of the Bloom filter at a position is set. */
  abstract boolean isSet(long position) throws IOException;

  /** Writes all changed bits of the Bloom filter in memory to their pages. */
  abstract void writeBack() throws IOException;

  /** Releases the Bloom filter's memory for pages. */
  abstract void release();
}
