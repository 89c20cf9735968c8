package io.winnow.ycsb.model;

import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import io.winnow.ycsb.FilterKind;
import java.util.function.LongUnaryOperator;
import org.apache.hadoop.hbase.util.BloomFilterUtil;

/**
 * What the filter of one store file takes. Chunks alone: the index of chunks in the meta block, a
 * first key and 20 bytes or so for each, is left out.
 *
 * @param bytes of all chunks
 * @param chunks how many
 * @param rate at which it answers absent keys wrongly
 */
public record FilterSize(long bytes, long chunks, double rate) {

  /**
   * A filter of a number of keys.
   *
   * @param rate asked for, as {@code io.storefile.bloom.error.rate}
   * @param chunkBytes of a full chunk, as {@code io.storefile.bloom.block.size}
   */
  public static FilterSize of(FilterKind kind, long keys, double rate, int chunkBytes) {
    if (keys < 1) {
      throw new IllegalArgumentException(keys + " keys are not 1 or more");
    }
    return switch (kind) {
      case BLOOM -> bloom(keys, rate, chunkBytes);
      case RIBBON -> {
        RibbonSizing sizing = RibbonSizing.forRate(rate);
        yield full(keys, rate, sizing.keyLimit(chunkBytes), sizing::expectedImageBytes);
      }
      case BUMPED_RIBBON -> {
        BumpedRibbonSizing sizing = BumpedRibbonSizing.forRate(rate);
        yield full(keys, rate, sizing.keyLimit(chunkBytes), sizing::expectedImageBytes);
      }
    };
  }

  /** Winnow's: full chunks, and one for the rest, as large as that needs. */
  private static FilterSize full(long keys, double rate, long limit, LongUnaryOperator bytes) {
    long full = keys / limit;
    long rest = keys % limit;
    return rest == 0
        ? new FilterSize(full * bytes.applyAsLong(limit), full, rate)
        : new FilterSize(
            (full == 0 ? 0 : full * bytes.applyAsLong(limit)) + bytes.applyAsLong(rest),
            full + 1,
            rate);
  }

  /**
   * HBase's: every chunk is made with all of its bytes; the last is halved, by folding one half
   * onto the other, for as long as it is meant for more than twice the keys that it has. It then
   * has up to twice the bits that it needs, and a lower rate.
   */
  private static FilterSize bloom(long keys, double rate, int chunkBytes) {
    long bits = 8L * chunkBytes;
    // As HBase does, rounding and all: keys for the best number of functions, that number, and the
    // keys for it.
    long ideal = Math.max(1, (long) (bits * Math.log(2) * Math.log(2) / -Math.log(rate)));
    int functions = Math.max(1, (int) Math.ceil(Math.log(2) * (bits / ideal)));
    double least = -functions / Math.log1p(-Math.pow(rate, 1.0 / functions)); // bits per key
    long limit = Math.max(1, (long) (bits / least));
    long full = keys / limit;
    long rest = keys % limit;
    long lastBytes = 0;
    if (rest > 0) {
      lastBytes = chunkBytes;
      for (long most = limit; (lastBytes & 1) == 0 && most > 2 * rest; most >>= 1) {
        lastBytes >>= 1;
      }
    }
    double wrong = full * limit * rateOf(bits, functions, limit);
    if (rest > 0) {
      wrong += rest * rateOf(8 * lastBytes, functions, rest);
    }
    return new FilterSize(full * chunkBytes + lastBytes, full + (rest > 0 ? 1 : 0), wrong / keys);
  }

  private static double rateOf(long bits, int functions, long keys) {
    return BloomFilterUtil.actualErrorRate(keys, bits, functions);
  }
}
