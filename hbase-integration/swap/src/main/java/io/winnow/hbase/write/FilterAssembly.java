package io.winnow.hbase.write;

import io.winnow.FilterImage;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.settings.WinnowSettings;
import java.util.ArrayDeque;
import java.util.Queue;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;

/**
 * The filter of one store file under construction: a chunk for each {@link WinnowSettings#keyLimit}
 * keys, and the meta block. {@link OpenChunk} collects keys, {@link ChunkRate} chooses the rate of
 * their chunk, and {@link FileSums} sums over the chunks; the memory and the blocks are here.
 *
 * <p>Every key that was added is in the chunk that {@link ChunkIndex} finds for it. Adding a key
 * costs one hash and 8 bytes. A chunk is built when it is full. The last one is built for the keys
 * it has, when the file is closed. Memory is reserved before it is allocated.
 *
 * <p>If a method throws, this filter must not be used any more. Not thread-safe.
 */
final class FilterAssembly {
  private final KeyKind kind;
  private final OpenChunk open;
  private final ChunkRate rate;
  private final FileSums sums;
  private final BuildMemory.Reservation memory;

  /** Number of keys for which memory is reserved for the filter under construction. */
  private long roomForKeys;

  /** Chunks that were built and wait until their blocks are written. */
  private final Queue<FileSums.Chunk> ready = new ArrayDeque<>();

  private long readyBytes;
  private long addedKeys;

  /**
   * Creates a filter under construction that has no keys yet.
   *
   * @param memory the memory reserved for it
   * @param roomForKeys the number of keys that this memory is enough for
   */
  FilterAssembly(
      WinnowSettings settings, KeyKind kind, BuildMemory.Reservation memory, long roomForKeys) {
    this.kind = kind;
    this.open = new OpenChunk(kind, settings.prefixRule);
    this.rate = new ChunkRate(settings);
    this.sums = new FileSums(kind);
    this.memory = memory;
    this.roomForKeys = roomForKeys;
  }

  /** Adds the key of a cell to the filter, which must not be less than that of the cell before. */
  void add(ExtendedCell cell) {
    add(cell, kind.hash(rate.settings().hash, cell));
  }

  /**
   * Adds the key of a cell to the filter, with its hash; it must not be less than that of the cell
   * before.
   */
  void add(ExtendedCell cell, long hash) {
    boolean hasNewPrefix = open.takePrefix(cell);
    long pending = open.size();
    // A prefix and its first row are in one chunk: they may be the same bytes.
    if (pending > 0 && pending + (hasNewPrefix ? 2 : 1) > rate.keyLimit()) {
      finishChunk(cell, false);
      pending = 0;
    }
    if (open.isEmpty()) {
      hasNewPrefix = open.begin(cell, hasNewPrefix);
      if (rate.hasRule() && rate.chooseForFilling(open, addedKeys)) {
        reserve(0);
      }
    } else if (!hasNewPrefix && open.isRepeat(hash)) {
      return; // a repeat after a cut opens the next chunk, in which a probe looks for it
    }
    int more = hasNewPrefix ? 2 : 1;
    if (pending + more > roomForKeys) {
      roomForKeys = BuildCost.steps(pending + more);
      reserve(0);
    }
    if (hasNewPrefix) {
      long bytes = open.bytesForPrefix();
      if (bytes > 0) {
        reserve(bytes);
      }
      open.addPrefix(rate.settings().hash);
    }
    open.add(hash, rate.settings());
    addedKeys++;
  }

  /**
   * Adapts the reserved memory to what the filter under construction holds.
   *
   * @param more bytes that will be held in addition
   */
  private void reserve(long more) {
    BuildCost cost = rate.cost();
    long keys = Math.max(open.size(), Math.min(roomForKeys, rate.keyLimit())); // of the open chunk
    long images = Math.max(cost.image(keys), readyBytes);
    long bytes = cost.held(roomForKeys, images, sums.indexBytes()) + open.prefixBytes() + more;
    memory.growTo(bytes, cost.scratch(keys));
  }

  /**
   * Builds the chunk under construction if it has keys.
   *
   * @param last a cell that is not before the last key
   * @param closing true if no key follows
   */
  void finishChunk(ExtendedCell last, boolean closing) {
    if (open.isEmpty()) {
      return;
    }
    if (rate.hasRule()
        && rate.chooseForBuild(
            open,
            CellUtil.cloneRow(last),
            addedKeys,
            sums.keyCount(),
            sums.estimateSum(),
            closing)) {
      reserve(0);
    }
    long pending = open.pendingKeys();
    int prefixes = open.settlePrefixes();
    long start = System.nanoTime();
    memory.begin(rate.cost().scratch(open.pendingKeys()));
    FilterImage image;
    try {
      image = open.build(rate.settings());
    } finally {
      memory.end();
    }
    FileSums.Chunk chunk = new FileSums.Chunk(image, open.firstKey(), prefixes);
    ServerMetric.CHUNKS_BUILT.count();
    ServerMetric.KEYS_BUILT.add(chunk.keyCount());
    ServerMetric.BUILD_NANOS.add(System.nanoTime() - start);
    ServerMetric.REBUILDS.add(image.rebuilds());
    sums.add(chunk, pending, rate);
    ready.add(chunk);
    readyBytes += chunk.sizeInBytes();
    open.reset();
    if (closing) {
      holdBuiltChunks();
    } else {
      reserve(0);
    }
  }

  /**
   * Releases all memory that the filter holds for keys, because no key follows. It is not released
   * with the last block: if a disk is full, HBase closes its writer as far as it can and calls no
   * method here any more.
   */
  private void holdBuiltChunks() {
    dropBuffers();
    long indexBytes = sums.indexBytes(); // once the chunks that wait are in it
    for (FileSums.Chunk chunk : ready) {
      indexBytes += ChunkIndex.ENTRY_SIZE_IN_BYTES + chunk.firstKey.length;
    }
    hold(readyBytes, indexBytes);
  }

  private void dropBuffers() {
    open.dropBuffers();
    roomForKeys = 0;
  }

  /**
   * Reserves memory for images, the chunk index and the meta block, so that no other file takes
   * that memory.
   */
  private void hold(long imageBytes, long indexBytes) {
    memory.resize(rate.cost().held(0, imageBytes, indexBytes) + BuildCost.meta(indexBytes), 0);
  }

  /**
   * Turns the verification of the chunk under construction on or off, for trials of filters.
   *
   * @param verify true to verify it if the settings want that
   */
  void verifyThisChunk(boolean verify) {
    open.verify(verify && rate.settings().verifies());
  }

  /** Returns true if the chunk under construction has as many keys as it may have. */
  boolean isFull() {
    return open.hasBuffers() && open.size() >= rate.keyLimit();
  }

  /**
   * Returns true if a built chunk waits until its block is written; first builds the chunk under
   * construction, if it is full or the file ends. Once no chunk is left, releases all memory that
   * is held for keys.
   *
   * @param last a cell that is not before the last key
   * @param closing true if no key follows
   */
  boolean hasReadyChunk(ExtendedCell last, boolean closing) {
    if (open.hasBuffers() && (closing || isFull())) {
      finishChunk(last, closing);
    }
    if (closing && ready.isEmpty()) {
      dropBuffers();
      if (sums.isEmpty()) {
        memory.close(); // no key, and so no meta block
      } else {
        hold(0, sums.indexBytes());
      }
    }
    return !ready.isEmpty();
  }

  /** Returns the number of keys, without row prefixes, in the chunk whose block is written next. */
  long nextKeyCount() {
    return ready.element().keyCount();
  }

  /** Returns the image of the chunk whose block is written next. */
  FilterImage nextImage() {
    return ready.element().image;
  }

  /** Records the place of a chunk's block that was written. */
  void blockWritten(long offset, int onDiskSize, int uncompressedSize) {
    FileSums.Chunk chunk = ready.remove();
    sums.written(chunk, offset, onDiskSize, uncompressedSize);
    readyBytes -= chunk.sizeInBytes();
    reserve(0);
  }

  /** Returns the number of keys that were added to the filter. */
  long addedKeys() {
    return addedKeys;
  }

  /** Returns the number of keys for which the chunks built so far were sized. */
  long keyCapacity() {
    return sums.keyCapacity();
  }

  /** Returns the bytes of the images of the chunks built so far. */
  long imageBytes() {
    return sums.imageBytes();
  }

  /** Returns the bytes of the filter's meta block, once every chunk is in the file. */
  byte[] metaBytes() {
    if (!open.isEmpty() || !ready.isEmpty()) {
      throw new IllegalStateException("not all chunks are written");
    }
    reserve(BuildCost.meta(sums.indexBytes()));
    return sums.metaBytes(rate.settings());
  }
}
