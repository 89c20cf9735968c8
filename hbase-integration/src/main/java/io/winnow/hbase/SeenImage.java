package io.winnow.hbase;

import io.winnow.FilterLayout;
import java.lang.ref.WeakReference;

/**
 * A chunk's image where the block cache has it on the heap. Held weakly: what the cache lets go is
 * not kept for this.
 *
 * <p>To be handed from thread to thread with release and acquire: a reference is no final field.
 * The age may be raced for: a lost update costs another look-up.
 */
final class SeenImage extends WeakReference<byte[]> {
  /** One probe in this many looks its block up in any case; a power of two. */
  private static final int PROBES_PER_LOOK_UP = 16;

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

  /** The image's bytes for a probe with this hash; null if it is to look the block up. */
  byte[] inCache(CacheWatch cache, long keyHash) {
    long now = cache.age();
    // A fall of the age is a large number too. With the age, it is not always the same keys.
    return Long.compareUnsigned(now - age, patience) <= 0
            && ((keyHash + now) & (PROBES_PER_LOOK_UP - 1)) != 0
        ? get()
        : null;
  }

  FilterLayout layout() {
    return layout;
  }

  /** Where in the bytes the image begins. */
  int offset() {
    return offset;
  }
}
