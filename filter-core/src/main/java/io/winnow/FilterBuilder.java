package io.winnow;

/**
 * Builds one filter from a stream of 64-bit key hashes whose number is not known beforehand.
 *
 * <p>Building never fails: no hash, one, repeated and adversarial hashes all give a filter, within
 * what an array holds: 2^30 distinct hashes and an image below 2 GiB, beyond which there is an
 * {@link IllegalStateException} or {@link ArithmeticException}. A builder holds 8 bytes per
 * distinct hash while the hashes come in (16 at worst while its array grows), and may be reused
 * after {@link #finish} for the next filter, keeping its scratch memory. Not thread-safe.
 */
public interface FilterBuilder {

  /** Adds a key by its hash. A hash that was added before changes nothing. */
  void add(long keyHash);

  /** Hashes added since the last {@link #finish}, repeats that were not dropped yet included. */
  long pendingCount();

  /** Builds the filter of what was added, and leaves the builder empty for the next one. */
  FilterImage finish();
}
