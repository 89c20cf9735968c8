package io.winnow;

import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import io.winnow.hash.KeyHash;
import java.util.Locale;

/**
 * What the header of an image says, checked once and then good for any number of probes into any
 * bytes that hold that image.
 *
 * <p>This is the low door for a host that has its own buffers (HBase's {@code ByteBuff}): keep the
 * layout, and hand in the bytes with each probe. The host has verified the bytes ({@link
 * Filters#verifyPayload}, or a checksum of its own). Everyone else opens an {@link ImageFilter}
 * with {@link Filters#open}. Immutable and thread-safe.
 */
public interface FilterLayout {

  /** The header, checked. */
  FilterHeader header();

  default FilterType type() {
    return header().type();
  }

  /** The id of the {@link KeyHash} that made the hashes, or 0 if it was not recorded. */
  default int hashId() {
    return header().keyHash() == null ? 0 : header().keyHash().id();
  }

  /**
   * The function that made the hashes.
   *
   * @throws IllegalStateException if it was not recorded
   */
  default KeyHash keyHash() {
    KeyHash keyHash = header().keyHash();
    if (keyHash == null) {
      throw new IllegalStateException(
          "this filter does not know the hash function of its keys: ask it by hash, or build it"
              + " with hashedBy(...)");
    }
    return keyHash;
  }

  /** Distinct hashes in the set. */
  default long keyCount() {
    return header().keyCount();
  }

  /** The size of the whole image, header included. */
  default long sizeInBytes() {
    return header().imageLength();
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

  /** One line on the filter, for people. */
  default String inWords() {
    return String.format(
        Locale.ROOT,
        "%s filter of %d keys in %d bytes, %.2f bits per key, rate %s asked and %.3g estimated,"
            + " hash %s (%s)",
        type().label(),
        keyCount(),
        sizeInBytes(),
        bitsPerKey(),
        configuredRate(),
        estimatedRate(),
        header().keyHash() == null ? "not recorded" : header().keyHash(),
        describe());
  }

  /**
   * Whether the key with this hash may be in the set whose image starts at {@code imageOffset}.
   *
   * <p>Allocates nothing, copies nothing, and reads only inside the image: the caller vouches that
   * {@link #sizeInBytes} bytes from there are readable, or gets an {@link
   * IndexOutOfBoundsException}.
   */
  <T> boolean mightContain(ByteAccess<T> access, T image, int imageOffset, long keyHash);

  /**
   * As {@link #mightContain(ByteAccess, Object, int, long)} for {@code count} hashes, 64 at most:
   * bit i of the answer speaks of {@code keyHashes[from + i]}.
   *
   * @throws IllegalArgumentException if {@code count} is not in 0 to 64
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  default <T> long mightContain(
      ByteAccess<T> access, T image, int imageOffset, long[] keyHashes, int from, int count) {
    MembershipFilter.checkBatch(keyHashes, from, count);
    long answers = 0;
    for (int i = 0; i < count; i++) {
      answers |= (mightContain(access, image, imageOffset, keyHashes[from + i]) ? 1L : 0L) << i;
    }
    return answers;
  }

  default double bitsPerKey() {
    return keyCount() == 0 ? 0 : 8.0 * sizeInBytes() / keyCount();
  }
}
