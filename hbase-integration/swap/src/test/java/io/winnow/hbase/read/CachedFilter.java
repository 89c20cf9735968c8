package io.winnow.hbase.read;

import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.settings.Setting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.CacheableDeserializer;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.BloomFilter;

/** A file with a filter of one chunk in a block cache, and other blocks that come and go. */
public final class CachedFilter {
  public static final int ROWS = 2000;
  public static final int BLOCK = 4096;
  public static final int PRESENT = 2 * 77;

  /** So many probes that one of 16 picked by chance is among them, but for once in 10^11. */
  public static final int MANY = 400;

  public static final Configuration CONF =
      StoreFiles.conf(Map.of("winnow.filter", "ribbon", "io.storefile.bloom.block.size", "65536"));

  private CachedFilter() {}

  public static HStoreFile open(Path dir, BlockCache cache) throws IOException {
    return open(dir, cache, CONF);
  }

  /** Its reader loads each chunk that the cache has evicted. */
  public static HStoreFile openToReloadAll(Path dir, BlockCache cache) throws IOException {
    Configuration conf = new Configuration(CONF);
    conf.set(Setting.READ_RELOADS.key, "always");
    return open(dir, cache, conf);
  }

  private static HStoreFile open(Path dir, BlockCache cache, Configuration conf)
      throws IOException {
    var path = StoreFiles.write(dir, CONF, BloomType.ROW, StoreFiles.evenRows(ROWS));
    CacheConfig cacheConf = new CacheConfig(conf, null, cache, ByteBuffAllocator.HEAP);
    return StoreFiles.open(conf, cacheConf, path, BloomType.ROW, new BloomFilterMetrics());
  }

  /** Another reader of the same file. */
  public static HStoreFile openAgain(HStoreFile file, BlockCache cache) throws IOException {
    CacheConfig cacheConf = new CacheConfig(CONF, null, cache, ByteBuffAllocator.HEAP);
    return StoreFiles.open(
        CONF, cacheConf, file.getPath(), BloomType.ROW, new BloomFilterMetrics());
  }

  public static LruBlockCache lru(long bytes) {
    return new LruBlockCache(bytes, BLOCK, false, CONF);
  }

  public static BloomFilter filter(HStoreFile file) {
    return assertInstanceOf(
        WinnowFilterReader.class, StoreFileDoor.generalFilter(file.getReader()), "woven");
  }

  public static boolean asks(BloomFilter filter, int number) {
    byte[] row = row(number);
    return filter.contains(row, 0, row.length, null);
  }

  /** Block that fills a cache: it has no bytes, and takes no memory. */
  public static final class Filler implements Cacheable {
    private final int bytes;

    public Filler() {
      this(BLOCK);
    }

    Filler(int bytes) {
      this.bytes = bytes;
    }

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
      destination.put(new byte[bytes]);
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

  /** Another block comes in and is used, so that it has the rank of the chunk. */
  public static void useAnother(BlockCache cache, int number) {
    BlockCacheKey key = new BlockCacheKey("other", (long) number * BLOCK);
    cache.cacheBlock(key, new Filler());
    assertNotNull(cache.getBlock(key, true, false, false));
  }

  public static CacheWatch watch(HStoreFile file) {
    return assertInstanceOf(
        CacheWatch.class, CacheWatch.of(file.getReader().getHFileReader()), "a watch");
  }
}
