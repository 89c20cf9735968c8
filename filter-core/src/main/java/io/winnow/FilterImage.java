package io.winnow;

import io.winnow.bits.ByteAccess;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A serialized filter: the bytes that go into a file, which are also the bytes that are probed.
 *
 * <p>Immutable and thread-safe.
 */
public final class FilterImage {
  private final byte[] bytes;
  private final FilterLayout layout;

  private FilterImage(byte[] bytes, FilterLayout layout) {
    this.bytes = bytes;
    this.layout = layout;
  }

  /**
   * Takes over {@code bytes}, which the caller must not touch again, as the image of a filter. The
   * checksums of header and payload are compared.
   *
   * @throws FilterFormatException if they are not the image of a filter, or are damaged
   */
  public static FilterImage of(byte[] bytes) {
    Filters.verifyPayload(ByteAccess.ARRAY, bytes, 0, bytes.length);
    return new FilterImage(bytes, Filters.readLayout(ByteAccess.ARRAY, bytes, 0, bytes.length));
  }

  public int sizeInBytes() {
    return bytes.length;
  }

  /** What the image's header says. */
  public FilterLayout layout() {
    return layout;
  }

  /** The image as a read-only little-endian buffer with its own position and limit; no copy. */
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Opens the filter in place. Its bytes were verified when the image was made. */
  public ImageFilter open() {
    return new ImageFilter(layout, ByteAccess.littleEndianSlice(ByteBuffer.wrap(bytes)));
  }

  public void writeTo(DataOutput out) throws IOException {
    out.write(bytes);
  }
}
