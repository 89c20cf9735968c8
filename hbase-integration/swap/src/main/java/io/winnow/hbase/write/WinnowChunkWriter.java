package io.winnow.hbase.write;

import io.winnow.FilterImage;
import io.winnow.hbase.RepeatedLog;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.settings.StoreRate;
import io.winnow.hbase.settings.WinnowSettings;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
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
 * What HBase sees of the filter of a file that it writes: hands its cells to a {@link
 * FilterAssembly}, and that one's chunks and meta block to HBase.
 *
 * <p>Nothing fails because of the filter. Whatever a method meets, {@code Throwable} of any kind,
 * the filter is given up: the file gets none, which costs reads but no rows. The one thing that
 * goes on to HBase is an {@code IOException} of its own stream. Memory is reserved with {@link
 * BuildMemory}, and given back when the file is finished, the filter given up, or HBase drops the
 * writer.
 *
 * <p>Not thread-safe. Declares its methods for {@code Cell} and {@code ExtendedCell} both, because
 * HBase 3 asks for the latter. Keys come in HBase's order, which {@code BloomContext} sees to.
 */
public final class WinnowChunkWriter implements BloomFilterWriter, InlineBlockWriter {
  private static final Logger LOG = LoggerFactory.getLogger(WinnowChunkWriter.class);

  /** A meta block that ends after its version: every reader refuses it and goes without. */
  private static final byte[] WITHOUT_FILTER =
      ByteBuffer.allocate(Integer.BYTES).putInt(FilterMeta.META_VERSION).array();

  private static final Cleaner DROPPED_WRITERS = Cleaner.create();
  private static final RepeatedLog OUT_OF_ROOM =
      new RepeatedLog(TimeUnit.MINUTES.toNanos(1), System::nanoTime);

  private final KeyKind kind;
  private final boolean cacheOnWrite;
  private final String file;
  private final BuildMemory.Reservation memory;
  private final MetaWriter metaWriter = new MetaWriter();

  /** Null once it is given up, or if there is none from the beginning. */
  private FilterAssembly filter;

  private ExtendedCell previous;

  private WinnowChunkWriter(
      KeyKind kind,
      boolean cacheOnWrite,
      String file,
      BuildMemory.Reservation memory,
      FilterAssembly filter) {
    this.kind = kind;
    this.cacheOnWrite = cacheOnWrite;
    this.file = file;
    this.memory = memory;
    this.filter = filter;
  }

  /**
   * A writer that the caller has yet to register with the file's writer; null if filters under
   * construction have no room for it.
   *
   * @param file how messages call the file
   * @param maxKeys how many keys the file may have, 0 if that is not known; may be wrong
   * @param limit of the memory of all filters under construction
   */
  public static WinnowChunkWriter of(
      WinnowSettings settings,
      KeyKind kind,
      boolean cacheOnWrite,
      String file,
      int maxKeys,
      long limit) {
    StoreRate rates = settings.rates();
    WinnowSettings roomiest = settings;
    if (rates != null) {
      double rate = rates.decide(rates.expectedKeys(), null, null).rate();
      // At the highest rate a chunk has the most keys; a lower one is chosen once there are keys.
      roomiest = settings.atRate(Math.max(rate, rates.highest()));
      settings = settings.atRate(rate);
    }
    BuildCost cost = new BuildCost(roomiest);
    BuildCost costAtLeast = cost;
    if (rates != null && maxKeys > 0) {
      double least = rates.most(0, 0, maxKeys, true); // that of stock's filter of so many keys
      costAtLeast = new BuildCost(settings.atRate(Math.min(settings.rate(), least)));
    }
    // Every file may have delete-family markers, and most have none.
    long keys = kind == KeyKind.DELETE_FAMILY ? 0 : cost.keys(maxKeys);
    BuildMemory.Reservation memory =
        BuildMemory.ofThisJvm()
            .reserve(
                limit,
                cost.held(keys, Math.max(cost.image(keys), costAtLeast.image(keys)), 0),
                Math.max(cost.scratch(keys), costAtLeast.scratch(keys)));
    if (memory == null) {
      return null;
    }
    try {
      WinnowChunkWriter writer =
          new WinnowChunkWriter(
              kind, cacheOnWrite, file, memory, new FilterAssembly(settings, kind, memory, keys));
      DROPPED_WRITERS.register(writer, memory);
      return writer;
    } catch (Throwable e) {
      memory.close();
      throw e;
    }
  }

  @Override
  public void append(Cell cell) {
    ExtendedCell key;
    try {
      // What HBase hands in is an ExtendedCell; whatever else there is gets copied into one.
      key = cell instanceof ExtendedCell ? (ExtendedCell) cell : keyOf(cell);
    } catch (Throwable e) {
      previous = null;
      abandon(e);
      return;
    }
    append(key);
  }

  /** Adds the cell's key, which must be greater than, or equal to, that of the cell before. */
  public void append(ExtendedCell cell) {
    previous = cell;
    if (filter == null) {
      return;
    }
    try {
      filter.add(cell);
    } catch (Throwable e) {
      abandon(e);
    }
  }

  /** Goes on without a filter. Throws nothing, though stack or heap may be at their end. */
  private void abandon(Throwable cause) {
    if (filter == null) {
      return;
    }
    filter = null;
    try {
      memory.close();
      ServerMetric.FILTERS_ABANDONED.count();
      if (!(cause instanceof BuildMemory.FullException)) {
        LOG.error(
            "Cannot build the {} filter of {}: the file gets none", kind.label(), file, cause);
        return;
      }
      long more = OUT_OF_ROOM.next(OUT_OF_ROOM);
      if (more != RepeatedLog.HELD_BACK) {
        LOG.warn(
            "The {} filter of {} is given up, and {} more since the last such line: {} ({})",
            kind.label(),
            file,
            more,
            cause.getMessage(),
            Setting.BUILD_MEMORY_LIMIT.key());
      }
    } catch (Throwable again) {
      // It is without a filter already; a line is not worth the file.
    }
  }

  /** As if no key had ever come, for a file that gets another filter. */
  public void discard() {
    filter = null;
    memory.close();
  }

  @Override
  public boolean shouldWriteBlock(boolean closing) {
    try {
      return filter != null && filter.hasReadyChunk(previous, closing);
    } catch (Throwable e) {
      abandon(e);
      return false;
    }
  }

  /** If the image cannot be handed over, the block gets finished with what it has: nobody asks. */
  @Override
  public void writeInlineBlock(DataOutput out) throws IOException {
    FilterImage image;
    try {
      image = filter.nextImage();
    } catch (Throwable e) {
      abandon(e);
      return;
    }
    try {
      image.writeTo(out);
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      abandon(e);
    }
  }

  @Override
  public void blockWritten(long offset, int onDiskSize, int uncompressedSize) {
    if (filter == null) {
      return;
    }
    try {
      filter.blockWritten(offset, onDiskSize, uncompressedSize);
    } catch (Throwable e) {
      abandon(e);
    }
  }

  @Override
  public BlockType getInlineBlockType() {
    return BlockType.BLOOM_CHUNK;
  }

  @Override
  public boolean getCacheOnWrite() {
    return cacheOnWrite;
  }

  /**
   * Solves the last chunk. HBase has asked for {@link #getKeyCount} already: where this fails, the
   * file names its Bloom type and has no meta block, which a reader takes for no filter.
   */
  @Override
  public void compactBloom() {
    if (filter == null) {
      return;
    }
    try {
      filter.finishChunk(previous, true);
    } catch (Throwable e) {
      abandon(e);
    }
  }

  /** Keys appended; 0, as for a file that needs no filter, if the filter was given up. */
  @Override
  public long getKeyCount() {
    try {
      return filter == null ? 0 : filter.addedKeys();
    } catch (Throwable e) {
      abandon(e);
      return 0;
    }
  }

  /** Keys that the chunks built so far were made for. */
  @Override
  public long getMaxKeys() {
    try {
      return filter == null ? 0 : filter.keyCapacity();
    } catch (Throwable e) {
      abandon(e);
      return 0;
    }
  }

  @Override
  public long getByteSize() {
    try {
      return filter == null ? 0 : filter.imageBytes();
    } catch (Throwable e) {
      abandon(e);
      return 0;
    }
  }

  /** The memory of cells is given back to HBase now: what is compared later is copied. */
  @Override
  public void beforeShipped() {
    try {
      previous = previous == null ? null : keyOf(previous);
    } catch (Throwable e) {
      previous = null; // HBase must not compare with memory that is used again
      abandon(e);
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

  /** What the next key is compared with; it goes on being kept where the filter was given up. */
  @Override
  public ExtendedCell getPrevCell() {
    return previous;
  }

  @Override
  public Writable getMetaWriter() {
    return metaWriter;
  }

  /** There is no data beside the chunks. */
  @Override
  public Writable getDataWriter() {
    return null;
  }

  /** Writes the meta block once all chunks are in the file. */
  private final class MetaWriter implements Writable {
    @Override
    public void write(DataOutput out) throws IOException {
      byte[] meta = WITHOUT_FILTER;
      try {
        if (filter != null) {
          meta = filter.metaBytes();
        }
      } catch (Throwable e) {
        abandon(e);
      }
      try {
        out.write(meta);
      } catch (IOException e) {
        throw e;
      } catch (Throwable e) {
        abandon(e);
      }
      try {
        memory.close(); // that was the last of the file
      } catch (Throwable e) {
        abandon(e);
      }
    }

    @Override
    public void readFields(DataInput in) {
      throw new UnsupportedOperationException("the meta block is read by WinnowFilterReader");
    }
  }
}
