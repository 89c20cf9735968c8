package io.winnow.ribbon;

import io.winnow.FilterFormatException;
import io.winnow.FilterLayout;
import io.winnow.Filters;
import io.winnow.MembershipFilter;
import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import java.nio.ByteBuffer;

/**
 * A homogeneous Ribbon filter, probed in place in its serialized image.
 *
 * <p>No false negatives; the rate is the one that its sizing asked for. About 7.3 bits per key at 1
 * % (width 64), 7.0 (width 128). A probe reads one or two adjacent blocks, 112 bytes at 1 %, and
 * costs about as much as one cache miss. Immutable and thread-safe.
 *
 * <p>Dillinger and Walzer, "Ribbon filter: practically smaller than Bloom and Xor", arXiv
 * 2103.02515, section 4.
 */
public final class HomogeneousRibbonFilter implements MembershipFilter {
  private final HomogeneousRibbonLayout layout;
  private final ByteBuffer image;
  private final byte[] array;
  private final int arrayOffset;

  private HomogeneousRibbonFilter(HomogeneousRibbonLayout layout, ByteBuffer image) {
    this.layout = layout;
    this.image = image;
    this.array = image.hasArray() ? image.array() : null;
    this.arrayOffset = image.hasArray() ? image.arrayOffset() : 0;
  }

  /**
   * Opens the filter whose image fills the buffer from position to limit, in place.
   *
   * @throws FilterFormatException if the bytes are not such a filter
   */
  public static HomogeneousRibbonFilter open(ByteBuffer image) {
    MembershipFilter filter = Filters.open(image);
    if (filter instanceof HomogeneousRibbonFilter ribbon) {
      return ribbon;
    }
    throw new FilterFormatException("a " + filter.type().label() + " filter, not a ribbon");
  }

  /** Over a layout that was read from the image that starts at this buffer's position. */
  public static HomogeneousRibbonFilter of(HomogeneousRibbonLayout layout, ByteBuffer image) {
    if (image.remaining() < layout.sizeInBytes()) {
      throw new IllegalArgumentException(
          "image of " + image.remaining() + " bytes, its layout says " + layout.sizeInBytes());
    }
    return new HomogeneousRibbonFilter(layout, ByteAccess.littleEndianSlice(image));
  }

  @Override
  public boolean mightContain(long keyHash) {
    return array != null
        ? layout
            .shape()
            .probe(ByteAccess.ARRAY, array, arrayOffset + FilterHeader.SIZE_IN_BYTES, keyHash)
        : layout.shape().probe(ByteAccess.BUFFER, image, FilterHeader.SIZE_IN_BYTES, keyHash);
  }

  @Override
  public long mightContain(long[] keyHashes, int from, int count) {
    MembershipFilter.checkBatch(keyHashes, from, count);
    RibbonShape shape = layout.shape();
    return array != null
        ? shape.probe(
            ByteAccess.ARRAY,
            array,
            arrayOffset + FilterHeader.SIZE_IN_BYTES,
            keyHashes,
            from,
            count)
        : shape.probe(ByteAccess.BUFFER, image, FilterHeader.SIZE_IN_BYTES, keyHashes, from, count);
  }

  @Override
  public FilterLayout layout() {
    return layout;
  }
}
