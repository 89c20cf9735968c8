package io.winnow.flash.bloom;

import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
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
 * <p>A damaged page, or an older version of one, is answered with "present"; this remains so when
 * keys are inserted that have bits on it. A sweep that fails fails the insert that needed it, and
 * will be tried again by the next; its positions wait on. Keys that were inserted since {@link
 * #sync} may be lost when the process dies.
 *
 * <p>One thread at a time.
 *
 * <p>Source: the "elevator BF" of Bender et al., "Don't Thrash: How to Cache Your Hash on Flash",
 * HotStorage 2011, section 3. Deviations: positions wait in a hash set, so that lookups find them;
 * and adjacent pages may share a request, if the caller wants that.
 */
public final class ElevatorBloomFilter extends PagedBloomFilter {
  private final PositionQueue queue;
  private final PageFrame frame;

  private ElevatorBloomFilter(
      BitPages bits, BloomSizing sizing, PositionQueue queue, int requestPages) {
    super(bits, sizing);
    this.queue = queue;
    this.frame = PageFrames.allocate(requestPages, bits.store.pageBytes());
  }

  /**
   * An empty filter in an empty store, whose pages are written now, and which is closed with the
   * filter, or if they cannot be.
   *
   * @param memoryBytes of the positions that wait: enough for those of one key
   * @param requestPages how many adjacent pages a sweep may read or write at once: 1 as in the
   *     source, or more to trade small requests for large ones
   */
  public static ElevatorBloomFilter create(
      PageStore store, BloomSizing sizing, long memoryBytes, int requestPages) throws IOException {
    PositionQueue queue = queue(sizing, memoryBytes, requestPages, store.pageBytes());
    return new ElevatorBloomFilter(BitPages.create(store, sizing), sizing, queue, requestPages);
  }

  /** The filter in a store, as {@link FlashBloomFilter#open}. */
  public static ElevatorBloomFilter open(
      PageStore store, BloomSizing sizing, long memoryBytes, int requestPages) throws IOException {
    PositionQueue queue = queue(sizing, memoryBytes, requestPages, store.pageBytes());
    return new ElevatorBloomFilter(BitPages.open(store, sizing), sizing, queue, requestPages);
  }

  private static PositionQueue queue(
      BloomSizing sizing, long memoryBytes, int requestPages, int pageBytes) {
    Arguments.check(
        requestPages >= 1 && requestPages <= Integer.MAX_VALUE / pageBytes,
        "requests of " + requestPages + " pages of " + pageBytes + " bytes");
    PositionQueue queue = new PositionQueue(memoryBytes);
    Arguments.check(
        queue.room() >= sizing.hashFunctions(),
        String.format(
            "%s bytes of memory have room for %s positions, a key has %s",
            memoryBytes, queue.room(), sizing.hashFunctions()));
    return queue;
  }

  @Override
  void makeRoom(int positions) throws IOException {
    if (queue.room() < positions) {
      writeBack();
    }
  }

  @Override
  void set(long position) {
    queue.add(position);
  }

  @Override
  boolean isSet(long position) throws IOException {
    return queue.contains(position) || isSetOnFlash(position);
  }

  private boolean isSetOnFlash(long position) throws IOException {
    bits.read(bits.page(position), 1, frame);
    return bits.isSet(position, frame, 0);
  }

  @Override
  void writeBack() throws IOException {
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
      bits.readToChange(first, pages, frame);
      for (; next < end; next++) {
        long position = queue.sorted(next);
        bits.set(position, frame, (int) (bits.page(position) - first));
      }
      bits.write(first, pages, frame);
    }
    queue.clear();
  }

  private boolean shareARequest(long first, long last, long page) {
    return page <= last + 1 && page < first + frame.pages();
  }

  @Override
  void release() {
    frame.close();
  }
}
