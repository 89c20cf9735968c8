package io.winnow;

import java.util.Locale;

/**
 * Checked header of a filter image, which probes the bytes of this image at any place, any number
 * of times.
 *
 * <p>This is the low-level interface for a host with its own buffers (HBase's {@code ByteBuff}):
 * keep the layout, and pass the bytes to each probe. The host has verified the bytes ({@link
 * io.winnow.image.Filters#verifyPayload}, or a checksum of its own). Other users open an {@link
 * ImageFilter} with {@link io.winnow.image.Filters#open}. Immutable and thread-safe.
 */
public abstract class FilterLayout {
  private final FilterHeader header;

  /** Creates the layout of the image that has this header. */
  protected FilterLayout(FilterHeader header) {
    this.header = header;
  }

  /** Returns the checked header of the filter image. */
  public final FilterHeader header() {
    return header;
  }

  /** Returns the type of the filter. */
  public FilterType type() {
    return header.type();
  }

  /**
   * Returns the id of the {@link KeyHash} that made the hashes of the keys, or 0 if it was not
   * recorded.
   */
  public int hashId() {
    return header.keyHash() == null ? 0 : header.keyHash().id();
  }

  /**
   * Returns the function that made the hashes of the filter's keys.
   *
   * @throws IllegalStateException if it was not recorded
   */
  public KeyHash keyHash() {
    KeyHash keyHash = header.keyHash();
    if (keyHash == null) {
      throw new IllegalStateException(
          "this filter does not know the hash function of its keys: probe it by hash, or build it"
              + " with hashedBy(...)");
    }
    return keyHash;
  }

  /** Returns the number of distinct hashes of keys in the filter. */
  public long keyCount() {
    return header.keyCount();
  }

  /** Returns the size of the whole image in bytes, header included. */
  public long sizeInBytes() {
    return header.imageLength();
  }

  /** Returns the false-positive rate that the filter was built for. */
  public double configuredRate() {
    return header.configuredRate();
  }

  /** Returns the false-positive rate of the finished filter, as its builder determined it. */
  public double estimatedRate() {
    return header.estimatedRate();
  }

  /** Describes the shape of the filter in a few words, for people: widths, columns, layers. */
  public abstract String describe();

  /** Describes the filter in one line, for people. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s filter of %d keys in %d bytes, %.2f bits per key, rate %s configured and %.3g"
            + " estimated, hash %s (%s)",
        type().label(),
        keyCount(),
        sizeInBytes(),
        bitsPerKey(),
        configuredRate(),
        estimatedRate(),
        header.keyHash() == null ? "not recorded" : header.keyHash(),
        describe());
  }

  /**
   * Returns whether the key with this hash may be in the set whose image starts at {@code
   * imageOffset}.
   *
   * <p>It allocates and copies nothing, and reads only inside the image. The caller ensures that
   * {@link #sizeInBytes} bytes from there can be read, or gets an {@link
   * IndexOutOfBoundsException}.
   */
  public abstract <T> boolean mightContain(
      ByteAccess<T> access, T image, int imageOffset, long keyHash);

  /**
   * Returns for up to 64 hashes whether their keys may be in the set: bit i is the answer for
   * {@code keyHashes[from + i]}.
   *
   * @throws IllegalArgumentException if {@code count} is not in 0 to 64
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  public <T> long mightContain(
      ByteAccess<T> access, T image, int imageOffset, long[] keyHashes, int from, int count) {
    MembershipFilter.checkBatch(keyHashes, from, count);
    long answers = 0;
    for (int i = 0; i < count; i++) {
      answers |= (mightContain(access, image, imageOffset, keyHashes[from + i]) ? 1L : 0L) << i;
    }
    return answers;
  }

  /** Returns the number of bits that the image has for each key, or 0 if there are no keys. */
  public double bitsPerKey() {
    return keyCount() == 0 ? 0 : 8.0 * sizeInBytes() / keyCount();
  }
}
