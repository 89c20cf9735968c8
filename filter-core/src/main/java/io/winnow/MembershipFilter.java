package io.winnow;

import io.winnow.hash.KeyHash;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * An approximate set of keys: it never answers {@code false} for a key that went into it, and
 * answers {@code true} for another key at about the rate that it was built for.
 *
 * <p>A filter works on 64-bit hashes of keys. Ask by key, and the filter takes the hash function
 * that it was built with; ask by hash if you have hashed the key already, or if the hashes are your
 * own. A probe allocates nothing and copies nothing.
 */
public interface MembershipFilter {

  /** Whether the key with this hash may be in the set. */
  boolean mightContain(long keyHash);

  /**
   * Whether the keys with up to 64 hashes may be in the set: bit i of the answer speaks of {@code
   * keyHashes[from + i]}, higher bits are 0.
   *
   * <p>For a caller who counts or collects: there is no branch per key, and so none is
   * mispredicted, which on mixed answers costs more than a third of a probe.
   *
   * @throws IllegalArgumentException if {@code count} is not in 0 to 64
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  long mightContain(long[] keyHashes, int from, int count);

  /**
   * The function that makes hashes of this filter's keys.
   *
   * @throws IllegalStateException if the filter was built from hashes and was not told of what
   *     function they are: it can be asked by hash only
   */
  KeyHash keyHash();

  /** The bytes that the filter takes, its header included. */
  long sizeInBytes();

  /**
   * Whether this key may be in the set.
   *
   * @throws IllegalStateException if the filter does not know its {@link #keyHash}
   */
  default boolean mightContain(byte[] key) {
    return mightContain(keyHash().hash(key, 0, key.length));
  }

  /**
   * Whether the key of {@code length} bytes from {@code offset} may be in the set.
   *
   * @throws IllegalStateException if the filter does not know its {@link #keyHash}
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  default boolean mightContain(byte[] key, int offset, int length) {
    return mightContain(keyHash().hash(key, offset, length));
  }

  /**
   * Whether the key that the buffer has between position and limit may be in the set. Neither is
   * moved, and the byte order does not matter.
   *
   * @throws IllegalStateException if the filter does not know its {@link #keyHash}
   */
  default boolean mightContain(ByteBuffer key) {
    return mightContain(keyHash().hash(key));
  }

  /**
   * Checks the arguments of a batched probe.
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
