package io.winnow;

import java.io.DataOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A serialized filter: the bytes that are written into a file and probed in place.
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
   * Wraps the image of a filter that was just built or verified, without a check. The caller must
   * not use {@code bytes} any more. {@link io.winnow.image.Filters#image} is for other bytes.
   *
   * @param layout the layout in their header
   */
  public static FilterImage of(byte[] bytes, FilterLayout layout) {
    return new FilterImage(bytes, layout, 0);
  }

  /** Returns this image with another number of failed attempts of its builder. */
  public FilterImage withRebuilds(int attempts) {
    return attempts == rebuilds ? this : new FilterImage(bytes, layout, attempts);
  }

  /**
   * Returns the number of failed attempts of the builder before it made this image; those of the
   * last layer of a bumped filter do not count. It is 0 for an image that was read, and for types
   * that need one attempt.
   */
  public int rebuilds() {
    return rebuilds;
  }

  /** Returns the size of the filter's image in bytes, header included. */
  public int sizeInBytes() {
    return bytes.length;
  }

  /** Returns the layout of the filter's image, which its header describes. */
  public FilterLayout layout() {
    return layout;
  }

  /**
   * Returns the image as a read-only little-endian buffer with its own position and limit, without
   * a copy.
   */
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Opens the filter in this image, in place. Its bytes were verified when this object was created.
   */
  public ImageFilter open() {
    return new ImageFilter(layout, ByteAccess.littleEndianSlice(ByteBuffer.wrap(bytes)));
  }

  /**
   * Returns the type, the number of keys, the size and the rate of the filter, but neither keys nor
   * the seed of the hash.
   */
  @Override
  public String toString() {
    return layout.toString();
  }

  /**
   * Returns the CRC32C of all bytes of the image, computed from the payload's, which the header
   * has.
   */
  public int crc32c() {
    return layout.header().imageCrc(bytes);
  }

  /** Writes the bytes of the image to an output, as Hadoop's {@code Writable} does. */
  public void write(DataOutput out) throws IOException {
    out.write(bytes);
  }

  /** Writes the bytes of the image to a stream, which stays open. */
  public void writeTo(OutputStream out) throws IOException {
    out.write(bytes);
  }

  /** Writes the bytes of the image to a channel, which stays open. */
  public void writeTo(WritableByteChannel channel) throws IOException {
    ByteBuffer left = buffer();
    while (left.hasRemaining()) {
      channel.write(left);
    }
  }

  /**
   * Writes the bytes of the image to a file, in place of one that is there. They go into a file
   * beside it with the end {@code .new}, which is synced and then renamed: a reader sees the old
   * file or the new one. If this fails, the old file stays, and nothing beside it. One thread at a
   * time may write a file.
   */
  public void writeTo(Path file) throws IOException {
    Path beside = file.resolveSibling(file.getFileName() + ".new");
    try {
      try (FileChannel channel =
          FileChannel.open(
              beside,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        writeTo(channel);
        channel.force(true);
      }
      Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(beside); // it is there only after a failure
    }
  }
}
