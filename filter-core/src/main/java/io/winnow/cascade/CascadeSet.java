package io.winnow.cascade;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;

/**
 * What can be asked for keys: a filter, or a directory that is only read. A key that is in it is
 * answered {@code true}, always, and so is all that is in doubt. Thread-safe.
 */
public interface CascadeSet extends Closeable {
  /**
   * Whether a key with this hash may be there. {@code true} if a page that would tell cannot be
   * read or is damaged: the statistics say how often, and why last.
   */
  boolean mightContain(long keyHash);

  /**
   * Whether {@code count} keys may be there: bit i of the answer speaks of {@code keyHashes[from +
   * i]}. The reads of all of them are issued together, for {@value Lookups#MOST_KEYS} at a time,
   * which a drive answers several times faster than one by one.
   */
  BitSet mightContain(long[] keyHashes, int from, int count);

  /** The hash of a key, by the function that the directory names. */
  long hash(byte[] key);

  /** Whether a key may be there; as {@link #mightContain(long)} of its {@link #hash}. */
  default boolean mightContain(byte[] key) {
    return mightContain(hash(key));
  }

  /** Whether keys may be there: bit i of the answer speaks of the i-th of them. */
  default BitSet mightContain(List<byte[]> keys) {
    return mightContain(hashes(keys), 0, keys.size());
  }

  /** The hashes of keys, by the function that the directory names. */
  default long[] hashes(List<byte[]> keys) {
    return keys.stream().mapToLong(this::hash).toArray();
  }

  /**
   * Makes a directory with all that is there now, which opens as the same kind of set. It shares
   * level files by hard links, and so takes no room until one of the two merges them. Inserts into
   * a filter wait until its level in memory is written.
   *
   * @param target a directory on the same file system, which is not there or empty
   * @throws IOException if it cannot be made; what it has by then is no filter
   */
  void snapshot(Path target) throws IOException;
}
