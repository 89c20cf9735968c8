package io.winnow.flash.bloom;

import io.winnow.base.Arguments;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A classic Bloom filter with its bits on flash. It is the measure for the other filters on flash.
 *
 * <p>No false negatives; the rate is {@link BloomSizing#expectedRate} of the keys inserted so far.
 *
 * <p>Cost: an insert reads and writes one page for each of the {@code k} hash functions, a lookup
 * reads up to {@code k} pages and stops at the first bit that is zero: two on average for an absent
 * key, when the filter is full. The given memory is a cache of pages, which writes the least
 * recently used page back first; if the filter is far larger than the cache, it saves little. Its
 * memory is allocated when pages are read; two bytes per page of the filter are added.
 *
 * <p>A lookup on a damaged page returns {@code true}, and so does one on an older version of a
 * page, if the drive has lost a write of it; also after later inserts of keys with bits on it. Keys
 * that were inserted since {@link #sync} may be lost when the process dies.
 *
 * <p>Not thread-safe, not even for lookups alone: they share the cache.
 *
 * <p>Source: the "traditional BF" of Bender et al., "Don't Thrash: How to Cache Your Hash on
 * Flash", HotStorage 2011, section 3; there the operating system's page cache is the cache. Here
 * setting a bit that is already set does not make its page dirty.
 */
public final class FlashBloomFilter extends PagedBloomFilter {
  private final int cachedPages;

  /** Cached pages of the Bloom filter by their numbers, least recently used first. */
  private final LinkedHashMap<Long, Cached> cache = new LinkedHashMap<>(16, 0.75f, true);

  /** A page of the Bloom filter in the cache, with a flag that says if it must be written. */
  private static final class Cached {
    private final PageFrame frame;
    private boolean dirty;

    Cached(PageFrame frame) {
      this.frame = frame;
    }
  }

  private FlashBloomFilter(BitPages bits, BloomSizing sizing, long memoryBytes) {
    super(bits, sizing);
    this.cachedPages = (int) Math.min(Integer.MAX_VALUE, memoryBytes / bits.store.pageBytes);
  }

  /**
   * Creates an empty Bloom filter in an empty store, and writes its pages. Closing the filter
   * closes the store, and so does a failure.
   *
   * @param memoryBytes memory for the page cache, at least one page
   */
  public static FlashBloomFilter create(PageStore store, BloomSizing sizing, long memoryBytes)
      throws IOException {
    checkMemory(store, memoryBytes);
    return new FlashBloomFilter(BitPages.create(store, sizing), sizing, memoryBytes);
  }

  /**
   * Opens the Bloom filter in a store. Closing the filter closes the store, and so does a failure.
   *
   * @throws IllegalArgumentException if the filter has another size or number of hash functions
   * @throws io.winnow.FilterFormatException if both heads are damaged or of another version
   */
  public static FlashBloomFilter open(PageStore store, BloomSizing sizing, long memoryBytes)
      throws IOException {
    checkMemory(store, memoryBytes);
    return new FlashBloomFilter(BitPages.open(store, sizing), sizing, memoryBytes);
  }

  private static void checkMemory(PageStore store, long memoryBytes) {
    Arguments.check(
        memoryBytes >= store.pageBytes,
        memoryBytes + " bytes of memory, must be at least a page of " + store.pageBytes);
  }

  /** Does nothing, because the cache writes its least recently used page when it needs room. */
  @Override
  void makeRoom(int positions) {}

  @Override
  void set(long position) throws IOException {
    Cached page = page(bits.page(position), true);
    if (!bits.isSet(position, page.frame, 0)) {
      bits.set(position, page.frame, 0);
      page.dirty = true;
    }
  }

  @Override
  boolean isSet(long position) throws IOException {
    return bits.isSet(position, page(bits.page(position), false).frame, 0);
  }

  /** Returns a page of the Bloom filter from the cache, or reads it. */
  private Cached page(long page, boolean toChange) throws IOException {
    Cached cached = cache.get(page);
    if (cached == null) {
      PageFrame frame =
          cache.size() < cachedPages
              ? PageFrames.allocate(1, bits.store.pageBytes)
              : leastRecentlyUsed();
      cached = new Cached(frame);
      try {
        if (toChange) {
          cached.dirty = bits.pages.readToChange(page, 1, frame);
        } else {
          bits.pages.read(page, 1, frame);
        }
      } catch (IOException e) {
        frame.close();
        throw e;
      }
      cache.put(page, cached);
    }
    return cached;
  }

  /**
   * Removes the least recently used page from the Bloom filter's cache, writes it if necessary, and
   * returns its memory.
   */
  private PageFrame leastRecentlyUsed() throws IOException {
    Iterator<Map.Entry<Long, Cached>> entries = cache.entrySet().iterator();
    Map.Entry<Long, Cached> eldest = entries.next();
    writeBack(eldest.getKey(), eldest.getValue());
    entries.remove();
    return eldest.getValue().frame;
  }

  /** Writes a cached page of the Bloom filter to the store if it has changed. */
  private void writeBack(long page, Cached cached) throws IOException {
    if (cached.dirty) {
      bits.pages.write(page, 1, cached.frame);
      cached.dirty = false;
    }
  }

  @Override
  void writeBack() throws IOException {
    for (Map.Entry<Long, Cached> page : new TreeMap<>(cache).entrySet()) {
      writeBack(page.getKey(), page.getValue());
    }
  }

  @Override
  void release() {
    cache.values().forEach(cached -> cached.frame.close());
    cache.clear();
  }
}
