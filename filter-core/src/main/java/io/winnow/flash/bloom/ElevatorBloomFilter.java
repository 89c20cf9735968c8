package io.winnow.flash.bloom;

import io.winnow.base.Arguments;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import java.io.IOException;

/**
 * A Bloom filter on flash that collects the positions of bits in memory, and writes them in one
 * sweep, in the order of their pages, when the memory is full.
 *
 * <p>No false negatives, also for bits that are only in memory; the rate is {@link
 * BloomSizing#expectedRate} of the keys inserted so far.
 *
 * <p>Cost: a position takes 11 bytes of the given memory. A sweep reads and writes each page that
 * has at least one of them, once. So one write serves as many bits as the memory has positions per
 * page of the filter. The insert that finds the memory full waits for the sweep. A lookup reads up
 * to {@code k} pages and stops at the first bit that is zero: two on average for an absent key,
 * when the filter is full.
 *
 * <p>A lookup on a damaged page, or an older version of one, returns {@code true}, also after later
 * inserts of keys with bits on it. If a sweep fails, so does the insert that needed it; the
 * positions stay in memory, and the next insert tries again. Keys that were inserted since {@link
 * #sync} may be lost when the process dies.
 *
 * <p>Not thread-safe.
 *
 * <p>Source: the "elevator BF" of Bender et al., "Don't Thrash: How to Cache Your Hash on Flash",
 * HotStorage 2011, section 3. Deviations: positions are collected in a hash set, so that lookups
 * find them; and adjacent pages may share a request, if the caller allows it.
 */
public final class ElevatorBloomFilter extends PagedBloomFilter {
  private final PositionQueue queue;
  private final PageFrame frame;

  private ElevatorBloomFilter(
      BitPages bits, BloomSizing sizing, PositionQueue queue, int requestPages) {
    super(bits, sizing);
    this.queue = queue;
    this.frame = PageFrames.allocate(requestPages, bits.store.pageBytes);
  }

  /**
   * Creates an empty elevator Bloom filter in an empty store, and writes its pages. Closing the
   * filter closes the store, and so does a failure.
   *
   * @param memoryBytes memory for collected positions, at least for those of one key
   * @param requestPages maximum of adjacent pages in one request of a sweep: 1 as in the paper, or
   *     more to trade small requests for large ones
   */
  public static ElevatorBloomFilter create(
      PageStore store, BloomSizing sizing, long memoryBytes, int requestPages) throws IOException {
    PositionQueue queue = queue(sizing, memoryBytes, requestPages, store.pageBytes);
    return new ElevatorBloomFilter(BitPages.create(store, sizing), sizing, queue, requestPages);
  }

  /** Opens the elevator Bloom filter in a store, as {@link FlashBloomFilter#open}. */
  public static ElevatorBloomFilter open(
      PageStore store, BloomSizing sizing, long memoryBytes, int requestPages) throws IOException {
    PositionQueue queue = queue(sizing, memoryBytes, requestPages, store.pageBytes);
    return new ElevatorBloomFilter(BitPages.open(store, sizing), sizing, queue, requestPages);
  }

  /** Allocates the memory in which the positions of bits to set are collected. */
  private static PositionQueue queue(
      BloomSizing sizing, long memoryBytes, int requestPages, int pageBytes) {
    Arguments.check(
        requestPages >= 1 && requestPages <= Integer.MAX_VALUE / pageBytes,
        String.format(
            "requests of %s pages of %s bytes, must be at least a page and below 2 GiB",
            requestPages, pageBytes));
    PositionQueue queue = new PositionQueue(memoryBytes);
    Arguments.check(
        queue.room() >= sizing.hashFunctions(),
        String.format(
            "%s bytes of memory have room for %s positions, but a key has %s",
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
    bits.pages.read(bits.page(position), 1, frame);
    return bits.isSet(position, frame, 0);
  }

  @Override
  void writeBack() throws IOException {
    queue.sort();
    int next = 0;
    while (next < queue.size) {
      long first = bits.page(queue.sorted(next));
      long last = first;
      int end = next + 1;
      while (end < queue.size && shareARequest(first, last, bits.page(queue.sorted(end)))) {
        last = bits.page(queue.sorted(end++));
      }
      int pages = (int) (last - first) + 1;
      bits.pages.readToChange(first, pages, frame);
      for (; next < end; next++) {
        long position = queue.sorted(next);
        bits.set(position, frame, (int) (bits.page(position) - first));
      }
      bits.pages.write(first, pages, frame);
    }
    queue.clear();
  }

  /**
   * Returns whether one request can read a page together with the pages from {@code first} to
   * {@code last}.
   */
  private boolean shareARequest(long first, long last, long page) {
    return page <= last + 1 && page < first + frame.pages();
  }

  @Override
  void release() {
    frame.close();
  }
}
