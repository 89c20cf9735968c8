package io.winnow.ribbon;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.FilterLayout;
import io.winnow.MembershipFilter;

/**
 * Layout and probe of a homogeneous Ribbon filter, read from the image's header.
 *
 * <p>No false negatives; the rate is that of its {@link RibbonSizing}. About 7.3 bits per key at 1
 * % (width 64), 7.0 (width 128). A probe reads one or two adjacent blocks, 112 bytes at 1 %, and
 * costs about as much as one cache miss. The type's 16 bytes in the header are a {@link
 * RibbonShape}. Immutable and thread-safe.
 *
 * <p>Dillinger and Walzer, "Ribbon filter: practically smaller than Bloom and Xor", arXiv
 * 2103.02515, section 4.
 */
final class HomogeneousRibbonLayout extends FilterLayout {
  /** Shape of the Ribbon filter's solution: its blocks and columns. */
  final RibbonShape shape;

  private HomogeneousRibbonLayout(FilterHeader header, RibbonShape shape) {
    super(header);
    this.shape = shape;
  }

  /**
   * Returns the layout of the homogeneous Ribbon filter that a header describes.
   *
   * @throws FilterFormatException if it contradicts itself or the payload's length
   */
  static HomogeneousRibbonLayout of(FilterHeader header) {
    if ((header.shape0() & 0xFFFF_FFFFL) == 0 && header.keyCount() != 0) {
      throw new FilterFormatException("ribbon of no blocks for " + header.keyCount() + " keys");
    }
    return new HomogeneousRibbonLayout(
        header, RibbonShape.of(header.shape0(), header.shape1(), header.payloadLength()));
  }

  @Override
  public <T> boolean mightContain(ByteAccess<T> access, T image, int imageOffset, long keyHash) {
    return shape.probe(access, image, imageOffset + FilterHeader.SIZE_IN_BYTES, keyHash);
  }

  @Override
  public <T> long mightContain(
      ByteAccess<T> access, T image, int imageOffset, long[] keyHashes, int from, int count) {
    MembershipFilter.checkBatch(keyHashes, from, count);
    int payload = imageOffset + FilterHeader.SIZE_IN_BYTES;
    return shape.probe(access, image, payload, keyHashes, from, count);
  }

  @Override
  public String describe() {
    return shape.describe();
  }
}
