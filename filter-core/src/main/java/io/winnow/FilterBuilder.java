package io.winnow;

import io.winnow.base.KeyBuffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Collector;

/**
 * Builds filters from a stream of keys whose number need not be known in advance. The {@link
 * FilterSizing} selects the type of filter.
 *
 * <pre>
 *   FilterBuilder builder = FilterBuilder.of(BumpedRibbonSizing.forRate(0.01));
 *   builder.add(key); // each of them
 *   FilterImage image = builder.finish();
 * </pre>
 *
 * <p>Building never fails: from no key, one key, repeated or crafted keys it makes a filter, in
 * time linear in the number of added keys. A finished filter is checked against its keys before it
 * is returned. Should it lose a key, which only a fault of the machine could explain, it is built
 * again, and in the end a filter is returned whose answer is always {@code true}. The limits are
 * those of an array: 2^30 distinct keys and an image below 2 GiB.
 *
 * <p>A builder holds 8 bytes per distinct key (24 at worst, if many are repeated, and as many again
 * while repeats are dropped), and never the keys themselves. The memory that {@link #finish} needs
 * in addition, up to 28 bytes per key at 1 % and 45 at the lowest rates, is shared by all builders
 * and belongs to the threads that are building. A builder can be used again after {@link #finish}.
 * Not thread-safe.
 */
public final class FilterBuilder {
  private final FilterSizing sizing;
  private final KeyBuffer keys = new KeyBuffer();
  private KeyHash keyHash;

  /** Is true if the caller adds hashes of the builder's hash function instead of keys. */
  private boolean takesHashes;

  private boolean verified = true;
  private boolean finished;

  private FilterBuilder(FilterSizing sizing) {
    this.sizing = Objects.requireNonNull(sizing, "sizing");
  }

  /** Returns an empty builder of filters of the sizing's type and rate. */
  public static FilterBuilder of(FilterSizing sizing) {
    return new FilterBuilder(sizing);
  }

  /**
   * Returns a collector of a stream's keys into the image of a filter of the sizing's type and
   * rate, with the default hash function. Texts become keys by {@code map(text ->
   * text.getBytes(UTF_8))}.
   */
  public static Collector<byte[], ?, FilterImage> collector(FilterSizing sizing) {
    return Collector.of(
        () -> of(sizing),
        (builder, key) -> builder.add(key),
        FilterBuilder::joined,
        FilterBuilder::finish,
        Collector.Characteristics.UNORDERED);
  }

  /** Adds the keys of another builder with the same hash function, and returns this builder. */
  private FilterBuilder joined(FilterBuilder other) {
    for (int i = 0; i < other.keys.segments(); i++) {
      keys.add(other.keys.segment(i), 0, other.keys.segmentSize(i));
    }
    keyHash = keyHash == null ? other.keyHash : keyHash;
    return this;
  }

  /**
   * Sets the function that hashes keys, which are then added as bytes. The filter records it, so
   * that it can be probed by keys. The default is {@link KeyHash#XXH3}. If strangers choose the
   * keys, use {@link KeyHash#seeded()}.
   *
   * @throws IllegalStateException if keys were added already
   */
  public FilterBuilder hashedBy(KeyHash newKeyHash) {
    return withHash(newKeyHash, false);
  }

  /**
   * Sets the function by which the caller hashes keys: then they are added only as hashes, and the
   * filter can still be probed by keys.
   *
   * @throws IllegalStateException if keys were added already
   */
  public FilterBuilder hashesOf(KeyHash newKeyHash) {
    return withHash(newKeyHash, true);
  }

  private FilterBuilder withHash(KeyHash newKeyHash, boolean newTakesHashes) {
    Objects.requireNonNull(newKeyHash, "keyHash");
    if (keys.count() > 0 && !(newKeyHash.equals(keyHash) && newTakesHashes == takesHashes)) {
      throw new IllegalStateException(
          "keys were added already: set the hash function before the first one");
    }
    keyHash = newKeyHash;
    takesHashes = newTakesHashes;
    return this;
  }

  /** Sets whether a finished filter is checked against its keys, which is the default. */
  public FilterBuilder verified(boolean newVerified) {
    verified = newVerified;
    return this;
  }

  /**
   * Adds a key to the filter that is being built. Adding a key again changes nothing.
   *
   * @throws IllegalStateException if hashes were added to this filter, or {@link #hashesOf} was
   *     called
   */
  public void add(byte[] key) {
    keys.add(function().hash(key, 0, key.length));
  }

  /** Adds a text as a key, by its UTF-8 bytes, to the filter that is being built. */
  public void add(String key) {
    add(key.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Adds a key, given as a part of an array, to the filter that is being built.
   *
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  public void add(byte[] key, int offset, int length) {
    keys.add(function().hash(key, offset, length));
  }

  /**
   * Adds the key between the buffer's position and limit, which do not change, to the filter that
   * is being built.
   */
  public void add(ByteBuffer key) {
    keys.add(function().hash(key));
  }

  /**
   * Adds a key, given by its hash, to the filter: by the function of {@link #hashesOf} or, if none
   * was set, by any function that is also used to probe the filter.
   *
   * @throws IllegalStateException after {@link #hashedBy}: the key of a hash by another function
   *     would not be found
   */
  public void add(long hash) {
    checkTakesHashes();
    keys.add(hash);
  }

  /**
   * Adds several keys, given by their hashes, to the filter that is being built.
   *
   * @throws IllegalStateException after {@link #hashedBy}
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  public void add(long[] hashes, int from, int count) {
    checkTakesHashes();
    keys.add(hashes, from, count);
  }

  /** Checks that this builder accepts hashes of keys. */
  private void checkTakesHashes() {
    if (keyHash != null && !takesHashes) {
      throw new IllegalStateException(
          "keys are hashed by "
              + keyHash
              + ": add their bytes, or call hashesOf(KeyHash) instead"
              + " of hashedBy(KeyHash) and add hashes of that function");
    }
  }

  /**
   * Returns the function that hashes keys that are added as bytes, and sets the default if there is
   * none.
   *
   * @throws IllegalStateException if keys are added as hashes
   */
  private KeyHash function() {
    if (keyHash != null && takesHashes) {
      throw new IllegalStateException(
          "the builder expects hashes of "
              + keyHash
              + ", because of hashesOf(KeyHash): add hashes, or call"
              + " hashedBy(KeyHash) instead and add bytes");
    }
    if (keyHash == null) {
      if (keys.count() > 0) {
        throw new IllegalStateException(
            "hashes of an unknown function were added: keys by another one would not be found");
      }
      keyHash = KeyHash.XXH3;
    }
    return keyHash;
  }

  /**
   * Returns the number of keys added since the last filter was finished; repeats may be counted.
   */
  public long pendingCount() {
    return keys.count();
  }

  /** Removes the keys that were added since the last filter. The hash function stays. */
  public void clear() {
    keys.clear();
    finished = false;
  }

  /**
   * Builds the filter of the added keys, and leaves the builder empty for the next one. A new
   * builder, or one that was cleared, builds the filter of no keys.
   *
   * @throws IllegalStateException if no key was added since the last filter, since an empty filter
   *     would deny every key; or if the image would have 2 GiB or more: the keys stay until {@link
   *     #clear}
   */
  public FilterImage finish() {
    return finish(sizing);
  }

  /**
   * Builds the filter of the added keys with the sizing {@code chosen} instead of the builder's
   * (see {@link #finish()}).
   *
   * @throws IllegalStateException as {@link #finish()}
   */
  public FilterImage finish(FilterSizing chosen) {
    if (finished && keys.count() == 0) {
      throw new IllegalStateException(
          "0 keys were added since the last finish(), must be 1 or more: an empty filter rules"
              + " out every key. Call clear() first if you want one");
    }
    if (isTooLarge(chosen)) {
      keys.dropRepeats();
      if (isTooLarge(chosen)) {
        throw new IllegalStateException(
            String.format(
                "%d keys need an image of 2 GiB or more (%s): build several filters",
                keys.count(), chosen));
      }
    }
    FilterImage image = chosen.build(keys, keyHash, verified);
    keys.clear();
    finished = true;
    return image;
  }

  @Override
  public String toString() {
    return String.format(
        "builder of a filter (%s) with %d hashes added, hash %s",
        sizing, pendingCount(), keyHash == null ? "unknown" : keyHash);
  }

  /**
   * Returns whether the image of the added keys would be too large, with a reserve for one that is
   * a little larger than expected.
   */
  private boolean isTooLarge(FilterSizing chosen) {
    return chosen.expectedImageBytes(keys.count()) > Integer.MAX_VALUE / 16 * 15;
  }
}
