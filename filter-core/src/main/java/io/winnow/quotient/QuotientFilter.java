package io.winnow.quotient;

import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.ImageFilter;
import io.winnow.MembershipFilter;
import io.winnow.MutableFilter;
import io.winnow.format.FilterHeader;
import io.winnow.hash.KeyHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A quotient filter: fingerprints of keys that can be inserted, deleted, looked up, read in order,
 * merged, and brought into a larger or smaller table, all without the keys.
 *
 * <p>A hash that was inserted and not deleted is found, always. Another one is found at the rate of
 * {@link #expectedRate}. Two ways to insert, of which a user chooses one for a filter:
 *
 * <ul>
 *   <li>{@link #insert}, a multiset: each insert adds a fingerprint, each {@link #delete} takes one
 *       away. As long as only what was inserted is deleted, no other key is ever lost.
 *   <li>{@link #insertIfAbsent}, a set: a fingerprint that is there is not added again, and the
 *       answer says which. Repeats take no space, but two keys with one fingerprint share it, so
 *       that deleting one loses the other. Deleting only what was answered {@code true} to never
 *       takes what belongs to another such key.
 * </ul>
 *
 * <p>{@link #delete} of a key that was never inserted takes another key's fingerprint if there is
 * an equal one, which has the probability of a false positive. If there is none it is refused, and
 * counted: {@link #refusedDeletes}.
 *
 * <p>Space: {@code (r + 2.125) / load} bits per key for the rank-and-select scheme, {@code (r + 3)
 * / load} for three bits. Not thread-safe, readers included: for them there is {@link #freeze}, an
 * immutable copy.
 */
public final class QuotientFilter implements MutableFilter {
  /** Keys that are fetched at once: more than a core can wait for. */
  private static final int AHEAD = 64;

  private QuotientTable table;
  private QuotientGrowth growth;
  private KeyHash keyHash;
  private long refusedDeletes;

  /** Written, never read: so that the JIT does not leave out what fills it. */
  @SuppressWarnings("unused")
  private int fetched;

  private QuotientFilter(QuotientTable table, QuotientGrowth growth) {
    this.table = table;
    this.growth = growth;
  }

  /** An empty filter of this shape that doubles when it is full. */
  public static QuotientFilter of(QuotientShape shape) {
    return new QuotientFilter(QuotientTable.of(shape), QuotientGrowth.DOUBLING);
  }

  /**
   * A filter of fingerprints that come in ascending order. They are coarsened to the shape's.
   *
   * @throws IllegalArgumentException if the universes do not differ by a power of two, or if a
   *     fingerprint is smaller than the one before, or if they are more than the shape's capacity
   */
  public static QuotientFilter ofSorted(QuotientShape shape, FingerprintCursor fingerprints) {
    QuotientFilter filter = thawed(shape, fingerprints);
    if (filter.count() > shape.capacity()) {
      throw new IllegalArgumentException(
          filter.count() + " fingerprints, " + shape + ", capacity " + shape.capacity());
    }
    return filter;
  }

  /**
   * A filter that changes, with the fingerprints of one that does not: one copy, made anew from
   * them.
   *
   * @throws IllegalArgumentException if it is a filter of another kind
   * @throws FilterFormatException if the bytes contradict themselves
   */
  public static QuotientFilter thaw(ImageFilter filter) {
    QuotientLayout layout = QuotientLayout.of(filter);
    QuotientFilter thawed = thawed(layout.shape(), layout.fingerprints(filter.image()));
    return layout.hashId() == 0 ? thawed : thawed.hashedBy(layout.keyHash());
  }

  /**
   * The fingerprints of a filter that does not change, in ascending order, repeats after each
   * other. Going to the next one throws {@link FilterFormatException} where the bytes contradict
   * themselves.
   *
   * @throws IllegalArgumentException if it is a filter of another kind
   */
  public static FingerprintCursor fingerprints(ImageFilter filter) {
    return QuotientLayout.of(filter).fingerprints(filter.image());
  }

  /** As {@link #ofSorted}, whatever the load: a full filter grows at the next insert. */
  static QuotientFilter thawed(QuotientShape shape, FingerprintCursor fingerprints) {
    return new QuotientFilter(fill(shape, fingerprints), QuotientGrowth.DOUBLING);
  }

  /**
   * As many fingerprints as all of these have together, in the slots that they need at the highest
   * load, in the scheme of the first and the coarsest of the universes. It doubles when it is full.
   *
   * @throws IllegalArgumentException if there are none, if their keys were hashed by different
   *     functions, if two universes do not differ by a power of two, or if the coarsest is too
   *     small for so many
   */
  public static QuotientFilter merge(List<QuotientFilter> filters) {
    if (filters.isEmpty()) {
      throw new IllegalArgumentException("nothing to merge");
    }
    long universe = Long.MAX_VALUE;
    long count = 0;
    KeyHash keyHash = filters.get(0).keyHash;
    List<FingerprintCursor> cursors = new ArrayList<>();
    for (QuotientFilter filter : filters) {
      if (filter.keyHash != keyHash) {
        throw new IllegalArgumentException(
            "keys hashed by " + keyHash + " and by " + filter.keyHash);
      }
      universe = Math.min(universe, filter.shape().universe());
      count += filter.count();
      cursors.add(filter.fingerprints());
    }
    QuotientScheme scheme = filters.get(0).shape().scheme();
    // A remainder has a bit at least, and 56 at most: long fingerprints of few keys take more
    // slots.
    long slots = Math.min(scheme.slotsFor(count), universe - 1);
    while (slots <= QuotientShape.MAX_SLOTS && !QuotientShape.fits(universe, slots)) {
      slots *= 2;
    }
    QuotientShape shape =
        QuotientShape.ofUniverse(scheme, universe, (int) Math.min(slots, Integer.MAX_VALUE));
    return ofSorted(shape, QuotientMerge.of(cursors, universe)).hashedBy(keyHash);
  }

  private static QuotientTable fill(QuotientShape shape, FingerprintCursor fingerprints) {
    FingerprintCursor source = QuotientMerge.coarsened(fingerprints, shape.universe());
    QuotientTable table = QuotientTable.of(shape);
    TableWriter writer = new TableWriter(table);
    long last = 0;
    while (source.next()) {
      long fingerprint = source.fingerprint();
      if (fingerprint < last || fingerprint >= shape.universe()) {
        throw new IllegalArgumentException(
            "fingerprint " + fingerprint + " of " + shape.universe() + " after " + last);
      }
      last = fingerprint;
      writer.append(shape.placeOf(fingerprint));
    }
    writer.finish();
    return table;
  }

  /** What to do when full. */
  public QuotientFilter growing(QuotientGrowth newGrowth) {
    growth = newGrowth;
    return this;
  }

  /** Records which function makes the hashes; null if that is not known. */
  public QuotientFilter hashedBy(KeyHash newKeyHash) {
    keyHash = newKeyHash;
    return this;
  }

  /**
   * Adds a fingerprint, also beside an equal one: a multiset.
   *
   * @throws IllegalStateException if the filter is full and cannot or must not grow
   */
  @Override
  public void insert(long keyHash) {
    if (table.count() >= table.shape.capacity()) {
      grow();
    }
    table.insert(table.shape.place(keyHash), false);
  }

  /**
   * {@link #insert(long)} of several keys. In a table that no cache holds, faster by a third or
   * more than one by one: what they need of the table is fetched side by side.
   *
   * @throws IllegalStateException if the filter is full and cannot or must not grow; the keys
   *     before the one for which it had to are in
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  public void insert(long[] keyHashes, int from, int count) {
    Objects.checkFromIndexSize(from, count, keyHashes.length);
    for (int i = from; i < from + count; i += AHEAD) {
      int end = Math.min(from + count, i + AHEAD);
      fetch(keyHashes, i, end);
      for (int j = i; j < end; j++) {
        insert(keyHashes[j]);
      }
    }
  }

  /**
   * Whether the keys with up to 64 hashes may have been inserted: bit i of the answer speaks of
   * {@code keyHashes[from + i]}, higher bits are 0. As much faster as {@link #insert(long[], int,
   * int)}.
   *
   * @throws IllegalArgumentException if {@code count} is not in 0 to 64
   * @throws IndexOutOfBoundsException if the range is not in the array
   */
  @Override
  public long mightContain(long[] keyHashes, int from, int count) {
    MembershipFilter.checkBatch(keyHashes, from, count);
    fetch(keyHashes, from, from + count);
    long answers = 0;
    for (int i = 0; i < count; i++) {
      answers |= (mightContain(keyHashes[from + i]) ? 1L : 0L) << i;
    }
    return answers;
  }

  /** Reads of each key's slot, so that all of them are on their way from memory at once. */
  private void fetch(long[] keyHashes, int from, int end) {
    int read = 0;
    for (int i = from; i < end; i++) {
      read += table.peek(table.shape.place(keyHashes[i]));
    }
    fetched = read;
  }

  /**
   * Adds a fingerprint unless there is an equal one: a set.
   *
   * @return whether it was added, that is, whether the key was certainly not there
   * @throws IllegalStateException if the filter is full and cannot or must not grow
   */
  public boolean insertIfAbsent(long keyHash) {
    if (table.count() >= table.shape.capacity()) {
      if (mightContain(keyHash)) {
        return false;
      }
      grow();
    }
    return table.insert(table.shape.place(keyHash), true);
  }

  /** {@inheritDoc} Refusals are counted. */
  @Override
  public boolean delete(long keyHash) {
    boolean deleted = table.delete(table.shape.place(keyHash));
    if (!deleted) {
      refusedDeletes++;
    }
    return deleted;
  }

  @Override
  public boolean mightContain(long hash) {
    return table.contains(table.shape.place(hash));
  }

  @Override
  public KeyHash keyHash() {
    if (keyHash == null) {
      throw new IllegalStateException(
          "this filter was not told how its keys are hashed: call hashedBy(...), or use hashes");
    }
    return keyHash;
  }

  /** How many deletes were refused because nothing like the key was there. */
  public long refusedDeletes() {
    return refusedDeletes;
  }

  private void grow() {
    QuotientShape shape = table.shape;
    long slots = growth.next(shape.slots());
    // A step of a few slots may not be enough for one fingerprint more.
    while (growth != QuotientGrowth.NONE
        && slots <= QuotientShape.MAX_SLOTS
        && shape.scheme().capacity((int) slots) <= table.count()) {
      slots = growth.next(slots);
    }
    if (growth == QuotientGrowth.NONE || !QuotientShape.fits(shape.universe(), slots)) {
      throw full(null);
    }
    try {
      resize((int) slots);
    } catch (IllegalArgumentException e) { // more bytes than an array has
      throw full(e);
    }
  }

  private IllegalStateException full(Throwable cause) {
    return new IllegalStateException(
        "full: " + table.count() + " fingerprints, " + table.shape + ", growth " + growth, cause);
  }

  /**
   * Brings all fingerprints into another number of slots: nothing is hashed again, the rate stays.
   *
   * @throws IllegalArgumentException if the fingerprints would leave no or too many bits to the
   *     remainders, or would fill it beyond the scheme's highest load
   */
  public void resize(int slots) {
    QuotientShape shape = table.shape.withSlots(slots);
    if (table.count() > shape.capacity()) {
      throw new IllegalArgumentException(
          table.count() + " fingerprints in " + slots + " slots, which take " + shape.capacity());
    }
    table = fill(shape, fingerprints());
  }

  /** {@link #resize} to twice the slots: a remainder loses the bit that its quotient gains. */
  public void doubleSlots() {
    resize((int) Math.min(2L * table.shape.slots(), Integer.MAX_VALUE));
  }

  /** {@link #resize} to half the slots, rounded up. */
  public void halveSlots() {
    resize(table.shape.slots() - table.shape.slots() / 2);
  }

  /**
   * The fingerprints in ascending order, repeats after each other. Good until the next change.
   *
   * @see java.util.ConcurrentModificationException
   */
  public FingerprintCursor fingerprints() {
    return TableCursor.of(table);
  }

  public QuotientShape shape() {
    return table.shape;
  }

  /** Fingerprints held, repeats included. */
  public int count() {
    return table.count();
  }

  /** The share of slots that is filled. */
  public double load() {
    return table.count() / (double) table.shape.slots();
  }

  /** The false-positive rate to expect, {@code 1 - e^(-count / universe)}. */
  public double expectedRate() {
    return table.shape.expectedRate(table.count());
  }

  /** Bytes of heap that the table takes: those of its image, and a few spare blocks. */
  @Override
  public long sizeInBytes() {
    return table.bytes.length;
  }

  /** An equal filter that goes its own way. */
  public QuotientFilter copy() {
    QuotientFilter copy = new QuotientFilter(table.copy(), growth);
    copy.keyHash = keyHash;
    copy.refusedDeletes = refusedDeletes;
    return copy;
  }

  /** Takes all fingerprints away, and keeps the slots. */
  public void clear() {
    table.clear();
    refusedDeletes = 0;
  }

  /** The filter as it is now, immutable, for any number of threads: a copy. */
  public ImageFilter freeze() {
    return toImage().open();
  }

  /** The filter as it is now, serialized: a copy. */
  public FilterImage toImage() {
    double rate = expectedRate();
    return image(table, keyHash, count(), rate, rate);
  }

  /** The image of a table for so many keys. */
  static FilterImage image(
      QuotientTable table, KeyHash keyHash, long keyCount, double configuredRate, double rate) {
    byte[] bytes = Arrays.copyOf(table.bytes, table.usedImageBytes());
    QuotientShape shape = table.shape;
    FilterHeader.write(
        bytes,
        FilterType.QUOTIENT,
        keyHash,
        keyCount,
        configuredRate,
        rate,
        QuotientLayout.shape0(shape),
        shape.universe());
    return FilterImage.of(bytes);
  }
}
