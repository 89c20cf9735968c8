package io.winnow.cascade;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;

/**
 * A set of keys on flash that can be queried: a cascade filter, or a directory that is only read. A
 * key that was inserted always gets the answer {@code true}, and so does each key whose page cannot
 * be read. Thread-safe.
 */
public interface CascadeSet extends Closeable {
  /**
   * Returns whether a key with this hash may be in the set; {@code false} is certain. It returns
   * {@code true} if a page that it needs cannot be read or is damaged; the statistics count this
   * and have the last reason.
   */
  boolean mightContain(long keyHash);

  /**
   * Returns for each of several hashes whether its key may be in the set: bit i is the answer for
   * {@code keyHashes[from + i]}. The pages of up to {@value Lookups#MAX_KEYS} keys are read
   * together, which a drive does several times faster than one by one.
   */
  BitSet mightContain(long[] keyHashes, int from, int count);

  /** Returns the hash of a key, by the function that the directory records. */
  long hash(byte[] key);

  /**
   * Returns whether a key may be in the set: calls {@link #mightContain(long)} with its {@link
   * #hash}.
   */
  default boolean mightContain(byte[] key) {
    return mightContain(hash(key));
  }

  /** Returns for each key whether it may be in the set: bit i is the answer for the i-th key. */
  default BitSet mightContain(List<byte[]> keys) {
    return mightContain(hashes(keys), 0, keys.size());
  }

  /** Returns the hashes of keys, by the function that the directory records. */
  default long[] hashes(List<byte[]> keys) {
    return keys.stream().mapToLong(this::hash).toArray();
  }

  /**
   * Creates a directory with all current keys of this set, which opens as the same kind of set. It
   * shares level files by hard links, so it takes no room on the drive until one of the two merges
   * them. Inserts into the original wait until its memory level is written.
   *
   * @param target a directory on the same file system that is missing or empty
   * @throws IOException if the snapshot cannot be made; files that were already made are not a
   *     filter
   */
  void snapshot(Path target) throws IOException;
}
