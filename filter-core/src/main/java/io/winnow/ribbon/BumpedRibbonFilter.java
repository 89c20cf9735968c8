package io.winnow.ribbon;

import io.winnow.FilterFormatException;
import io.winnow.FilterLayout;
import io.winnow.Filters;
import io.winnow.MembershipFilter;
import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import java.nio.ByteBuffer;

/**
 * A bumped Ribbon filter (BuRR), probed in place in its serialized image: the smallest filter here.
 *
 * <p>No false negatives; the rate is at most the asked one. About 6.75 bits per key at 1 %, where
 * columns of whole bits allow 6.72. A probe reads a 2-bit threshold and one or two adjacent blocks;
 * about one key in twenty goes on to a second layer. Immutable and thread-safe.
 *
 * <p>Dillinger, Hübschle-Schneider, Sanders and Walzer, "Fast Succinct Retrieval and Approximate
 * Membership using Ribbon", arXiv 2109.01892. We deviate in the last layer, which is homogeneous
 * and so cannot fail.
 */
public final class BumpedRibbonFilter implements MembershipFilter {
  private final BumpedRibbonLayout layout;
  private final ByteBuffer image;
  private final byte[] array;
  private final int arrayOffset;

  private BumpedRibbonFilter(BumpedRibbonLayout layout, ByteBuffer image) {
    this.layout = layout;
    this.image = image;
    this.array = image.hasArray() ? image.array() : null;
    this.arrayOffset = image.hasArray() ? image.arrayOffset() : 0;
  }

  /**
   * Opens the filter whose image fills the buffer from position to limit, in place.
   *
   * <p>The builder's image of few keys is a homogeneous filter's: {@link Filters#open} opens both.
   *
   * @throws FilterFormatException if the bytes are not such a filter
   */
  public static BumpedRibbonFilter open(ByteBuffer image) {
    MembershipFilter filter = Filters.open(image);
    if (filter instanceof BumpedRibbonFilter bumped) {
      return bumped;
    }
    throw new FilterFormatException(
        "a " + filter.type().label() + " filter, not a bumped-ribbon one");
  }

  /** Over a layout that was read from the image that starts at this buffer's position. */
  public static BumpedRibbonFilter of(BumpedRibbonLayout layout, ByteBuffer image) {
    if (image.remaining() < layout.sizeInBytes()) {
      throw new IllegalArgumentException(
          "image of " + image.remaining() + " bytes, its layout says " + layout.sizeInBytes());
    }
    return new BumpedRibbonFilter(layout, ByteAccess.littleEndianSlice(image));
  }

  @Override
  public boolean mightContain(long keyHash) {
    return array != null
        ? layout.probe(ByteAccess.ARRAY, array, arrayOffset + FilterHeader.SIZE_IN_BYTES, keyHash)
        : layout.probe(ByteAccess.BUFFER, image, FilterHeader.SIZE_IN_BYTES, keyHash);
  }

  @Override
  public long mightContain(long[] keyHashes, int from, int count) {
    MembershipFilter.checkBatch(keyHashes, from, count);
    return array != null
        ? layout.probe(
            ByteAccess.ARRAY,
            array,
            arrayOffset + FilterHeader.SIZE_IN_BYTES,
            keyHashes,
            from,
            count)
        : layout.probe(
            ByteAccess.BUFFER, image, FilterHeader.SIZE_IN_BYTES, keyHashes, from, count);
  }

  @Override
  public FilterLayout layout() {
    return layout;
  }
}
