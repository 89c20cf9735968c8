package io.winnow.ycsb.model;

import io.winnow.FilterSizing;
import io.winnow.hbase.settings.StockBloom;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import io.winnow.ycsb.TableFilter;
import java.util.function.LongUnaryOperator;

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
  public static FilterSize of(TableFilter kind, long keys, double rate, int chunkBytes) {
    if (keys < 1) {
      throw new IllegalArgumentException(keys + " keys are not 1 or more");
    }
    return switch (kind) {
      case BLOOM -> bloom(keys, rate, chunkBytes);
      case RIBBON -> {
        RibbonSizing sizing = RibbonSizing.forRate(Math.max(rate, FilterSizing.MIN_RATE));
        yield full(keys, rate, sizing.keyLimit(chunkBytes), sizing::expectedImageBytes);
      }
      case BUMPED_RIBBON -> {
        BumpedRibbonSizing sizing =
            BumpedRibbonSizing.forRate(Math.max(rate, FilterSizing.MIN_RATE));
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

  private static FilterSize bloom(long keys, double rate, int chunkBytes) {
    StockBloom stock = StockBloom.of(rate, chunkBytes, StockBloom.DEFAULT_MAX_FOLD);
    return new FilterSize(Math.round(stock.bytes(keys)), stock.chunks(keys), stock.rate(keys));
  }
}
