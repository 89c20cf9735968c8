package io.winnow;

import java.nio.ByteBuffer;

/**
 * A filter of any type that is probed in the bytes of its image: on or off heap, in a read-only
 * buffer, in a mapped file.
 *
 * <p>{@link io.winnow.image.Filters#open} opens it. Immutable and thread-safe, as long as the bytes
 * do not change.
 */
public final class ImageFilter implements MembershipFilter {
  private final FilterLayout layout;
  private final ByteBuffer image;
  private final byte[] array;
  private final int arrayOffset;

  /**
   * Creates a filter over a little-endian buffer that contains exactly the image, from index 0. The
   * bytes are not checked: {@link io.winnow.image.Filters#open} does that.
   */
  public ImageFilter(FilterLayout layout, ByteBuffer image) {
    this.layout = layout;
    this.image = image;
    this.array = image.hasArray() ? image.array() : null;
    this.arrayOffset = image.hasArray() ? image.arrayOffset() : 0;
  }

  @Override
  public boolean mightContain(long keyHash) {
    return array != null
        ? layout.mightContain(ByteAccess.ARRAY, array, arrayOffset, keyHash)
        : layout.mightContain(ByteAccess.BUFFER, image, 0, keyHash);
  }

  @Override
  public long mightContain(long[] keyHashes, int from, int count) {
    return array != null
        ? layout.mightContain(ByteAccess.ARRAY, array, arrayOffset, keyHashes, from, count)
        : layout.mightContain(ByteAccess.BUFFER, image, 0, keyHashes, from, count);
  }

  @Override
  public KeyHash keyHash() {
    return layout.keyHash();
  }

  /** Returns the layout of the filter's image, which its header describes. */
  public FilterLayout layout() {
    return layout;
  }

  /** Returns the type of the filter. */
  public FilterType type() {
    return layout.type();
  }

  @Override
  public long sizeInBytes() {
    return layout.sizeInBytes();
  }

  @Override
  public String toString() {
    return layout.toString();
  }

  /** Returns the filter's image, read-only, between position and limit, without a copy. */
  public ByteBuffer image() {
    return ByteAccess.littleEndianSlice(image.asReadOnlyBuffer());
  }
}
