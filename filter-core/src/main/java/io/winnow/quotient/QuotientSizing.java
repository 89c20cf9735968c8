package io.winnow.quotient;

import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.FilterImage;
import io.winnow.FilterLayout;
import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.base.KeyBuffer;
import io.winnow.base.ScratchPool;

/**
 * Sizes of quotient filters with a given false-positive rate: the number of bits of a remainder,
 * and the slots for a number of keys. Immutable and thread-safe.
 */
public final class QuotientSizing implements FilterSizing {
  private static final ScratchPool<QuotientConstruction> SCRATCH =
      new ScratchPool<>(() -> new QuotientConstruction(image -> {}));

  private final QuotientScheme scheme;
  private final double rate;
  private final int remainderBits;

  private QuotientSizing(QuotientScheme scheme, double rate) {
    this.scheme = scheme;
    this.rate = rate;
    int bits = 1;
    while (bits < QuotientShape.MAX_REMAINDER_BITS && scheme.maxLoad() > Math.scalb(rate, bits)) {
      bits++;
    }
    this.remainderBits = bits;
  }

  /**
   * Returns the sizing of quotient filters for a rate, in the rank-and-select scheme. A filter's
   * rate is at most this, since a remainder has a whole number of bits.
   *
   * @throws IllegalArgumentException unless the rate is {@link #MIN_RATE} to {@link #MAX_RATE}
   */
  public static QuotientSizing forRate(double rate) {
    return forRate(rate, QuotientScheme.RANK_SELECT);
  }

  /**
   * Returns the layout of the filter that a header describes.
   *
   * @throws FilterFormatException if it contradicts itself or the payload's length
   */
  public static FilterLayout layout(FilterHeader header) {
    return QuotientLayout.of(header);
  }

  /**
   * Returns the sizing of quotient filters for a rate, in the given scheme (see {@link
   * #forRate(double)}).
   */
  public static QuotientSizing forRate(double rate, QuotientScheme scheme) {
    return new QuotientSizing(scheme, FilterSizing.checkRate(rate));
  }

  @Override
  public FilterImage build(KeyBuffer keys, KeyHash keyHash, boolean verified) {
    return SCRATCH.build(keys, scratch -> scratch.build(this, keys, keyHash, verified));
  }

  @Override
  public FilterType type() {
    return FilterType.QUOTIENT;
  }

  @Override
  public double rate() {
    return rate;
  }

  /**
   * Returns the shape (slots, remainder bits and scheme) of the smallest quotient filter for a
   * number of keys, filled to the scheme's highest load. Remainders have at most 56 bits, and there
   * are at most 2^62 fingerprints, even if the rate would need more.
   *
   * @throws IllegalArgumentException if these are more keys than a filter can hold
   */
  public QuotientShape shape(long keys) {
    if (!fits(keys)) {
      throw new IllegalArgumentException(
          keys + " keys at a rate of " + rate + " are more than a filter can hold");
    }
    int slots = (int) scheme.slotsFor(keys);
    return QuotientShape.ofSlots(slots, remainderBits(slots)).with(scheme);
  }

  /**
   * Returns the number of bits of a quotient filter's remainder: fewer than the rate needs if there
   * would be more than 2^62 fingerprints.
   */
  private int remainderBits(long slots) {
    return Math.min(remainderBits, Long.numberOfLeadingZeros(slots) - 2);
  }

  /**
   * Returns whether a quotient filter can hold this number of keys: in 2^30 slots and an image
   * below 2 GiB.
   */
  boolean fits(long keys) {
    return keys >= 0
        && keys <= QuotientShape.MAX_SLOTS // so no product overflows
        && scheme.slotsFor(keys) <= QuotientShape.MAX_SLOTS
        && expectedImageBytes(keys) < Integer.MAX_VALUE / 16 * 15;
  }

  @Override
  public String toString() {
    return "quotient (" + scheme.label() + "), rate " + rate;
  }

  /**
   * {@inheritDoc} It is exact, except for the few blocks that are added if runs extend over the
   * end.
   */
  @Override
  public long expectedImageBytes(long keys) {
    if (FilterSizing.checkKeys(keys) == 0) {
      return FilterHeader.SIZE_IN_BYTES;
    }
    long slots = scheme.slotsFor(keys);
    long blocks = (slots + QuotientShape.BLOCK_SLOTS - 1) / QuotientShape.BLOCK_SLOTS;
    return FilterHeader.SIZE_IN_BYTES
        + blocks * scheme.blockBytes(remainderBits(slots))
        + QuotientShape.PADDING_BYTES;
  }

  /** {@inheritDoc} It reserves a block for runs that extend over the table's end. */
  @Override
  public long keyLimit(long imageBytes) {
    long max = Math.min(FilterSizing.checkBytes(imageBytes), Integer.MAX_VALUE);
    long blockTotal = max - FilterHeader.SIZE_IN_BYTES - QuotientShape.PADDING_BYTES;
    long blocks = blockTotal / scheme.blockBytes(remainderBits) - 1;
    long slots = Math.min(blocks * QuotientShape.BLOCK_SLOTS, QuotientShape.MAX_SLOTS);
    return slots < 1 ? 1 : scheme.capacity((int) slots);
  }
}
