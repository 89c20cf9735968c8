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
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

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
   * Opens the filter in a file, which it maps: the bytes stay in the page cache, outside the heap,
   * and all are read once, for the checksum. Replace the file as {@link FilterImage#writeTo(Path)}
   * does, and never cut it, while the filter is in use.
   *
   * @throws FilterFormatException if the file is not a filter that this version can read, or is
   *     damaged
   */
  public static ImageFilter open(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      if (channel.size() > Integer.MAX_VALUE) {
        throw new FilterFormatException(
            "file of " + channel.size() + " bytes, an image has less than 2 GiB");
      }
      return open(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
    }
  }

  /**
   * Opens the filter whose image comes next in a stream, after reading it into memory. The stream
   * stays open, behind the image.
   *
   * @throws FilterFormatException if the bytes are not a filter that this version can read, or are
   *     damaged
   * @throws EOFException if the stream ends in the image
   */
  public static ImageFilter open(InputStream in) throws IOException {
    byte[] header = in.readNBytes(FilterHeader.SIZE_IN_BYTES);
    int length = FilterHeader.announcedLength(header);
    // Memory for the rest is taken as it comes, so that a damaged length takes none.
    byte[] rest = in.readNBytes(length - header.length);
    if (header.length + rest.length < length) {
      throw new EOFException(
          "the stream ends after " + (header.length + rest.length) + " of " + length + " bytes");
    }
    byte[] image = Arrays.copyOf(header, length);
    System.arraycopy(rest, 0, image, header.length, rest.length);
    return image(image).open();
  }

  /**
   * Opens a filter in place (see {@link #open(ByteBuffer)}) without comparing its image with the
   * checksum, for a caller that has verified these bytes already. A filter with a damaged payload
   * loses keys.
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
