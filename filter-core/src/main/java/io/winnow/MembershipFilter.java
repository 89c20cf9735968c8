package io.winnow;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * An approximate set of keys that can be probed. A probe of a key that was added always returns
 * {@code true}; a probe of another key returns {@code true} at about the rate that the filter was
 * built for.
 *
 * <p>A filter works on 64-bit hashes of keys. A probe by key uses the hash function that the filter
 * was built with. Probe by hash if you have hashed the key already, or if the hashes are your own.
 * A probe allocates and copies nothing.
 */
public interface MembershipFilter {

  /** Returns whether the key with this hash may be in the set. */
  boolean mightContain(long keyHash);

  /**
   * Returns for up to 64 hashes whether their keys may be in the set: bit i is the answer for
   * {@code keyHashes[from + i]}, higher bits are 0.
   *
   * <p>This is for callers that count or collect answers: there is no branch per key that could be
   * mispredicted, which on mixed answers costs more than a third of a probe.
   *
   * @throws IllegalArgumentException if {@code count} is not in 0 to 64
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  long mightContain(long[] keyHashes, int from, int count);

  /**
   * Returns the function that hashes this filter's keys.
   *
   * @throws IllegalStateException if the filter was built from hashes of an unknown function: it
   *     can be probed by hash only
   */
  KeyHash keyHash();

  /** Returns the size of the filter in bytes, its header included. */
  long sizeInBytes();

  /**
   * Returns whether a key may be in the set.
   *
   * @throws IllegalStateException if the filter does not know its {@link #keyHash}
   */
  default boolean mightContain(byte[] key) {
    return mightContain(keyHash().hash(key, 0, key.length));
  }

  /**
   * Returns whether a text, as a key by its UTF-8 bytes, may be in the set. Makes these bytes: the
   * other probes allocate nothing.
   *
   * @throws IllegalStateException if the filter does not know its {@link #keyHash}
   */
  default boolean mightContain(String key) {
    return mightContain(key.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns whether a key, given as a part of an array, may be in the set.
   *
   * @throws IllegalStateException if the filter does not know its {@link #keyHash}
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  default boolean mightContain(byte[] key, int offset, int length) {
    return mightContain(keyHash().hash(key, offset, length));
  }

  /**
   * Returns whether the key between the buffer's position and limit may be in the set. These do not
   * change, and the byte order does not matter.
   *
   * @throws IllegalStateException if the filter does not know its {@link #keyHash}
   */
  default boolean mightContain(ByteBuffer key) {
    return mightContain(keyHash().hash(key));
  }

  /**
   * Checks the arguments of a probe of several keys at once.
   *
   * @throws IllegalArgumentException if {@code count} is not in 0 to 64
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  static void checkBatch(long[] keyHashes, int from, int count) {
    if (count < 0 || count > Long.SIZE) {
      throw new IllegalArgumentException("batch of " + count + " hashes, must be 0 to 64");
    }
    Objects.checkFromIndexSize(from, count, keyHashes.length);
  }
}
