package io.winnow.flash;

import java.io.Closeable;
import java.io.IOException;

/**
 * A Bloom filter on flash whose bits wait in memory until there are many of them, and are then
 * written in one sweep, in the order of their pages.
 *
 * <p>No false negatives, for bits that wait neither; the rate is {@link BloomSizing#expectedRate}
 * of the keys inserted so far.
 *
 * <p>Cost: a position takes 11 bytes of the given memory, and a sweep reads and writes each page
 * that one of them is on, once. So a page is written for as many bits as the memory has positions
 * per page of the filter; the insert that finds no room waits for the sweep. A lookup reads up to
 * {@code k} pages and stops at the first bit that is zero: two on average for an absent key, when
 * the filter is full.
 *
 * <p>A damaged page is answered with "present". A sweep that fails fails the insert that needed it,
 * and will be tried again by the next; its positions wait on. What was inserted since {@link #sync}
 * may be lost when the process dies.
 *
 * <p>One thread at a time.
 *
 * <p>Source: the "elevator BF" of Bender et al., "Don't Thrash: How to Cache Your Hash on Flash",
 * HotStorage 2011, section 3. Deviations: positions wait in a hash set, so that lookups find them;
 * and adjacent pages may share a request, if the caller wants that.
 */
public final class ElevatorBloomFilter implements Closeable {
  private final BitPages bits;
  private final BloomPositions positions;
  private final long[] ofKey;
  private final PositionQueue queue;
  private final PageFrame frame;
  private boolean closed;

  private ElevatorBloomFilter(
      BitPages bits, BloomSizing sizing, PositionQueue queue, int requestPages) {
    this.bits = bits;
    this.positions = BloomPositions.of(sizing);
    this.ofKey = new long[sizing.hashFunctions()];
    this.queue = queue;
    this.frame = PageFrames.allocate(requestPages, bits.store().pageBytes());
  }

  /**
   * An empty filter in an empty store, whose pages are written now, and which is closed with the
   * filter.
   *
   * @param memoryBytes of the positions that wait: enough for those of one key
   * @param requestPages how many adjacent pages a sweep may read or write at once: 1 as in the
   *     source, or more to trade small requests for large ones
   */
  public static ElevatorBloomFilter create(
      PageStore store, BloomSizing sizing, long memoryBytes, int requestPages) throws IOException {
    PositionQueue queue = queue(sizing, memoryBytes, requestPages);
    return new ElevatorBloomFilter(
        BitPages.create(store, sizing.bits()), sizing, queue, requestPages);
  }

  /**
   * The filter of this size in a store. The pages hold its bits and nothing else: what they mean is
   * for the caller to know.
   *
   * @throws IllegalArgumentException if the store has not exactly the pages that it takes
   */
  public static ElevatorBloomFilter open(
      PageStore store, BloomSizing sizing, long memoryBytes, int requestPages) {
    PositionQueue queue = queue(sizing, memoryBytes, requestPages);
    return new ElevatorBloomFilter(
        BitPages.open(store, sizing.bits()), sizing, queue, requestPages);
  }

  private static PositionQueue queue(BloomSizing sizing, long memoryBytes, int requestPages) {
    if (requestPages < 1) {
      throw new IllegalArgumentException("requests of " + requestPages + " pages");
    }
    PositionQueue queue = new PositionQueue(memoryBytes);
    if (queue.room() < sizing.hashFunctions()) {
      throw new IllegalArgumentException(
          memoryBytes
              + " bytes of memory have room for "
              + queue.room()
              + " positions, a key has "
              + sizing.hashFunctions());
    }
    return queue;
  }

  /**
   * Inserts a key by its hash.
   *
   * @throws DamagedPageException if the sweep that must make room for it found a damaged page
   */
  public void insert(long keyHash) throws IOException {
    if (queue.room() < ofKey.length) {
      sweep();
    }
    positions.of(keyHash, ofKey);
    for (long position : ofKey) {
      queue.add(position);
    }
  }

  /** Whether the key with this hash may have been inserted. */
  public boolean mightContain(long keyHash) throws IOException {
    positions.of(keyHash, ofKey);
    try {
      for (long position : ofKey) {
        if (!queue.contains(position) && !isSetOnFlash(position)) {
          return false;
        }
      }
      return true;
    } catch (DamagedPageException e) {
      return true;
    }
  }

  private boolean isSetOnFlash(long position) throws IOException {
    bits.store().read(bits.page(position), frame);
    return bits.isSet(position, frame, 0);
  }

  /** Brings all that waits to its pages. */
  private void sweep() throws IOException {
    queue.sort();
    int next = 0;
    while (next < queue.size()) {
      long first = bits.page(queue.sorted(next));
      long last = first;
      int end = next + 1;
      while (end < queue.size() && shareARequest(first, last, bits.page(queue.sorted(end)))) {
        last = bits.page(queue.sorted(end++));
      }
      int pages = (int) (last - first) + 1;
      bits.store().read(first, pages, frame);
      for (; next < end; next++) {
        long position = queue.sorted(next);
        bits.set(position, frame, (int) (bits.page(position) - first));
      }
      bits.store().write(first, pages, frame);
    }
    queue.clear();
  }

  private boolean shareARequest(long first, long last, long page) {
    return page <= last + 1 && page < first + frame.pages();
  }

  /** Returns when all that was inserted is safe from a power failure. */
  public void sync() throws IOException {
    if (!queue.isEmpty()) {
      sweep();
    }
    bits.store().force();
  }

  public BloomSizing sizing() {
    return positions.sizing();
  }

  /** What has been read and written. */
  public IoCounters counters() {
    return bits.store().counters();
  }

  /** Syncs, and closes the store. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      sync();
    } finally {
      frame.close();
      bits.store().close();
    }
  }
}
