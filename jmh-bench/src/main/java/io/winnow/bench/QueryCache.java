package io.winnow.bench;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.CacheableDeserializer;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;

/**
 * A block cache of HBase on the heap with the chunks of filters in it, and a given number of other
 * blocks. The other blocks have no memory of their own: they only report a size. The cache takes
 * them in and evicts them like any block, in the thread that inserts them.
 */
final class QueryCache {
  /**
   * Share of the block cache that chunks take: below the share that HBase keeps for blocks that
   * were used twice.
   */
  private static final double CHUNKS = 0.4;

  /** Mean fill of the block cache between two evictions, as a share of its size. */
  private static final double FULL = 0.97;

  private static final double BYTES_PER_KEY = 1.5;
  private static final int USUAL_BLOCK = 65536;

  private final LruBlockCache cache;
  private final int others;
  private final AtomicLong inserted = new AtomicLong();
  private Other other;

  QueryCache(Configuration conf, int others, long keys) {
    long bytes = (long) (BYTES_PER_KEY * keys) + (64 << 20);
    this.cache = new LruBlockCache(bytes, USUAL_BLOCK, false, conf);
    this.others = others;
  }

  BlockCache blocks() {
    return cache;
  }

  /**
   * Sets the size of the block cache such that the chunks, which are all in it, take a fixed share,
   * and fills the rest with other blocks.
   */
  void fill() {
    long chunks = cache.getCurrentSize();
    double bytes = chunks / CHUNKS;
    cache.setMaxSize((long) bytes);
    other = new Other((int) Math.max(1, (FULL * bytes - chunks) / others));
    while (cache.getStats().getEvictedCount() == 0) {
      insertOther();
    }
  }

  void insertOther() {
    cache.cacheBlock(new BlockCacheKey("other", inserted.getAndIncrement()), other);
  }

  long chunkMisses() {
    return cache.getStats().getBloomChunkMissCount();
  }

  /** A cached block that has no data and only reports a size. */
  private record Other(int bytes) implements Cacheable {
    @Override
    public long heapSize() {
      return bytes;
    }

    @Override
    public int getSerializedLength() {
      return bytes;
    }

    @Override
    public void serialize(ByteBuffer destination, boolean includeNextBlockMetadata) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CacheableDeserializer<Cacheable> getDeserializer() {
      throw new UnsupportedOperationException();
    }

    @Override
    public BlockType getBlockType() {
      return BlockType.DATA;
    }
  }
}
