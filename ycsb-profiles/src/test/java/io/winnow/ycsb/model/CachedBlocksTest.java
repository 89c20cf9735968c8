package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.cli.Program;
import io.winnow.ycsb.TableFilter;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.CachedBlock;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the model takes from HBase's readers and its block cache: how many bytes a cached block has,
 * and which look-ups the counters leave out. HBase itself writes a file here, and reads it.
 */
class CachedBlocksTest {
  private static final int KEY_LENGTH = 25;
  private static final int COLUMNS = 5;
  private static final int VALUE_LENGTH = 20;
  private static final int ROW_BYTES = (int) Fleet.rowBytes(KEY_LENGTH, COLUMNS, VALUE_LENGTH);

  /** Blocks of whole rows and compressed, as those of {@code ./winnow ycsb} are. */
  private static final int ROWS_OF_BLOCK = 22;

  private static final int BLOCKS = 400;
  private static final int ROWS = ROWS_OF_BLOCK * BLOCKS;
  private static final int INDEX_BLOCK_BYTES = 4 << 10;
  private static final byte[] FAMILY = Bytes.toBytes("f");

  @TempDir private java.nio.file.Path directory;

  // Without a thread of its own it needs no shutdown.
  private final LruBlockCache cache = new LruBlockCache(64 << 20, 64 << 10, false);
  private final Configuration conf = HBaseConfiguration.create();
  private HFile.Reader file;

  @BeforeEach
  void write() throws IOException {
    conf.setInt("hfile.index.block.max.size", INDEX_BLOCK_BYTES);
    // Named like a file of a table: the cache keeps the name with each block.
    Path path = new Path(directory.toUri().toString(), "a/b/f/0123456789abcdef0123456789abcdef");
    FileSystem files = path.getFileSystem(conf);
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, CacheConfig.DISABLED, files)
            .withFilePath(path)
            .withBloomType(BloomType.ROW)
            .withFileContext(
                new HFileContextBuilder()
                    .withBlockSize(ROWS_OF_BLOCK * ROW_BYTES)
                    .withCompression(Compression.Algorithm.SNAPPY)
                    .withColumnFamily(FAMILY)
                    .withCellComparator(CellComparator.getInstance())
                    .build())
            .build();
    for (int row = 0; row < ROWS; row++) {
      for (int column = 0; column < COLUMNS; column++) {
        writer.append(cell(row, column));
      }
    }
    writer.close();
    file =
        HFile.createReader(
            files, path, new CacheConfig(conf, null, cache, ByteBuffAllocator.HEAP), true, conf);
  }

  @AfterEach
  void close() throws IOException {
    file.close(false);
  }

  private static byte[] key(int row) {
    return Bytes.toBytes(String.format("%0" + KEY_LENGTH + "d", row));
  }

  private static KeyValue cell(int row, int column) {
    return new KeyValue(
        key(row), FAMILY, Bytes.toBytes("field" + column), 1, new byte[VALUE_LENGTH]);
  }

  /** As a Get of a whole row does: to its first cell, and on till a cell is another row's. */
  private void readAllRows() throws IOException {
    for (int row = 0; row < ROWS; row++) {
      HFileScanner scanner = file.getScanner(conf, true, true, false);
      assertEquals(0, scanner.seekTo(cell(row, 0)));
      int cells = 1;
      while (scanner.next() && CellUtil.matchingRows(scanner.getCell(), key(row))) {
        cells++;
      }
      scanner.close();
      assertEquals(COLUMNS, cells);
    }
  }

  @Test
  void theNextBlockIsOfNoKindToTheCounters() throws IOException {
    readAllRows();
    CacheStats stats = cache.getStats();
    assertEquals(ROWS, stats.getDataHitCount() + stats.getDataMissCount());
    long leaves = stats.getLeafIndexHitCount() + stats.getLeafIndexMissCount();
    assertEquals(ROWS, leaves);
    double all = stats.getRequestCount();
    // One row of a block is its last; behind the last one of all there is no block. Between data
    // blocks lie those of the index, and are looked up on the way.
    long leafBlocks = blocks(BlockType.LEAF_INDEX);
    assertEquals(ROWS + leaves + BLOCKS - 1 + leafBlocks - 1, all);

    Model options =
        Program.read(
            new Model(),
            ("--files=1 --regions=1 --servers=1 --hot-reads=0 --one-rate --rows=" + ROWS)
                .split(" "));
    Fleet fleet =
        new Fleet(options, TableFilter.BLOOM, ROWS_OF_BLOCK * ROW_BYTES, INDEX_BLOCK_BYTES);
    assertEquals(all / ROWS, fleet.blocks(), 1e-3);
  }

  @Test
  void aCachedBlockIsAsLargeAsTheModelHasIt() throws IOException {
    readAllRows();
    for (CachedBlock cached : cache) {
      HFileBlock block =
          (HFileBlock)
              cache.getBlock(
                  new BlockCacheKey(cached.getFilename(), cached.getOffset()), false, true, false);
      int bytes = block.getUncompressedSizeWithoutHeader();
      assertEquals(Fleet.BLOCK_OVERHEAD, cached.getSize() - bytes, 24, block.toString());
      if (block.getBlockType() == BlockType.DATA) {
        assertEquals(ROWS_OF_BLOCK * ROW_BYTES, bytes);
      }
      block.release();
    }
    assertEquals(BLOCKS, blocks(BlockType.DATA));
  }

  /** In the cache. */
  private long blocks(BlockType type) {
    long blocks = 0;
    for (CachedBlock cached : cache) {
      blocks += cached.getBlockType() == type ? 1 : 0;
    }
    return blocks;
  }
}
