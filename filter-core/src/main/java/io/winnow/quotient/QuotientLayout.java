package io.winnow.quotient;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.FilterImage;
import io.winnow.FilterLayout;
import io.winnow.FilterType;
import io.winnow.ImageFilter;
import io.winnow.KeyHash;

/**
 * Layout of a quotient filter's image, read from the image's header. The header's 16 bytes for the
 * type are slots (u32), remainder bits (u8), scheme (u8), reserved (u16), universe (u64):
 * schema-critical.
 *
 * <p>Immutable and thread-safe.
 */
final class QuotientLayout extends FilterLayout {
  /**
   * Maximum of blocks in a quotient filter's image, so that a slot's number is an int:
   * schema-critical.
   */
  static final int MAX_BLOCKS = (1 << 25) - 1;

  private final TableReader reader;

  private QuotientLayout(FilterHeader header, QuotientShape shape, int blocks) {
    super(header);
    this.reader = TableReader.of(shape, blocks);
  }

  /**
   * Returns the layout of the quotient filter that a header describes.
   *
   * @throws FilterFormatException if it contradicts itself or the payload's length
   */
  static QuotientLayout of(FilterHeader header) {
    long slots = header.shape0() & 0xFFFF_FFFFL;
    int remainderBits = (int) (header.shape0() >>> 32 & 0xFF);
    int reserved = (int) (header.shape0() >>> 48);
    long universe = header.shape1();
    if (reserved != 0) {
      throw new FilterFormatException("reserved bytes are " + reserved + ", must be 0");
    }
    QuotientScheme scheme = QuotientScheme.ofId((int) (header.shape0() >>> 40 & 0xFF));
    if (!QuotientShape.fits(universe, slots)) {
      throw new FilterFormatException(universe + " fingerprints in " + slots + " slots");
    }
    QuotientShape shape = QuotientShape.ofUniverse(scheme, universe, (int) slots);
    if (shape.remainderBits() != remainderBits) {
      throw new FilterFormatException(
          "remainders of " + remainderBits + " bits, must be " + shape.remainderBits());
    }
    if ((long) shape.baseBlocks() * shape.blockBytes() > Integer.MAX_VALUE) {
      throw new FilterFormatException("a table of more than 2 GiB, " + shape);
    }
    long length = header.payloadLength();
    if (length == 0) {
      if (header.keyCount() != 0 && header.estimatedRate() != 1) {
        throw new FilterFormatException(
            "no table for " + header.keyCount() + " keys at a rate of " + header.estimatedRate());
      }
      return new QuotientLayout(header, shape, 0);
    }
    long blockTotal = length - QuotientShape.PADDING_BYTES;
    long blocks = blockTotal / shape.blockBytes();
    if (blockTotal % shape.blockBytes() != 0
        || blocks < shape.baseBlocks()
        || blocks > MAX_BLOCKS) {
      throw new FilterFormatException(
          String.format(
              "payload of %d bytes, must be a whole number of blocks, at least %d of %d bytes",
              length, shape.baseBlocks(), shape.blockBytes()));
    }
    return new QuotientLayout(header, shape, (int) blocks);
  }

  /**
   * Returns the first 8 of the bytes in a header that only quotient filters have; the other 8 are
   * the number of possible fingerprints.
   */
  static long shape0(QuotientShape shape) {
    return shape.slots() | (long) shape.remainderBits() << 32 | (long) shape.scheme().id() << 40;
  }

  /**
   * Writes the header of a quotient filter in front of its blocks, and returns the image.
   *
   * @param image the payload, after room for the header
   */
  static FilterImage image(
      byte[] image,
      QuotientShape shape,
      KeyHash keyHash,
      long keyCount,
      double configuredRate,
      double estimatedRate) {
    byte[] written =
        FilterHeader.write(
            image,
            FilterType.QUOTIENT,
            keyHash,
            keyCount,
            configuredRate,
            estimatedRate,
            shape0(shape),
            shape.universe());
    return FilterImage.of(written, of(FilterHeader.of(written)));
  }

  /**
   * Returns the layout of an immutable quotient filter.
   *
   * @throws IllegalArgumentException if the filter is of another type
   */
  static QuotientLayout of(ImageFilter filter) {
    if (filter.layout() instanceof QuotientLayout) {
      return (QuotientLayout) filter.layout();
    }
    throw new IllegalArgumentException(
        "a " + filter.type().label() + " filter, not a quotient filter");
  }

  /**
   * Returns whether the quotient filter has keys but no table, so that each answer is {@code true}.
   */
  private boolean acceptsAll() {
    return reader.blocks == 0 && keyCount() > 0;
  }

  @Override
  public <T> boolean mightContain(ByteAccess<T> access, T image, int imageOffset, long keyHash) {
    if (reader.blocks == 0) {
      return acceptsAll();
    }
    int payload = imageOffset + FilterHeader.SIZE_IN_BYTES;
    return reader.contains(access, image, payload, reader.shape.place(keyHash));
  }

  /**
   * Returns the fingerprints of a quotient filter's image that starts at index 0, in ascending
   * order.
   *
   * @throws FilterFormatException if the filter has no table because each answer is {@code true}
   */
  <T> TableCursor<T> fingerprints(ByteAccess<T> access, T image) {
    if (acceptsAll()) {
      throw new FilterFormatException("no table of fingerprints: every answer is true");
    }
    return new TableCursor<>(
        access, image, FilterHeader.SIZE_IN_BYTES, reader, header().keyHash(), () -> 0);
  }

  /** Returns the shape of the quotient filter: its slots, remainder bits and scheme. */
  QuotientShape shape() {
    return reader.shape;
  }

  @Override
  public String describe() {
    return acceptsAll() ? "everything" : reader.shape.toString();
  }
}
