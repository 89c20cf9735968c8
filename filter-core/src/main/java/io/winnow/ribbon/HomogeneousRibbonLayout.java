package io.winnow.ribbon;

import io.winnow.FilterFormatException;
import io.winnow.FilterLayout;
import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import java.nio.ByteBuffer;

/**
 * What the header of a homogeneous Ribbon filter says; the type's 16 bytes in it are a {@link
 * RibbonShape}. Immutable and thread-safe.
 */
public final class HomogeneousRibbonLayout implements FilterLayout {
  private final FilterHeader header;
  private final RibbonShape shape;

  private HomogeneousRibbonLayout(FilterHeader header, RibbonShape shape) {
    this.header = header;
    this.shape = shape;
  }

  /**
   * Checks the shape that a header states.
   *
   * @throws FilterFormatException if it contradicts itself or the payload's length
   */
  public static HomogeneousRibbonLayout of(FilterHeader header) {
    if ((header.shape0() & 0xFFFF_FFFFL) == 0 && header.keyCount() != 0) {
      throw new FilterFormatException("ribbon of no blocks for " + header.keyCount() + " keys");
    }
    return new HomogeneousRibbonLayout(
        header, RibbonShape.of(header.shape0(), header.shape1(), header.payloadLength()));
  }

  @Override
  public <T> boolean mightContain(ByteAccess<T> access, T image, int imageOffset, long keyHash) {
    int payload = imageOffset + FilterHeader.SIZE_IN_BYTES;
    // Through the constants the JIT sees which bytes are read; a parameter it has to ask.
    if (access == ByteAccess.ARRAY) {
      return shape.probe(ByteAccess.ARRAY, (byte[]) image, payload, keyHash);
    }
    if (access == ByteAccess.BUFFER) {
      return shape.probe(ByteAccess.BUFFER, (ByteBuffer) image, payload, keyHash);
    }
    return shape.probe(access, image, payload, keyHash);
  }

  RibbonShape shape() {
    return shape;
  }

  @Override
  public FilterHeader header() {
    return header;
  }

  @Override
  public String describe() {
    return shape.describe();
  }
}
