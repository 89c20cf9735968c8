package io.winnow;

import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import io.winnow.quotient.FrozenQuotientFilter;
import io.winnow.quotient.QuotientLayout;
import io.winnow.ribbon.BumpedRibbonFilter;
import io.winnow.ribbon.BumpedRibbonLayout;
import io.winnow.ribbon.HomogeneousRibbonFilter;
import io.winnow.ribbon.HomogeneousRibbonLayout;
import java.nio.ByteBuffer;

/** Opens any serialized filter by the type id in its header. */
public final class Filters {
  private Filters() {}

  /**
   * Opens the filter whose image fills {@code image} from its position to its limit, in place.
   *
   * <p>The buffer may be on or off heap, read-only, at any offset and of either byte order; its
   * position is not moved. The payload's checksum is not read: see {@link #verifyPayload}.
   *
   * @throws FilterFormatException if the bytes are not a filter that this version can read
   */
  public static MembershipFilter open(ByteBuffer image) {
    ByteBuffer bytes = ByteAccess.littleEndianSlice(image);
    FilterLayout layout = readLayout(ByteAccess.BUFFER, bytes, 0, bytes.remaining());
    return switch (layout.type()) {
      case RIBBON -> HomogeneousRibbonFilter.of((HomogeneousRibbonLayout) layout, bytes);
      case BUMPED_RIBBON -> BumpedRibbonFilter.of((BumpedRibbonLayout) layout, bytes);
      case QUOTIENT -> FrozenQuotientFilter.of((QuotientLayout) layout, bytes);
    };
  }

  /**
   * Reads and checks the header of the image of exactly {@code length} bytes at {@code offset}.
   *
   * @throws FilterFormatException if the bytes are not a filter that this version can read
   */
  public static <T> FilterLayout readLayout(ByteAccess<T> access, T bytes, int offset, int length) {
    FilterHeader header = FilterHeader.read(access, bytes, offset, length);
    return switch (header.type()) {
      case RIBBON -> HomogeneousRibbonLayout.of(header);
      case BUMPED_RIBBON -> BumpedRibbonLayout.of(header, access, bytes, offset);
      case QUOTIENT -> QuotientLayout.of(header);
    };
  }

  /**
   * Reads the whole image of exactly {@code length} bytes at {@code offset} and compares its
   * payload's checksum.
   *
   * @throws FilterFormatException if header or payload are damaged
   */
  public static <T> void verifyPayload(ByteAccess<T> access, T bytes, int offset, int length) {
    FilterHeader.read(access, bytes, offset, length).verifyPayload(access, bytes, offset);
  }

  /** {@link #verifyPayload(ByteAccess, Object, long, long)} over a buffer's remaining bytes. */
  public static void verifyPayload(ByteBuffer image) {
    ByteBuffer bytes = ByteAccess.littleEndianSlice(image);
    verifyPayload(ByteAccess.BUFFER, bytes, 0, bytes.remaining());
  }
}
