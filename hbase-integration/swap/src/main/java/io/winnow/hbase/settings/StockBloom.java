package io.winnow.hbase.settings;

import io.winnow.hbase.format.KeyKind;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.BloomFilterUtil;

/**
 * Calculator of the sizes and false-positive rates of HBase's own Bloom filters, by the family's
 * configuration and HBase's formulas.
 *
 * <p>HBase fills chunks of one size, and halves the last one while it holds twice its keys. So a
 * file of few keys gets up to twice the bits that its rate needs, and far fewer false positives
 * than its setting allows. Immutable.
 */
public final class StockBloom {
  /** HBase's default of {@code io.storefile.bloom.max.fold}. */
  public static final int DEFAULT_MAX_FOLD = 7;

  /**
   * The false-positive rate of one probe for which a full chunk of HBase's Bloom filter is sized.
   */
  public final double configuredRate;

  private final int chunkBytes;
  private final int functions;
  private final int keysPerChunk;

  private StockBloom(double configuredRate, int chunkBytes, int functions, int keysPerChunk) {
    this.configuredRate = configuredRate;
    this.chunkBytes = chunkBytes;
    this.functions = functions;
    this.keysPerChunk = keysPerChunk;
  }

  /**
   * Returns a calculator of the sizes and rates of HBase's Bloom filters with given parameters.
   *
   * @param rate the false-positive rate of one probe that a full chunk is made for
   * @param blockBytes the size in bytes that a chunk should have
   * @param maxFold how often a chunk can be halved at least
   */
  public static StockBloom of(double rate, int blockBytes, int maxFold) {
    int bytes = BloomFilterUtil.computeFoldableByteSize(blockBytes * 8L, maxFold);
    long bits = bytes * 8L;
    double single = (float) rate; // as HBase has it
    int ideal = Math.max(1, (int) BloomFilterUtil.idealMaxKeys(bits, single));
    int functions = BloomFilterUtil.optimalFunctionCount(ideal, bits);
    int keys = (int) BloomFilterUtil.computeMaxKeys(bits, single, functions);
    return new StockBloom(rate, bytes, functions, Math.max(1, keys));
  }

  /**
   * Returns a calculator of the sizes and rates of the Bloom filters that HBase would write for a
   * family.
   *
   * @param family the whole configuration of the family
   * @throws IllegalArgumentException if a setting has a wrong value; its message names it
   */
  public static StockBloom of(Configuration family, BloomType type) {
    try {
      return WinnowSettings.stock(family, KeyKind.of(type));
    } catch (WrongSettingException e) {
      throw new IllegalArgumentException(e.inWords(), e);
    }
  }

  /** Returns the number of chunks that HBase's Bloom filter of a number of keys has. */
  public long chunks(long keys) {
    return (keys + keysPerChunk - 1) / keysPerChunk;
  }

  /** Returns the bytes that HBase's Bloom filter of a number of keys takes. */
  public double bytes(double keys) {
    double last = keys % keysPerChunk;
    return Math.floor(keys / keysPerChunk) * chunkBytes + (last < 1 ? 0 : lastBytes(last));
  }

  /**
   * Returns the bytes that HBase's own filter of the same keys would take. For a filter of HBase's,
   * returns its size.
   */
  public double bytes(BloomFilter filter) {
    return FilterChoice.of(filter) == FilterChoice.BLOOM
        ? filter.getByteSize()
        : bytes(filter.getKeyCount());
  }

  /**
   * Returns the false-positive rate of one probe of HBase's Bloom filter: the mean over the chunks,
   * weighted by their keys.
   */
  public double rate(double keys) {
    double last = keys % keysPerChunk;
    double full = keys - last;
    double expected = full * rateOf(keysPerChunk, chunkBytes);
    if (last >= 1) {
      expected += last * rateOf(last, lastBytes(last));
    }
    return expected / Math.max(1, keys);
  }

  /**
   * Returns the smallest sum, over all keys, of the false-positive rates of their chunks, for
   * HBase's Bloom filter of at least a number of keys. It falls where a chunk is halved once less.
   */
  double minSumOfRates(double keys) {
    double last = keys % keysPerChunk;
    double min = Math.min(last * rateOf(last, lastBytes(last)), sumOfRates(keysPerChunk));
    for (int room = keysPerChunk; (room + 1) / 2 > last; room >>= 1) {
      int fewest = (room + 1) / 2; // with fewer keys the chunk is halved once more
      min = Math.min(min, fewest * rateOf(fewest, lastBytes(fewest)));
    }
    return sumOfRates(keys - last) + min;
  }

  private double sumOfRates(double keys) {
    return keys * rate(keys);
  }

  private double rateOf(double keys, double bytes) {
    return rate(functions, keys, bytes);
  }

  /**
   * Returns the false-positive rate of a Bloom filter with a number of hash functions, keys and
   * bytes.
   */
  public static double rate(int functions, double keys, double bytes) {
    return Math.pow(-Math.expm1(-functions * keys / (8 * bytes)), functions);
  }

  /**
   * Returns the size in bytes of the last chunk of HBase's Bloom filter, which has the given number
   * of keys. HBase halves it while the half is enough, and its size can be halved.
   */
  private int lastBytes(double keys) {
    int bytes = chunkBytes;
    int room = keysPerChunk;
    while ((bytes & 1) == 0 && room > 2 * keys) {
      bytes >>= 1;
      room >>= 1;
    }
    return bytes;
  }
}
