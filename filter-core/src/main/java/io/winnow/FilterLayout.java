package io.winnow;

import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;

/**
 * What the header of an image says, checked once and then good for any number of probes into any
 * bytes that hold that image.
 *
 * <p>This is the low door for a host that has its own buffers (HBase's {@code ByteBuff}): keep the
 * layout, and hand in the bytes with each probe. Everyone else opens a {@link MembershipFilter}
 * with {@link Filters#open}. Immutable and thread-safe.
 */
public interface FilterLayout {

  /** The header, checked. */
  FilterHeader header();

  default FilterType type() {
    return header().type();
  }

  /** The id of the {@link io.winnow.hash.KeyHash} that made the hashes, or 0 if not recorded. */
  default int hashId() {
    return header().hashId();
  }

  /** Distinct hashes in the set. */
  default long keyCount() {
    return header().keyCount();
  }

  /** The size of the whole image, header included. */
  default long sizeInBytes() {
    return FilterHeader.SIZE_IN_BYTES + header().payloadLength();
  }

  /** The false-positive rate that was asked for. */
  default double configuredRate() {
    return header().configuredRate();
  }

  /** The false-positive rate of this very filter, as its builder determined it. */
  default double estimatedRate() {
    return header().estimatedRate();
  }

  /** A few words on the shape, for people: widths, columns, layers. */
  String describe();

  /**
   * Whether the key with this hash may be in the set whose image starts at {@code imageOffset}.
   *
   * <p>Allocates nothing, copies nothing, and reads only inside the image: the caller vouches that
   * {@link #sizeInBytes} bytes from there are readable.
   */
  <T> boolean mightContain(ByteAccess<T> access, T image, int imageOffset, long keyHash);

  default double bitsPerKey() {
    return keyCount() == 0 ? 0 : 8.0 * sizeInBytes() / keyCount();
  }
}
