package io.winnow.hbase;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.zip.CRC32C;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.InlineBlockWriter;
import org.apache.hadoop.hbase.util.BloomFilterWriter;
import org.apache.hadoop.io.Writable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the filter of one store file: a chunk per {@link WinnowSettings#keyLimit} keys, and the
 * meta block.
 *
 * <p>Every key that was appended is in the chunk that {@link ChunkIndex} finds for it. Appending
 * costs one hash and 8 bytes; a chunk is solved when it is full, the last one, made for the keys it
 * has, when the file is closed. Keys come in HBase's order, which {@code BloomContext} sees to.
 *
 * <p>Nothing fails because of the filter: if a chunk cannot be built, for lack of memory or
 * whatever else, the file gets no filter.
 *
 * <p>Not thread-safe. Declares its methods for {@code Cell} and {@code ExtendedCell} both, because
 * HBase 3 asks for the latter.
 */
public final class WinnowChunkWriter implements BloomFilterWriter, InlineBlockWriter {
  private static final Logger LOG = LoggerFactory.getLogger(WinnowChunkWriter.class);

  /** A meta block that ends after its version: every reader refuses it and goes without. */
  private static final byte[] WITHOUT_FILTER =
      ByteBuffer.allocate(Integer.BYTES).putInt(FilterMeta.META_VERSION).array();

  private final WinnowSettings settings;
  private final KeyKind kind;
  private final boolean cacheOnWrite;
  private final String file;
  private final long keyLimit;

  /** Made with the first key: most store files have no delete-family marker. */
  private FilterBuilder builder;

  private byte[] firstKey;
  private long lastHash;
  private ExtendedCell previous;

  private final Queue<Chunk> ready = new ArrayDeque<>();
  private final ChunkIndex.Writer index = new ChunkIndex.Writer();
  private long appendedKeys;
  private long keyCount;
  private long keyCapacity;
  private long imageBytes;
  private double weightedRate;
  private String shape = "";
  private boolean abandoned;

  private record Chunk(FilterImage image, byte[] firstKey) {
    int imageCrc() {
      CRC32C crc = new CRC32C();
      crc.update(image.buffer());
      return (int) crc.getValue();
    }
  }

  /**
   * A writer that the caller has yet to register with the file's writer.
   *
   * @param file how messages call the file
   */
  WinnowChunkWriter(WinnowSettings settings, KeyKind kind, boolean cacheOnWrite, String file) {
    this.settings = settings;
    this.kind = kind;
    this.cacheOnWrite = cacheOnWrite;
    this.file = file;
    this.keyLimit = settings.keyLimit();
  }

  @Override
  public void append(Cell cell) {
    Objects.requireNonNull(cell, "cell");
    // What HBase hands in is an ExtendedCell; whatever else there is gets copied into one.
    append(cell instanceof ExtendedCell extended ? extended : keyOf(cell));
  }

  /** Adds the cell's key, which must be greater than, or equal to, that of the cell before. */
  public void append(ExtendedCell cell) {
    previous = cell;
    if (builder != null && builder.pendingCount() >= keyLimit) {
      finishChunk();
    }
    if (abandoned) {
      return;
    }
    try {
      addKey(cell);
    } catch (RuntimeException | OutOfMemoryError e) {
      abandon(e);
    }
  }

  private void addKey(ExtendedCell cell) {
    long hash = kind.hash(settings.hash(), cell);
    if (firstKey == null) {
      firstKey = kind.indexKey(cell);
      if (builder == null) {
        builder = settings.newBuilder();
      }
    } else if (hash == lastHash) {
      return; // a repeat within the chunk; after a cut it opens the next, where it is looked for
    }
    builder.add(hash);
    lastHash = hash;
    appendedKeys++;
  }

  private void finishChunk() {
    if (abandoned || firstKey == null) {
      return;
    }
    try {
      long pending = builder.pendingCount();
      FilterImage image = builder.finish();
      long keys = image.layout().keyCount();
      if (ready.isEmpty() && index.size() == 0) {
        shape = image.layout().describe();
      }
      ready.add(new Chunk(image, firstKey));
      keyCount += keys;
      keyCapacity += Math.max(keys, pending);
      imageBytes += image.sizeInBytes();
      weightedRate += keys * image.layout().estimatedRate();
      firstKey = null;
    } catch (RuntimeException | OutOfMemoryError e) {
      abandon(e);
    }
  }

  /** Goes on without a filter, which costs reads but no rows. */
  private void abandon(Throwable cause) {
    LOG.error("Cannot build the {} filter of {}: the file gets none", kind.label(), file, cause);
    abandoned = true;
    builder = null;
    ready.clear();
  }

  @Override
  public boolean shouldWriteBlock(boolean closing) {
    if (builder != null && (closing || builder.pendingCount() >= keyLimit)) {
      finishChunk();
    }
    return !ready.isEmpty();
  }

  @Override
  public void writeInlineBlock(DataOutput out) throws IOException {
    ready.element().image().writeTo(out);
  }

  @Override
  public void blockWritten(long offset, int onDiskSize, int uncompressedSize) {
    Chunk chunk = ready.remove();
    int keys = Math.toIntExact(chunk.image().layout().keyCount());
    index.add(offset, onDiskSize, uncompressedSize, keys, chunk.imageCrc(), chunk.firstKey());
  }

  @Override
  public BlockType getInlineBlockType() {
    return BlockType.BLOOM_CHUNK;
  }

  @Override
  public boolean getCacheOnWrite() {
    return cacheOnWrite;
  }

  /** Solves the last chunk, so that it is known whether the file has a filter. */
  @Override
  public void compactBloom() {
    finishChunk();
  }

  /** Keys appended; 0, as for a file that needs no filter, if the filter was given up. */
  @Override
  public long getKeyCount() {
    return abandoned ? 0 : appendedKeys;
  }

  /** Keys that the chunks built so far were made for. */
  @Override
  public long getMaxKeys() {
    return keyCapacity;
  }

  @Override
  public long getByteSize() {
    return imageBytes;
  }

  @Override
  public void beforeShipped() {
    if (previous != null) {
      previous = keyOf(previous);
    }
  }

  /** A copy of what is compared and stored of a cell: row and column, in memory of its own. */
  private static KeyValue keyOf(Cell cell) {
    return new KeyValue(
        CellUtil.cloneRow(cell),
        CellUtil.cloneFamily(cell),
        CellUtil.cloneQualifier(cell),
        HConstants.LATEST_TIMESTAMP,
        KeyValue.Type.Put);
  }

  @Override
  public ExtendedCell getPrevCell() {
    return previous;
  }

  @Override
  public Writable getMetaWriter() {
    return new MetaWriter();
  }

  /** There is no data beside the chunks. */
  @Override
  public Writable getDataWriter() {
    return null;
  }

  private byte[] metaBytes() {
    try {
      if (firstKey != null || !ready.isEmpty()) {
        throw new IllegalStateException("there are chunks that are still to be written");
      }
      return new FilterMeta(
              settings.type(),
              settings.hash(),
              kind,
              keyCount,
              keyCapacity,
              imageBytes,
              settings.rate(),
              keyCount == 0 ? 0 : weightedRate / keyCount,
              settings.chunkBytes(),
              shape,
              index.finish(kind))
          .toByteArray();
    } catch (RuntimeException | OutOfMemoryError e) {
      abandon(e);
      return WITHOUT_FILTER;
    }
  }

  /** Writes the meta block once all chunks are in the file. */
  private final class MetaWriter implements Writable {
    @Override
    public void write(DataOutput out) throws IOException {
      out.write(abandoned ? WITHOUT_FILTER : metaBytes());
    }

    @Override
    public void readFields(DataInput in) {
      throw new UnsupportedOperationException("the meta block is read by WinnowFilterReader");
    }
  }
}
