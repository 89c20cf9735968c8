package io.winnow;

import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

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

  /** Takes over {@code bytes}, which the caller must not touch again, as the image of a filter. */
  public static FilterImage wrap(byte[] bytes, FilterLayout layout) {
    Objects.requireNonNull(layout, "layout");
    if (bytes.length != layout.sizeInBytes()) {
      throw new IllegalArgumentException(
          "image of " + bytes.length + " bytes, its layout says " + layout.sizeInBytes());
    }
    return new FilterImage(bytes, layout);
  }

  public int sizeInBytes() {
    return bytes.length;
  }

  public FilterLayout layout() {
    return layout;
  }

  /** The image as a read-only little-endian buffer of its own position and limit; no copy. */
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Opens the filter in place. */
  public MembershipFilter open() {
    return Filters.open(ByteBuffer.wrap(bytes));
  }

  public void writeTo(DataOutput out) throws IOException {
    out.write(bytes);
  }
}
