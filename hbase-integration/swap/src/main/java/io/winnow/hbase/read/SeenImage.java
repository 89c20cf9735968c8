package io.winnow.hbase.read;

import io.winnow.FilterLayout;
import java.lang.ref.WeakReference;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;

/**
 * A chunk's image that was seen on the heap and whose checksum was compared. Holds image and block
 * weakly, so that it does not keep what the block cache lets go.
 *
 * <p>Must be passed between threads with release and acquire: a reference is no final field.
 */
final class SeenImage extends WeakReference<byte[]> {
  /**
   * Value of {@link #evictions} until the block is looked up for the first time after it was
   * loaded.
   */
  private static final long NEVER = -1;

  /** The number of look-ups at which the count stops. */
  static final int MANY = 5;

  private final WeakReference<HFileBlock> block;
  private final Object key;
  private final FilterLayout layout;
  private final int offset;
  private final int blockBytes;

  /**
   * The cache's number of evictions when the block was looked up last. Threads may race for it:
   * then the block is looked up once more.
   */
  private long evictions = NEVER;

  /** Look-ups since then, up to {@link #MANY}. */
  private int lookUps;

  /**
   * Creates the image of a chunk in a block.
   *
   * @param block the block that has the bytes
   * @param key the key of the block in the cache; may be null if there is no cache to watch
   */
  SeenImage(byte[] bytes, int offset, FilterLayout layout, HFileBlock block, Object key) {
    super(bytes);
    this.block = new WeakReference<>(block);
    this.key = key;
    this.layout = layout;
    this.offset = offset;
    this.blockBytes = ScanMetrics.bytesOf(block);
  }

  /** Returns true if the image was seen in this block. */
  boolean isIn(HFileBlock candidate) {
    return block.get() == candidate;
  }

  /**
   * Records a look-up that found the image's block in the cache.
   *
   * @param evictionsBefore the cache's number of evictions before the look-up
   */
  void lookedUp(long evictionsBefore) {
    if (evictions != evictionsBefore) {
      evictions = evictionsBefore;
      lookUps = 1;
    } else if (lookUps
        < MANY) { // then it is written no more: threads that only read share the memory
      lookUps++;
    }
  }

  /** Returns the look-ups of the block since the cache's last eviction; {@link #MANY} at most. */
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

  /** Returns the offset of the image in the bytes. */
  int offset() {
    return offset;
  }

  /** Returns the bytes that count as read with the block. */
  int blockBytes() {
    return blockBytes;
  }
}
