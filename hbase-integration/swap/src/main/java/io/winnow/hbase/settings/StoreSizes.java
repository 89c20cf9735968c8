package io.winnow.hbase.settings;

import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.hbase.format.KeyKind;
import io.winnow.ribbon.RibbonSizing;
import java.util.function.DoubleFunction;

/**
 * Sizes and rates of a family's filters, Winnow's and HBase's own, for the rule that chooses rates
 * by the store. It is {@link StoreRate}. Immutable.
 */
final class StoreSizes implements StoreRate.Sizes {
  /**
   * Minimum number of keys for which the size of a bumped Ribbon filter is found without a long
   * search.
   */
  private static final int FEW_KEYS = 8192;

  private static final double MAX_HALVINGS = 40;
  private static final int STEPS_TO_RATE = 6;
  private static final int MAX_STEPS_TO_RATE = 40;
  private static final double BITS_PER_HALVING = 1.03;
  private static final double SAME_BITS = 0.002;

  private final StockBloom stock;
  private final KeyKind kind;
  private final int chunkBytes;
  private final DoubleFunction<FilterSizing> sizings;
  private final DoubleFunction<FilterSizing> ofLargeFiles;

  /**
   * Creates a calculator of the sizes and rates of a family's filters.
   *
   * @param chunkBytes the size of a full chunk
   * @param sizings makes the sizing of the file's kind of filter for the rate of a probe
   * @param ofLargeFiles the same for the files that have most of the keys: a flush may write
   *     another kind
   */
  StoreSizes(
      StockBloom stock,
      KeyKind kind,
      int chunkBytes,
      DoubleFunction<FilterSizing> sizings,
      DoubleFunction<FilterSizing> ofLargeFiles) {
    this.stock = stock;
    this.kind = kind;
    this.chunkBytes = chunkBytes;
    this.sizings = sizings;
    this.ofLargeFiles = ofLargeFiles;
  }

  @Override
  public double stockRate(double keys) {
    return kind.rateOfQuery(stock.rate(keys));
  }

  @Override
  public double configuredStockRate() {
    return kind.rateOfQuery(stock.configuredRate);
  }

  @Override
  public double maxChunkRate(double before, double let, double keys, boolean closing) {
    double all = before + keys;
    double inAll = closing ? all * stock.rate(all) : stock.minSumOfRates(all);
    return kind.rateOfQuery(Math.max(0, inAll - let) / Math.max(1, keys));
  }

  @Override
  public double stockBytes(double keys) {
    return stock.bytes(keys);
  }

  @Override
  public double bytes(double keys, double rate) {
    return bytes(sizings, keys, rate);
  }

  @Override
  public double maxBytes(double keys, double rate) {
    return Math.max(bytes(keys, rate), bytes(RibbonSizing::forRate, keys, rate));
  }

  @Override
  public double rateWithin(double keys, double bytes) {
    return rateWithin(sizings, keys, bytes);
  }

  @Override
  public double rateOfStoreWithin(double keys, double bytes) {
    return rateWithin(ofLargeFiles, keys, bytes);
  }

  /**
   * Returns the false-positive rate of a query with which the filter of a file takes at most a
   * number of bytes. Sizes have steps, so the search may not converge: after some turns the first
   * rate that fits is taken.
   */
  private double rateWithin(DoubleFunction<FilterSizing> filters, double keys, double bytes) {
    double halvings = Math.max(1, Math.min(MAX_HALVINGS, bytes * 8 / keys));
    for (int step = 0; step < MAX_STEPS_TO_RATE; step++) {
      double size = bytes(filters, keys, Math.pow(2, -halvings));
      double off = (bytes - size) * 8 / keys - SAME_BITS; // rather a little less than too much
      if (Math.abs(off) < SAME_BITS || step >= STEPS_TO_RATE && size <= bytes) {
        break;
      }
      halvings = Math.max(1, Math.min(MAX_HALVINGS, halvings + off / BITS_PER_HALVING));
    }
    return Math.pow(2, -halvings);
  }

  /**
   * Returns the approximate bytes that the Winnow filter of a file takes at a false-positive rate.
   */
  private double bytes(DoubleFunction<FilterSizing> filters, double keys, double rate) {
    double probeRate = WinnowSettings.sizedRate(rate, kind);
    FilterSizing sized = filters.apply(probeRate);
    if (sized.type() == FilterType.BUMPED_RIBBON) {
      FilterSizing plain = RibbonSizing.forRate(probeRate);
      if (Math.min(keys, plain.keyLimit(chunkBytes)) < FEW_KEYS) {
        return bytesOfFewKeys(sized, plain, keys);
      }
    }
    return fileBytes(sized, chunkBytes, keys);
  }

  /**
   * Returns the approximate bytes of a bumped Ribbon filter of few keys, or of many keys in chunks
   * that hold few each. Only a long search finds from which size on it is a plain one, so its size
   * is extrapolated from that of more keys.
   */
  private double bytesOfFewKeys(FilterSizing bumped, FilterSizing plain, double keys) {
    double ofFew = bumped.expectedImageBytes(FEW_KEYS);
    double perKey = (bumped.expectedImageBytes(2 * FEW_KEYS) - ofFew) / FEW_KEYS;
    double fixed = ofFew - FEW_KEYS * perKey;
    double limit = Math.max(plain.keyLimit(chunkBytes), (chunkBytes - fixed) / perKey);
    double ofChunk = Math.max(1, Math.min(keys, limit));
    double bytes = Math.min(plain.expectedImageBytes((long) ofChunk), fixed + ofChunk * perKey);
    return bytes * Math.max(1, keys) / ofChunk;
  }

  /** Returns the expected bytes of all images of a file's filter, in chunks of a given size. */
  static double fileBytes(FilterSizing sized, int chunkBytes, double keys) {
    double ofChunk = Math.max(1, Math.min(keys, WinnowSettings.MAX_CHUNK_KEYS));
    if (sized.expectedImageBytes((long) ofChunk) > chunkBytes) {
      ofChunk = Math.min(ofChunk, sized.keyLimit(chunkBytes));
    }
    return sized.expectedImageBytes((long) ofChunk) * Math.max(1, keys) / ofChunk;
  }
}
