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
   * Takes over {@code bytes}, which the caller must not touch again, as the image of a filter. Its
   * header is checked, its payload's checksum is not.
   *
   * @throws FilterFormatException if the header is not that of a filter of this many bytes
   */
  public static FilterImage of(byte[] bytes) {
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

  /** Opens the filter in place. Its bytes were in memory all the time and are not checked again. */
  public ImageFilter open() {
    return new ImageFilter(layout, ByteAccess.littleEndianSlice(ByteBuffer.wrap(bytes)));
  }

  public void writeTo(DataOutput out) throws IOException {
    out.write(bytes);
  }
}
