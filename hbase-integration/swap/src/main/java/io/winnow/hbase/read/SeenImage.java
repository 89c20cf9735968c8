package io.winnow.hbase.read;

import io.winnow.FilterLayout;
import java.lang.ref.WeakReference;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;

/**
 * Image of a chunk that was found on the heap and whose checksum was compared, so that later probes
 * need not check it again. Holds image and block weakly, so that it does not keep what the block
 * cache lets go.
 *
 * <p>Must be passed between threads with release and acquire: a reference is no final field.
 */
final class SeenImage extends WeakReference<byte[]> {
  /**
   * Value for an unknown number of the block cache's evictions, if a chunk's block was not looked
   * up since it was loaded.
   */
  private static final long NEVER = -1;

  /** Number of look-ups of a chunk's block at which counting stops. */
  static final int MANY = 5;

  private final WeakReference<HFileBlock> block;
  final Object key;
  final FilterLayout layout;

  /** The offset of the chunk's image in the array that has it. */
  final int offset;

  /** The bytes that HBase counts as read with the chunk's block. */
  final int blockBytes;

  /**
   * Number of evictions of the block cache when the chunk's block was looked up last. Threads may
   * race for it: then the block is looked up once more.
   */
  private long evictions = NEVER;

  /**
   * Number of look-ups of the chunk's block since the block cache's last eviction; counting stops
   * at {@link #MANY}.
   */
  private int lookUps;

  /**
   * Records the image of a chunk in a block of the block cache.
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

  /** Returns true if the chunk's image was found in the given block. */
  boolean isIn(HFileBlock candidate) {
    return block.get() == candidate;
  }

  /**
   * Records a look-up that found the chunk's block in the block cache.
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

  /**
   * Returns the number of look-ups of the chunk's block since the block cache's last eviction;
   * counting stops at {@link #MANY}.
   */
  int lookUps() {
    return lookUps;
  }

  long evictions() {
    return evictions;
  }
}
