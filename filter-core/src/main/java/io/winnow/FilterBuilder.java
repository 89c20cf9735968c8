package io.winnow;

import io.winnow.build.KeyBuffer;
import io.winnow.hash.KeyHash;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Builds filters from a stream of keys whose number is not known beforehand: one builder for all
 * kinds, which the {@link FilterSizing} chooses.
 *
 * <pre>
 *   FilterBuilder builder =
 *       FilterBuilder.of(BumpedRibbonSizing.forRate(0.01)).hashedBy(KeyHash.XXH3);
 *   builder.add(key); // each of them
 *   FilterImage image = builder.finish();
 * </pre>
 *
 * <p>Building never fails: no key, one, repeated and crafted keys all give a filter, in time that
 * is linear in what was added. A finished filter is checked against what went into it before it is
 * handed out; should it lose a key, which only a fault of the machine could explain, it is built
 * anew, and in the end a filter is handed out that answers {@code true} to everything. The limits
 * are those of an array: 2^30 distinct keys and an image below 2 GiB.
 *
 * <p>A builder holds 8 bytes per distinct key while keys come in (24 at worst, where many are
 * repeated, and as many again while they are dropped), and never the keys themselves. What {@link
 * #finish} needs beside that, up to 28 bytes per key at 1 % and 45 at the lowest rates, is shared
 * by all builders and belongs to the threads that are building. A builder can be used again after
 * {@link #finish}. Not thread-safe.
 */
public final class FilterBuilder {
  private final FilterSizing sizing;
  private final KeyBuffer keys = new KeyBuffer();
  private KeyHash keyHash;

  /** Whether the caller hashes with that function. */
  private boolean takesHashes;

  private boolean verified = true;
  private boolean finished;

  private FilterBuilder(FilterSizing sizing) {
    this.sizing = Objects.requireNonNull(sizing, "sizing");
  }

  /** An empty builder of filters of this kind and rate. */
  public static FilterBuilder of(FilterSizing sizing) {
    return new FilterBuilder(sizing);
  }

  /**
   * Chooses the function that makes hashes of keys, which are then added as bytes. It is written
   * into the filter, which then takes it from there.
   *
   * @throws IllegalStateException if keys were added already
   */
  public FilterBuilder hashedBy(KeyHash newKeyHash) {
    return told(newKeyHash, false);
  }

  /**
   * As {@link #hashedBy}, for a caller who hashes with this function: keys are added as hashes
   * alone, and the filter can be asked for keys all the same.
   *
   * @throws IllegalStateException if keys were added already
   */
  public FilterBuilder hashesOf(KeyHash newKeyHash) {
    return told(newKeyHash, true);
  }

  private FilterBuilder told(KeyHash newKeyHash, boolean newTakesHashes) {
    Objects.requireNonNull(newKeyHash, "keyHash");
    if (keys.count() > 0 && !(newKeyHash.equals(keyHash) && newTakesHashes == takesHashes)) {
      throw new IllegalStateException(
          "keys were added already; choose the hash function before the first of them");
    }
    keyHash = newKeyHash;
    takesHashes = newTakesHashes;
    return this;
  }

  /** Whether a finished filter is checked against all that went into it: the default. */
  public FilterBuilder verified(boolean newVerified) {
    verified = newVerified;
    return this;
  }

  /**
   * Adds a key. A key that was added before changes nothing.
   *
   * @throws IllegalStateException if {@link #hashedBy} was not called; for any key of bytes
   */
  public void add(byte[] key) {
    keys.add(function().hash(key, 0, key.length));
  }

  /**
   * Adds the key of {@code length} bytes from {@code offset}.
   *
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  public void add(byte[] key, int offset, int length) {
    keys.add(function().hash(key, offset, length));
  }

  /** Adds the key that the buffer has between position and limit; neither is moved. */
  public void add(ByteBuffer key) {
    keys.add(function().hash(key));
  }

  /**
   * Adds a key by its hash: of the function of {@link #hashesOf}, or, if none was told, of any
   * function that the one who asks the filter uses, too.
   *
   * @throws IllegalStateException after {@link #hashedBy}: a hash of another function would be a
   *     key that is not found
   */
  public void add(long hash) {
    checkTakesHashes();
    keys.add(hash);
  }

  /**
   * Adds {@code count} keys by their hashes.
   *
   * @throws IllegalStateException after {@link #hashedBy}
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  public void add(long[] hashes, int from, int count) {
    checkTakesHashes();
    keys.add(hashes, from, count);
  }

  private void checkTakesHashes() {
    if (keyHash != null && !takesHashes) {
      throw new IllegalStateException(
          "keys are hashed by "
              + keyHash
              + ": add their bytes, or call hashesOf(KeyHash) instead"
              + " of hashedBy(KeyHash) and add hashes of that function");
    }
  }

  private KeyHash function() {
    if (keyHash != null && takesHashes) {
      throw new IllegalStateException(
          "hashes of "
              + keyHash
              + " were promised by hashesOf(KeyHash): add hashes, or call"
              + " hashedBy(KeyHash) instead and add bytes");
    }
    if (keyHash == null) {
      throw new IllegalStateException(
          "no hash function was chosen: call hashedBy(KeyHash.XXH3) before adding keys");
    }
    return keyHash;
  }

  /** Hashes added since the last {@link #finish}; repeats may be counted. */
  public long pendingCount() {
    return keys.count();
  }

  /** Forgets what was added. The hash function stays. */
  public void clear() {
    keys.clear();
    finished = false;
  }

  /**
   * Builds the filter of what was added, and leaves the builder empty for the next one. A new
   * builder, or one that was cleared, gives the filter of no keys.
   *
   * @throws IllegalStateException if nothing was added since the last time: that filter would deny
   *     every key; or if the image would have 2 GiB or more: the keys stay until {@link #clear}
   */
  public FilterImage finish() {
    return finish(sizing);
  }

  /**
   * As {@link #finish()}, with a sizing that was not known, or another one, when the builder was
   * made: this time only.
   *
   * @throws IllegalStateException as {@link #finish()}
   */
  public FilterImage finish(FilterSizing chosen) {
    if (finished && keys.count() == 0) {
      throw new IllegalStateException(
          "0 keys were added since the last finish(), must be 1 or more: a filter of none denies"
              + " every key. Call clear() first if you want one");
    }
    if (isTooLarge(chosen)) {
      keys.dropRepeats();
      if (isTooLarge(chosen)) {
        throw new IllegalStateException(
            keys.count()
                + " keys need an image of 2 GiB or more ("
                + chosen
                + "): build several"
                + " filters");
      }
    }
    FilterImage image = chosen.build(keys, keyHash, verified);
    keys.clear();
    finished = true;
    return image;
  }

  @Override
  public String toString() {
    return "builder of a filter ("
        + sizing
        + ") with "
        + pendingCount()
        + " hashes added, hash "
        + (keyHash == null ? "not told" : keyHash);
  }

  /** With room for an image that comes out a little larger than expected. */
  private boolean isTooLarge(FilterSizing chosen) {
    return chosen.expectedImageBytes(keys.count()) > Integer.MAX_VALUE / 16 * 15;
  }
}
