package io.winnow.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.InlineBlockWriter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.BloomFilterWriter;
import org.apache.hadoop.io.DataOutputBuffer;

/**
 * A driver that writes the filter of a store file into memory, without the file. HBase's factory
 * makes the writer; the driver calls it as {@code HFileWriterImpl} calls an {@link
 * InlineBlockWriter}: after each data block's worth of cells it checks whether there is a chunk to
 * write.
 */
final class ChunkDrive {
  private static final int BLOCK_HEADER = 33;
  private static final int DATA_BLOCK_BYTES = 64 << 10;

  /** Number of bytes of a KeyValue's cell besides its row. */
  private static final int CELL_OVERHEAD = 40;

  private final Configuration conf;
  private final CacheConfig cacheConf;
  private final HFileContext context;
  private final DataOutputBuffer block = new DataOutputBuffer(256 << 10);
  private InlineBlockWriter registered;

  /** Number of bytes in all chunks of the last written filter, without block headers. */
  long chunkBytes;

  ChunkDrive(HBaseFilter filter, double rate) {
    conf = filter.configuration(rate);
    cacheConf = new CacheConfig(conf);
    context =
        new HFileContextBuilder()
            .withColumnFamily(LocalStoreFile.FAMILY)
            .withCellComparator(CellComparator.getInstance())
            .build();
  }

  /** Writes the filter of sorted cells, chunk by chunk, to a receiver. */
  void write(List<? extends Cell> cells, int rowLength, Consumer<DataOutputBuffer> sink) {
    try {
      BloomFilterWriter writer = newWriter(cells.size());
      chunkBytes = 0;
      long offset = 0;
      int step = Math.max(1, DATA_BLOCK_BYTES / (rowLength + CELL_OVERHEAD));
      for (int from = 0; from < cells.size(); from += step) {
        int to = Math.min(from + step, cells.size());
        for (int i = from; i < to; i++) {
          writer.append(cells.get(i));
        }
        offset = writeChunks(false, offset, sink);
      }
      writer.compactBloom();
      writeChunks(true, offset, sink);
      block.reset();
      writer.getMetaWriter().write(block);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long writeChunks(boolean closing, long offset, Consumer<DataOutputBuffer> sink)
      throws IOException {
    long at = offset;
    while (registered.shouldWriteBlock(closing)) {
      block.reset();
      registered.writeInlineBlock(block);
      chunkBytes += block.getLength();
      sink.accept(block);
      registered.blockWritten(at, block.getLength() + BLOCK_HEADER, block.getLength());
      at += block.getLength() + BLOCK_HEADER;
    }
    return at;
  }

  /** Returns the meta block of the last written filter, with the chunk index. */
  byte[] meta() {
    return Arrays.copyOf(block.getData(), block.getLength());
  }

  private BloomFilterWriter newWriter(int keys) {
    // The factory calls only two methods of the file's writer.
    HFile.Writer file =
        (HFile.Writer)
            Proxy.newProxyInstance(
                ChunkDrive.class.getClassLoader(),
                new Class<?>[] {HFile.Writer.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("addInlineBlockWriter")) {
                    registered = (InlineBlockWriter) arguments[0];
                  }
                  return method.getName().equals("getFileContext") ? context : null;
                });
    return BloomFilterFactory.createGeneralBloomAtWrite(conf, cacheConf, BloomType.ROW, keys, file);
  }
}
