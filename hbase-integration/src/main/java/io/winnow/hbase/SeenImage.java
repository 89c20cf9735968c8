package io.winnow.hbase;

import io.winnow.FilterLayout;
import java.lang.ref.WeakReference;

/**
 * A chunk's image where the block cache has it on the heap. Held weakly: what the cache lets go is
 * not kept for this.
 *
 * <p>Races are benign: what a probe needs is immutable, and a lost update of the age costs another
 * look-up.
 */
final class SeenImage extends WeakReference<byte[]> {
  private final FilterLayout layout;
  private final int offset;
  private long age = Long.MIN_VALUE;
  private long patience;

  SeenImage(byte[] bytes, int offset, FilterLayout layout) {
    super(bytes);
    this.offset = offset;
    this.layout = layout;
  }

  /** The block was looked up and is still this one: it need not be until the cache has changed. */
  void lookedUp(CacheWatch cache) {
    patience = cache.patience();
    age = cache.age();
  }

  /** The image's bytes; null if the block must be looked up. */
  byte[] inCache(CacheWatch cache) {
    // A fall of the age is a large number too.
    return Long.compareUnsigned(cache.age() - age, patience) <= 0 ? get() : null;
  }

  FilterLayout layout() {
    return layout;
  }

  /** Where in the bytes the image begins. */
  int offset() {
    return offset;
  }
}
