package io.winnow.ycsb.model;

import io.winnow.FilterSizing;
import io.winnow.hbase.settings.StockBloom;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import io.winnow.ycsb.TableFilter;
import java.util.function.LongUnaryOperator;

/**
 * The size and false-positive rate of the filter of one store file. Only chunks count: the index of
 * chunks in the meta block, a first key and about 20 bytes for each, is left out.
 *
 * @param bytes bytes of all chunks
 * @param chunks number of chunks
 * @param rate false-positive rate
 */
public record FilterSize(long bytes, long chunks, double rate) {

  /**
   * Returns the size and the false-positive rate of a filter with a number of keys.
   *
   * @param rate the configured rate, {@code io.storefile.bloom.error.rate}
   * @param chunkBytes bytes of a full chunk, {@code io.storefile.bloom.block.size}
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

  /**
   * Returns the size of one of Winnow's filters: as many full chunks as the keys fill, and a
   * smaller one for the remaining keys.
   */
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
