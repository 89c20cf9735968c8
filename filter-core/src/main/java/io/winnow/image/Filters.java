package io.winnow.image;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.FilterImage;
import io.winnow.FilterLayout;
import io.winnow.ImageFilter;
import io.winnow.quotient.QuotientSizing;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import java.nio.ByteBuffer;

/** Opens serialized filters of any type, by the type id in their header. */
public final class Filters {
  private Filters() {}

  /**
   * Opens the filter whose image is between the position and the limit of {@code image}, in place.
   *
   * <p>The buffer may be on or off heap, read-only, at any offset and of either byte order; its
   * position does not change. All bytes are read once, for the checksum.
   *
   * @throws FilterFormatException if the bytes are not a filter that this version can read, or are
   *     damaged
   */
  public static ImageFilter open(ByteBuffer image) {
    ImageFilter filter = openUnverified(image);
    verifyPayload(image);
    return filter;
  }

  /**
   * Opens a filter in place (see {@link #open}) without comparing its image with the checksum, for
   * a caller that has verified these bytes already. A filter with a damaged payload loses keys.
   *
   * @throws FilterFormatException if the header is not one that this version can read
   */
  public static ImageFilter openUnverified(ByteBuffer image) {
    ByteBuffer bytes = ByteAccess.littleEndianSlice(image);
    return new ImageFilter(readLayout(ByteAccess.BUFFER, bytes, 0, bytes.remaining()), bytes);
  }

  /**
   * Wraps {@code bytes}, which the caller must not use any more, as the image of a filter, after
   * comparing the checksums of header and payload.
   *
   * @throws FilterFormatException if they are not the image of a filter, or are damaged
   */
  public static FilterImage image(byte[] bytes) {
    FilterLayout layout = readLayout(ByteAccess.ARRAY, bytes, 0, bytes.length);
    layout.header().verifyPayload(ByteAccess.ARRAY, bytes, 0);
    return FilterImage.of(bytes, layout);
  }

  /**
   * Reads and checks the header of the image that has exactly {@code length} bytes and begins at
   * {@code offset}. The payload is not verified: see {@link #verifyPayload}.
   *
   * @throws FilterFormatException if the bytes are not a filter that this version can read
   */
  public static <T> FilterLayout readLayout(ByteAccess<T> access, T bytes, int offset, int length) {
    FilterHeader header = FilterHeader.read(access, bytes, offset, length);
    switch (header.type()) {
      case RIBBON:
        return RibbonSizing.layout(header);
      case BUMPED_RIBBON:
        return BumpedRibbonSizing.layout(header, access, bytes, offset);
      case QUOTIENT:
        return QuotientSizing.layout(header);
      default:
        throw new AssertionError(header.type());
    }
  }

  /**
   * Reads the whole image that has exactly {@code length} bytes and begins at {@code offset}, and
   * compares its payload with the checksum.
   *
   * @throws FilterFormatException if header or payload are damaged
   */
  public static <T> void verifyPayload(ByteAccess<T> access, T bytes, int offset, int length) {
    FilterHeader.read(access, bytes, offset, length).verifyPayload(access, bytes, offset);
  }

  /**
   * Reads the image between the buffer's position and limit, and compares its payload with the
   * checksum.
   *
   * @throws FilterFormatException if header or payload are damaged
   */
  public static void verifyPayload(ByteBuffer image) {
    verifyPayload(ByteAccess.BUFFER, image, image.position(), image.remaining());
  }
}
