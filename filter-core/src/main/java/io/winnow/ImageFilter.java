package io.winnow;

import io.winnow.bits.ByteAccess;
import io.winnow.hash.KeyHash;
import java.nio.ByteBuffer;

/**
 * A filter of any kind, probed where the bytes of its image lie: on or off heap, in a read-only
 * buffer, in a mapped file.
 *
 * <p>Opened by {@link Filters#open}. Immutable and thread-safe, as long as nobody changes the
 * bytes.
 */
public final class ImageFilter implements MembershipFilter {
  private final FilterLayout layout;
  private final ByteBuffer image;
  private final byte[] array;
  private final int arrayOffset;

  /** Over a little-endian buffer that holds the image, and nothing else, from index 0 on. */
  ImageFilter(FilterLayout layout, ByteBuffer image) {
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

  /** What the image's header says. */
  public FilterLayout layout() {
    return layout;
  }

  public FilterType type() {
    return layout.type();
  }

  @Override
  public long sizeInBytes() {
    return layout.sizeInBytes();
  }

  @Override
  public String toString() {
    return layout.inWords();
  }

  /** The image, read-only, between position and limit; no copy. */
  public ByteBuffer image() {
    return ByteAccess.littleEndianSlice(image.asReadOnlyBuffer());
  }
}
