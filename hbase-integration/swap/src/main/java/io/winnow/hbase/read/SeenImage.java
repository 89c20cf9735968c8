package io.winnow.hbase.read;

import io.winnow.FilterLayout;
import java.lang.ref.WeakReference;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;

/**
 * A chunk's image where it was seen on the heap, its checksum compared. Image and block are held
 * weakly: what the block cache lets go is not kept for this.
 *
 * <p>To be handed from thread to thread with release and acquire: a reference is no final field.
 */
final class SeenImage extends WeakReference<byte[]> {
  /** Not yet looked up again after it was loaded. */
  private static final long NEVER = -1;

  /** More look-ups are not told apart. */
  static final int MANY = 5;

  private final WeakReference<HFileBlock> block;
  private final Object key;
  private final FilterLayout layout;
  private final int offset;
  private final int blockBytes;

  /**
   * How often the cache had evicted when the block was looked up last. Threads may race for it:
   * then the block is looked up once more.
   */
  private long evictions = NEVER;

  /** Look-ups since then, up to {@link #MANY}. */
  private int lookUps;

  /**
   * @param block has the bytes
   * @param key the block's in the cache; may be null where there is no cache to watch
   */
  SeenImage(byte[] bytes, int offset, FilterLayout layout, HFileBlock block, Object key) {
    super(bytes);
    this.block = new WeakReference<>(block);
    this.key = key;
    this.layout = layout;
    this.offset = offset;
    this.blockBytes = ScanMetrics.bytesOf(block);
  }

  /** Whether this is the block that the image was seen in. */
  boolean isIn(HFileBlock candidate) {
    return block.get() == candidate;
  }

  /** The cache evicted so often before the look-up; the block is still the one. */
  void lookedUp(long evictionsBefore) {
    if (evictions != evictionsBefore) {
      evictions = evictionsBefore;
      lookUps = 1;
    } else if (lookUps < MANY) { // no longer written then: threads who only read share the memory
      lookUps++;
    }
  }

  /** How often the block was looked up since the cache evicted last; {@link #MANY} at most. */
  int lookUps() {
    return lookUps;
  }

  long evictions() {
    return evictions;
  }

  Object key() {
    return key;
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
