package io.winnow.hbase;

import io.winnow.FilterLayout;
import java.lang.ref.WeakReference;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A chunk's image where it was seen on the heap, its checksum compared. Held weakly: what the block
 * cache lets go is not kept for this.
 *
 * <p>Says which probes look the block up again: all at first, and half as many each time that
 * hardly anything came into the cache since the last look-up, down to one in {@value
 * #MOST_PER_LOOK_UP}. Chance picks them, so that it does not matter which keys are asked for. A
 * probe writes nothing here, and a look-up only when the pace changes.
 *
 * <p>To be handed from thread to thread with release and acquire: a reference is no final field.
 * The pace may be raced for: look-ups come a little too often, or too seldom.
 */
final class SeenImage extends WeakReference<byte[]> {
  /** Probes per look-up; a power of two. */
  static final int MOST_PER_LOOK_UP = 16;

  private final FilterLayout layout;
  private final int offset;
  private final int blockBytes;

  /** Probes per look-up, less one. */
  private int mask;

  /**
   * @param blockBytes what counts as read with the block
   */
  SeenImage(byte[] bytes, int offset, FilterLayout layout, int blockBytes) {
    super(bytes);
    this.offset = offset;
    this.layout = layout;
    this.blockBytes = blockBytes;
  }

  /**
   * The block was looked up and is still this one.
   *
   * @param moved how many blocks came into the cache since the last look-up
   * @param patience how many may
   */
  void lookedUp(long moved, long patience) {
    int probes = mask + 1;
    if (moved > patience) {
      mask = Integer.highestOneBit((int) Math.max(1, probes * patience / moved)) - 1;
    } else if (probes < MOST_PER_LOOK_UP && 4 * moved <= patience) {
      mask = 2 * probes - 1;
    }
  }

  /** The image's bytes; null if this probe is to look the block up. */
  byte[] withoutLookUp() {
    return (ThreadLocalRandom.current().nextInt() & mask) != 0 ? get() : null;
  }

  FilterLayout layout() {
    return layout;
  }

  /** Where in the bytes the image begins. */
  int offset() {
    return offset;
  }

  /** What counts as read with the block. */
  int blockBytes() {
    return blockBytes;
  }
}
