package io.winnow.flash.bloom;

import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The classic Bloom filter with its bits on flash: what others on flash are measured against.
 *
 * <p>No false negatives; the rate is {@link BloomSizing#expectedRate} of the keys inserted so far.
 *
 * <p>Cost: an insert reads and writes one page for each of the {@code k} hash functions, a lookup
 * reads up to {@code k} pages and stops at the first bit that is zero: two on average for an absent
 * key, when the filter is full. The given memory is a cache of pages, the one that was not used for
 * longest is written back first; where the filter is far larger than that, it saves little. The
 * memory is taken as pages come; two bytes for each page of the filter come on top of it.
 *
 * <p>A damaged page is answered with "present", and so is an older version of one, if the drive has
 * lost a write of it; this remains so when keys are inserted that have bits on it. Keys that were
 * inserted since {@link #sync} may be lost when the process dies.
 *
 * <p>One thread at a time, lookups included: they share the cache.
 *
 * <p>Source: the "traditional BF" of Bender et al., "Don't Thrash: How to Cache Your Hash on
 * Flash", HotStorage 2011, section 3; there the operating system's page cache is the cache. Here a
 * bit that is set already makes no page dirty.
 */
public final class FlashBloomFilter extends PagedBloomFilter {
  private final int cachedPages;

  /** By page, least recently used first. */
  private final LinkedHashMap<Long, Cached> cache = new LinkedHashMap<>(16, 0.75f, true);

  /** A page in memory. */
  private static final class Cached {
    private final PageFrame frame;
    private boolean dirty;

    Cached(PageFrame frame) {
      this.frame = frame;
    }
  }

  private FlashBloomFilter(BitPages bits, BloomSizing sizing, long memoryBytes) {
    super(bits, sizing);
    this.cachedPages = (int) Math.min(Integer.MAX_VALUE, memoryBytes / bits.store.pageBytes());
  }

  /**
   * An empty filter in an empty store, whose pages are written now, and which is closed with the
   * filter, or if they cannot be.
   *
   * @param memoryBytes of the page cache: at least one page
   */
  public static FlashBloomFilter create(PageStore store, BloomSizing sizing, long memoryBytes)
      throws IOException {
    checkMemory(store, memoryBytes);
    return new FlashBloomFilter(BitPages.create(store, sizing), sizing, memoryBytes);
  }

  /**
   * The filter in a store, which is closed with the filter, or if it is refused.
   *
   * @throws IllegalArgumentException if it is not of this size
   * @throws io.winnow.FilterFormatException if its heads are damaged or of another version
   */
  public static FlashBloomFilter open(PageStore store, BloomSizing sizing, long memoryBytes)
      throws IOException {
    checkMemory(store, memoryBytes);
    return new FlashBloomFilter(BitPages.open(store, sizing), sizing, memoryBytes);
  }

  private static void checkMemory(PageStore store, long memoryBytes) {
    Arguments.check(
        memoryBytes >= store.pageBytes(),
        memoryBytes + " bytes of memory, must be a page of " + store.pageBytes() + " at least");
  }

  /** A page is room enough: the least recently used one makes way for another. */
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

  private Cached page(long page, boolean toChange) throws IOException {
    Cached cached = cache.get(page);
    if (cached == null) {
      PageFrame frame =
          cache.size() < cachedPages
              ? PageFrames.allocate(1, bits.store.pageBytes())
              : leastRecentlyUsed();
      cached = new Cached(frame);
      try {
        if (toChange) {
          cached.dirty = bits.readToChange(page, 1, frame);
        } else {
          bits.read(page, 1, frame);
        }
      } catch (IOException e) {
        frame.close();
        throw e;
      }
      cache.put(page, cached);
    }
    return cached;
  }

  /** The frame of the page that leaves the cache. */
  private PageFrame leastRecentlyUsed() throws IOException {
    Iterator<Map.Entry<Long, Cached>> entries = cache.entrySet().iterator();
    Map.Entry<Long, Cached> eldest = entries.next();
    writeBack(eldest.getKey(), eldest.getValue());
    entries.remove();
    return eldest.getValue().frame;
  }

  private void writeBack(long page, Cached cached) throws IOException {
    if (cached.dirty) {
      bits.write(page, 1, cached.frame);
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
