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
  private final int rebuilds;

  private FilterImage(byte[] bytes, FilterLayout layout, int rebuilds) {
    this.bytes = bytes;
    this.layout = layout;
    this.rebuilds = rebuilds;
  }

  /**
   * Takes over {@code bytes}, which the caller must not touch again, as the image of a filter that
   * was just built, or that was verified: nothing is compared. {@link Filters#image} is for others.
   *
   * @param layout what their header says
   */
  public static FilterImage of(byte[] bytes, FilterLayout layout) {
    return new FilterImage(bytes, layout, 0);
  }

  /** The same image, by a builder that made so many attempts beside the one that came out. */
  public FilterImage withRebuilds(int attempts) {
    return attempts == rebuilds ? this : new FilterImage(bytes, layout, attempts);
  }

  /**
   * How many attempts the builder made beside the one that this image came out of; those of the
   * last layer of a bumped filter do not count. 0 for an image that was read, and for kinds that
   * are built once.
   */
  public int rebuilds() {
    return rebuilds;
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

  /** Kind, keys, size and rate. The keys of a set, and the seed of its hash, are not in it. */
  @Override
  public String toString() {
    return layout.inWords();
  }

  /** The CRC32C of all bytes, of which the payload's, which the header has, is a part. */
  public int crc32c() {
    return layout.header().imageCrc(bytes);
  }

  public void writeTo(DataOutput out) throws IOException {
    out.write(bytes);
  }
}
