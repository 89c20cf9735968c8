package io.winnow;

/**
 * An approximate collection of 64-bit key hashes that changes: it never answers {@code false} for a
 * hash that was inserted and not deleted since, and answers {@code true} for another one at a rate
 * that grows with what it holds.
 *
 * <p>Not thread-safe: one thread at a time, readers included. For readers beside a writer take an
 * immutable {@link MembershipFilter} of it.
 */
public interface MutableFilter extends MembershipFilter {

  /** Adds one occurrence of a key by its hash. {@link #delete} takes back one occurrence. */
  void insert(long keyHash);

  /**
   * Takes back one occurrence of a key that was inserted.
   *
   * <p>A filter cannot tell two keys with the same fingerprint apart: deleting a key that was never
   * inserted may take away another key, which is then answered {@code false}. Where the filter can
   * know that the key was not inserted, because there is nothing like it, it refuses.
   *
   * @return whether an occurrence was taken away; {@code false} is a refusal, and nothing changed
   */
  boolean delete(long keyHash);
}
