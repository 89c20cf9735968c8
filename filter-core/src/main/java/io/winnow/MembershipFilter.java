package io.winnow;

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
