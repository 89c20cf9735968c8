package io.winnow.flash.bloom;

import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.IoCounters;
import java.io.Closeable;
import java.io.IOException;

/**
 * What the plain and the elevator Bloom filter have in common: the bits of a key lie anywhere in
 * the filter, each on a page of its own. They differ in how a bit gets to its page. {@code
 * docs/format/bit-pages-v1.md} has the bytes of their file.
 *
 * <p>One thread at a time.
 */
abstract class PagedBloomFilter implements Closeable {
  final BitPages bits;
  private final BloomSizing sizing;
  private final long[] ofKey;
  private boolean closed;

  PagedBloomFilter(BitPages bits, BloomSizing sizing) {
    this.bits = bits;
    this.sizing = sizing;
    this.ofKey = new long[sizing.hashFunctions()];
  }

  /**
   * Inserts a key by its hash. A damaged page that must be changed gets all bits, so that it denies
   * no key.
   *
   * @throws IllegalStateException if the filter is closed
   */
  public final void insert(long keyHash) throws IOException {
    checkOpen();
    makeRoom(ofKey.length);
    BloomPositions.of(sizing, keyHash, ofKey);
    for (long position : ofKey) {
      set(position);
    }
  }

  /**
   * Whether the key with this hash may have been inserted.
   *
   * @throws IllegalStateException if the filter is closed
   */
  public final boolean mightContain(long keyHash) throws IOException {
    checkOpen();
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

  /** Returns when all that was inserted is safe from a power failure. */
  public final void sync() throws IOException {
    checkOpen();
    makeSafe();
  }

  private void makeSafe() throws IOException {
    writeBack();
    bits.makeSafe();
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the filter in " + bits.store.name() + " is closed");
    }
  }

  /** What has been read and written. */
  public final IoCounters counters() {
    checkOpen();
    return bits.store.counters();
  }

  /** Syncs, and closes the store. */
  @Override
  public final void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      makeSafe();
    } finally {
      release();
      bits.close();
    }
  }

  /** Makes room for so many positions, before any of them is set. */
  abstract void makeRoom(int positions) throws IOException;

  abstract void set(long position) throws IOException;

  abstract boolean isSet(long position) throws IOException;

  /** Brings all that waits in memory to its pages. */
  abstract void writeBack() throws IOException;

  /** Gives the memory back. */
  abstract void release();
}
