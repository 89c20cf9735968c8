package io.winnow.hbase.rates;

import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.BloomFilterChunk;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Hash;

/**
 * The false-positive rate of HBase's own filter, from its parameters: all chunks are full but the
 * last, which is folded while it is less than half full. Immutable.
 */
final class StockRate {
  private static final int MAX_FOLD = 7; // HBase's default
  private static final int BITS = 8;

  private final long chunkBytes;
  private final long chunkKeys;
  private final int hashCount;

  /**
   * For HBase's defaults but these.
   *
   * @param rate {@code io.storefile.bloom.error.rate}
   * @param chunkBytes {@code io.storefile.bloom.block.size}
   */
  StockRate(double rate, int chunkBytes) {
    BloomFilterChunk full =
        BloomFilterUtil.createBySize(
            BloomFilterUtil.computeFoldableByteSize((long) BITS * chunkBytes, MAX_FOLD),
            (float) rate,
            Hash.MURMUR_HASH,
            MAX_FOLD,
            BloomType.ROW);
    this.chunkBytes = full.getByteSize();
    this.chunkKeys = full.getMaxKeys();
    this.hashCount = full.getHashCount();
  }

  /** The mean over the filter's keys, each of which stands for a part of the key space. */
  double of(BloomFilter filter) {
    return of(filter.getKeyCount(), filter.getByteSize());
  }

  double of(long keys, long bytes) {
    long full = (keys - 1) / chunkKeys;
    long lastKeys = keys - full * chunkKeys;
    long lastBytes = bytes - full * chunkBytes;
    if (lastBytes <= 0) {
      throw new IllegalStateException(
          bytes + " bytes are too few for " + keys + " keys in chunks of " + chunkKeys);
    }
    double sum =
        full * chunkKeys * rate(chunkKeys, chunkBytes) + lastKeys * rate(lastKeys, lastBytes);
    return sum / keys;
  }

  private double rate(long keys, long bytes) {
    return BloomFilterUtil.actualErrorRate(keys, BITS * bytes, hashCount);
  }
}
