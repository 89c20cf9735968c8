package io.winnow;

import java.util.Objects;

/**
 * An approximate set of 64-bit key hashes: it never answers {@code false} for a hash that went into
 * it, and answers {@code true} for another one at about the rate that it was built for.
 *
 * <p>Immutable and thread-safe. The hashes are those of {@link io.winnow.hash.KeyHash}, or of any
 * other 64-bit hash function, as long as builder and prober use the same.
 */
public interface MembershipFilter {

  /** Whether the key with this hash may be in the set. Allocates nothing and copies nothing. */
  boolean mightContain(long keyHash);

  /**
   * Whether the keys with up to 64 hashes may be in the set: bit i of the answer speaks of {@code
   * keyHashes[from + i]}, higher bits are 0.
   *
   * <p>For the caller who counts or collects: no branch per key, and so none mispredicted, which on
   * mixed answers costs more than a third of a probe.
   *
   * @throws IllegalArgumentException if {@code count} is not in 0 to 64
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  long mightContain(long[] keyHashes, int from, int count);

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

  /** What the image's header says. */
  FilterLayout layout();

  /** The size of the whole image, header included. */
  default long sizeInBytes() {
    return layout().sizeInBytes();
  }

  default FilterType type() {
    return layout().type();
  }
}
