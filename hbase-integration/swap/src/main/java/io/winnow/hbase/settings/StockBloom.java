package io.winnow.hbase.settings;

import io.winnow.hbase.format.KeyKind;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterUtil;

/**
 * What HBase's own Bloom filter of a file would take, and let through, for so many keys: computed,
 * as HBase computes it, from a family's configuration.
 *
 * <p>HBase fills chunks of one size, and folds the last one in halves as long as it holds twice its
 * keys. A file of few keys so gets up to twice the bits that its rate needs, and far fewer false
 * positives than were asked for. Immutable.
 */
public final class StockBloom {
  /** HBase's default of {@code io.storefile.bloom.max.fold}. */
  public static final int DEFAULT_MAX_FOLD = 7;

  private final double askedRate;
  private final int chunkBytes;
  private final int functions;
  private final int keysPerChunk;

  private StockBloom(double askedRate, int chunkBytes, int functions, int keysPerChunk) {
    this.askedRate = askedRate;
    this.chunkBytes = chunkBytes;
    this.functions = functions;
    this.keysPerChunk = keysPerChunk;
  }

  /**
   * @param rate the false-positive rate of one probe that a full chunk is made for
   * @param blockBytes the size that a chunk is to have
   * @param maxFold how often a chunk can be folded at least
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
   * The filters that HBase would write for a family.
   *
   * @param family its whole configuration
   * @throws IllegalArgumentException with words on the setting that means nothing
   */
  public static StockBloom of(Configuration family, BloomType type) {
    try {
      return WinnowSettings.stock(family, KeyKind.of(type));
    } catch (WrongSettingException e) {
      throw new IllegalArgumentException(e.inWords(), e);
    }
  }

  /** The false-positive rate of one probe that a full chunk is made for. */
  public double askedRate() {
    return askedRate;
  }

  /** The chunks of the filter of so many keys. */
  public long chunks(long keys) {
    return (keys + keysPerChunk - 1) / keysPerChunk;
  }

  /** The bytes of the filter of so many keys. */
  public double bytes(double keys) {
    double last = keys % keysPerChunk;
    return Math.floor(keys / keysPerChunk) * chunkBytes + (last < 1 ? 0 : lastBytes(last));
  }

  /** The false-positive rate of one probe, a mean over the chunks by their keys. */
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
   * The least that the filter of a file of so many keys, or of any more, lets through: a sum over
   * its keys of the rates of their chunks. It falls where a chunk is folded once less.
   */
  double leastSumOfRates(double keys) {
    double last = keys % keysPerChunk;
    double least = Math.min(last * rateOf(last, lastBytes(last)), sumOfRates(keysPerChunk));
    for (int room = keysPerChunk; (room + 1) / 2 > last; room >>= 1) {
      int fewest = (room + 1) / 2; // that are not folded once more
      least = Math.min(least, fewest * rateOf(fewest, lastBytes(fewest)));
    }
    return sumOfRates(keys - last) + least;
  }

  private double sumOfRates(double keys) {
    return keys * rate(keys);
  }

  private double rateOf(double keys, double bytes) {
    return rate(functions, keys, bytes);
  }

  /** The false-positive rate of a Bloom filter of so many hash functions, keys and bytes. */
  public static double rate(int functions, double keys, double bytes) {
    return Math.pow(-Math.expm1(-functions * keys / (8 * bytes)), functions);
  }

  /** HBase halves a chunk while the half is enough, and its size can be halved. */
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
