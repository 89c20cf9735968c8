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
 * Writer of the filter of a store file, in the form that HBase calls. Passes cells to a {@link
 * FilterAssembly}, and its chunks and meta block to HBase.
 *
 * <p>Nothing fails because of the filter. Whatever {@code Throwable} a method meets, the filter is
 * given up: the file gets none, which costs reads but no rows. Only an {@code IOException} of
 * HBase's own stream goes on to HBase. Memory is reserved with {@link BuildMemory}. It is released
 * when the file is finished, when the filter is given up, or when HBase drops the writer.
 *
 * <p>Not thread-safe. Declares its methods for {@code Cell} and {@code ExtendedCell} both, because
 * HBase 3 calls the latter. Keys come in HBase's order, which {@code BloomContext} ensures.
 */
public final class WinnowChunkWriter implements BloomFilterWriter, InlineBlockWriter {
  private static final Logger LOG = LoggerFactory.getLogger(WinnowChunkWriter.class);

  /**
   * Meta block that ends after its version number, so that every reader refuses it, and the file is
   * read without a filter.
   */
  private static final byte[] WITHOUT_FILTER =
      ByteBuffer.allocate(Integer.BYTES).putInt(FilterMeta.META_VERSION).array();

  private static final Cleaner DROPPED_WRITERS = Cleaner.create();
  private static final RepeatedLog OUT_OF_ROOM = RepeatedLog.everyMinutes(1);

  private final KeyKind kind;
  private final boolean cacheOnWrite;
  private final String file;
  private final BuildMemory.Reservation memory;
  private final MetaWriter metaWriter = new MetaWriter();

  /** Filter under construction; null if it was given up, or if there never was one. */
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
   * Returns a writer of a store file's filter, which the caller must register with the file's
   * writer.
   *
   * @param file the name of the file in messages
   * @param maxKeys the number of keys that the file may have; 0 if unknown; may be wrong
   * @param limit the bytes of memory that all filters under construction may take
   * @return the writer; null if there is no memory for it
   */
  public static WinnowChunkWriter of(
      WinnowSettings settings,
      KeyKind kind,
      boolean cacheOnWrite,
      String file,
      int maxKeys,
      long limit) {
    StoreRate rates = settings.rates;
    WinnowSettings largest = settings;
    if (rates != null) {
      double rate = rates.decide(rates.expectedKeys(), null, null).rate;
      // At the highest rate a chunk has the most keys; a lower one is chosen once there are keys.
      largest = settings.atRate(Math.max(rate, rates.maxRate()));
      settings = settings.atRate(rate);
    }
    BuildCost cost = new BuildCost(largest);
    BuildCost costAtStockRate = cost;
    if (rates != null && maxKeys > 0) {
      double stockRate = rates.maxChunkRate(0, 0, maxKeys, true); // stock's with this many keys
      costAtStockRate = new BuildCost(settings.atRate(Math.min(settings.rate(), stockRate)));
    }
    // Every file may have delete-family markers, and most have none.
    long keys = kind == KeyKind.DELETE_FAMILY ? 0 : cost.keys(maxKeys);
    BuildMemory.Reservation memory =
        BuildMemory.ofThisJvm()
            .reserve(
                limit,
                cost.held(keys, Math.max(cost.image(keys), costAtStockRate.image(keys)), 0),
                Math.max(cost.scratch(keys), costAtStockRate.scratch(keys)));
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
      // HBase passes an ExtendedCell; a cell of another class is copied into one.
      key = cell instanceof ExtendedCell ? (ExtendedCell) cell : keyOf(cell);
    } catch (Throwable e) {
      previous = null;
      abandon(e);
      return;
    }
    append(key);
  }

  /** Adds the key of a cell to the filter, which must not be less than that of the cell before. */
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

  /**
   * Gives up the filter under construction, so that the file gets none. Throws nothing, even if
   * stack or heap are exhausted.
   */
  private void abandon(Throwable cause) {
    if (filter == null) {
      return;
    }
    filter = null;
    try {
      memory.close();
      ServerMetric.FILTERS_ABANDONED.count();
      if (!(cause instanceof BuildMemory.FullException)) {
        LOG.error("Cannot build the {} filter of {}: the file gets none", kind.label, file, cause);
        return;
      }
      long more = OUT_OF_ROOM.next(OUT_OF_ROOM);
      if (more != RepeatedLog.HELD_BACK) {
        LOG.warn(
            "Gave up the {} filter of {}, and {} others since the last line like this: {} ({})",
            kind.label,
            file,
            more,
            cause.getMessage(),
            Setting.BUILD_MEMORY_LIMIT.key);
      }
    } catch (Throwable again) {
      // The filter is given up already; the file matters more than the line.
    }
  }

  /**
   * Drops the filter under construction as if no key had ever come, for a file that gets another
   * filter.
   */
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

  /**
   * Writes the image of the next chunk into a block of the file. If that fails, HBase finishes the
   * block with the bytes that it has; no probe reads it.
   */
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
      image.write(out);
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
   * Builds the last chunk of the filter. HBase has called {@link #getKeyCount} already: if this
   * fails, the file names its Bloom type and has no meta block. A reader then finds no filter.
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

  /**
   * Returns the number of keys that were appended to the filter; 0, as for a file that needs no
   * filter, if the filter was given up.
   */
  @Override
  public long getKeyCount() {
    try {
      return filter == null ? 0 : filter.addedKeys();
    } catch (Throwable e) {
      abandon(e);
      return 0;
    }
  }

  /** Returns the number of keys for which the chunks built so far were sized. */
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

  /**
   * Copies the cell that later cells are compared with, because HBase reuses the memory of cells
   * from now on.
   */
  @Override
  public void beforeShipped() {
    try {
      previous = previous == null ? null : keyOf(previous);
    } catch (Throwable e) {
      previous = null; // HBase must not compare with memory that is used again
      abandon(e);
    }
  }

  /**
   * Returns a copy, in memory of its own, of the part of a cell that is compared and stored: row
   * and column.
   */
  private static KeyValue keyOf(Cell cell) {
    return new KeyValue(
        CellUtil.cloneRow(cell),
        CellUtil.cloneFamily(cell),
        CellUtil.cloneQualifier(cell),
        HConstants.LATEST_TIMESTAMP,
        KeyValue.Type.Put);
  }

  /**
   * Returns the cell that the next key is compared with, which is kept even if the filter was given
   * up.
   */
  @Override
  public ExtendedCell getPrevCell() {
    return previous;
  }

  @Override
  public Writable getMetaWriter() {
    return metaWriter;
  }

  /** Returns null, because the filter has no data beside its chunks. */
  @Override
  public Writable getDataWriter() {
    return null;
  }

  /** Writer of the filter's meta block, called once all chunks are in the file. */
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
        memory.close(); // the meta block is the last part of a filter
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
