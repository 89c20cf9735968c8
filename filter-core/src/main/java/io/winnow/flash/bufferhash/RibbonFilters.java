package io.winnow.flash.bufferhash;

import io.winnow.FilterBuilder;
import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.ImageFilter;
import io.winnow.image.Filters;
import io.winnow.ribbon.BumpedRibbonSizing;

/**
 * Filters of one super table's incarnations: a bumped Ribbon filter for each slot. These filters
 * suit sets that never change, such as incarnations.
 *
 * <p>Cost: 1.05 log2(1/rate) bits per key and some 100 bytes, instead of 1.44 log2(1/rate) bits; a
 * lookup probes one filter after the other, which takes 20 to 50 ns each.
 */
final class RibbonFilters implements IncarnationFilters {
  private final ImageFilter[] filters;
  private final BumpedRibbonSizing sizing;

  /** Creates an empty Ribbon filter for each slot of a super table, all with one rate. */
  RibbonFilters(BumpedRibbonSizing sizing, int slots) {
    this.filters = new ImageFilter[slots];
    this.sizing = sizing;
  }

  @Override
  public void narrow(long keyHash, long[] slots) {
    for (int i = 0; i < slots.length; i++) {
      for (long left = slots[i]; left != 0; left &= left - 1) {
        int bit = Long.numberOfTrailingZeros(left);
        ImageFilter filter = filters[i * Long.SIZE + bit];
        if (filter != null && !filter.mightContain(keyHash)) {
          slots[i] &= ~(1L << bit);
        }
      }
    }
  }

  @Override
  public StoredFilter build(int slot, long[] keyHashes, int count) {
    FilterBuilder builder = FilterBuilder.of(sizing);
    builder.add(keyHashes, 0, count);
    FilterImage image = builder.finish();
    filters[slot] = image.open();
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return new StoredFilter(IncarnationFilterKind.RIBBON.id, 0, 0, bytes);
  }

  @Override
  public boolean load(int slot, StoredFilter stored) {
    if (stored.kind != IncarnationFilterKind.RIBBON.id) {
      return false;
    }
    try {
      FilterImage image = Filters.image(stored.bytes);
      FilterType type = image.layout().type();
      if (type != FilterType.RIBBON && type != FilterType.BUMPED_RIBBON) {
        return false;
      }
      filters[slot] = image.open();
      return true;
    } catch (FilterFormatException e) {
      return false; // of a later version, or damaged: it is built again from the keys
    }
  }

  /**
   * Returns a false-positive rate at which a Ribbon filter of a given number of keys takes nearly,
   * but at most, a given number of bytes.
   */
  static double rateFor(int keys, double bytes) {
    // computing a size takes some time: estimate, correct the estimate, then go down in steps
    double log2 = Math.min(32, Math.max(1, 7.6 * bytes / keys));
    double size = expectedBytes(keys, Math.pow(2, -log2));
    for (log2 = Math.min(32, log2 * bytes / size); log2 > 1; log2 -= 0.25) {
      double rate = Math.pow(2, -log2);
      if (expectedBytes(keys, rate) <= bytes) {
        return rate;
      }
    }
    return 0.5;
  }

  /** Returns the expected size in bytes of a Ribbon filter of a given number of keys. */
  static long expectedBytes(int keys, double rate) {
    return BumpedRibbonSizing.forRate(rate).expectedImageBytes(keys);
  }
}
