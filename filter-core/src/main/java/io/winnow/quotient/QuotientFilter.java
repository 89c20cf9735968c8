package io.winnow.quotient;

import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.MutableFilter;
import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import io.winnow.hash.KeyHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
 *       that deleting one loses the other: delete only if that does no harm.
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
  private QuotientTable table;
  private QuotientGrowth growth;
  private int hashId;
  private long refusedDeletes;

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

  /** As {@link #ofSorted}, whatever the load: a full filter grows at the next insert. */
  static QuotientFilter thawed(QuotientShape shape, FingerprintCursor fingerprints) {
    return new QuotientFilter(fill(shape, fingerprints), QuotientGrowth.DOUBLING);
  }

  /**
   * As many fingerprints as all of these have together, in the slots that they need at the highest
   * load, in the scheme of the first and the coarsest of the universes.
   *
   * @throws IllegalArgumentException if there are none, or if two universes do not differ by a
   *     power of two
   */
  public static QuotientFilter merge(List<QuotientFilter> filters) {
    if (filters.isEmpty()) {
      throw new IllegalArgumentException("nothing to merge");
    }
    long universe = Long.MAX_VALUE;
    long count = 0;
    List<FingerprintCursor> cursors = new ArrayList<>();
    for (QuotientFilter filter : filters) {
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
    return ofSorted(shape, QuotientMerge.of(cursors, universe));
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

  /** Records in images which function made the hashes. */
  public QuotientFilter hashedBy(KeyHash hash) {
    return hashedBy(hash.id());
  }

  QuotientFilter hashedBy(int newHashId) {
    hashId = newHashId;
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
  public boolean mightContain(long keyHash) {
    return table.contains(table.shape.place(keyHash));
  }

  /** How many deletes were refused because nothing like the key was there. */
  public long refusedDeletes() {
    return refusedDeletes;
  }

  private void grow() {
    long slots = growth.next(table.shape.slots());
    if (growth == QuotientGrowth.NONE || !QuotientShape.fits(table.shape.universe(), slots)) {
      throw new IllegalStateException(
          "full: " + table.count() + " fingerprints, " + table.shape + ", growth " + growth);
    }
    resize((int) slots);
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
    resize(Math.multiplyExact(table.shape.slots(), 2));
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
  public long sizeInBytes() {
    return table.bytes.length;
  }

  /** An equal filter that goes its own way. */
  public QuotientFilter copy() {
    QuotientFilter copy = new QuotientFilter(table.copy(), growth);
    copy.hashId = hashId;
    copy.refusedDeletes = refusedDeletes;
    return copy;
  }

  /** Takes all fingerprints away, and keeps the slots. */
  public void clear() {
    table.clear();
    refusedDeletes = 0;
  }

  /** The filter as it is now, immutable, for any number of threads: a copy. */
  public FrozenQuotientFilter freeze() {
    return (FrozenQuotientFilter) toImage().open();
  }

  /** The filter as it is now, serialized: a copy. */
  public FilterImage toImage() {
    double rate = expectedRate();
    return image(table, hashId, count(), rate, rate);
  }

  /** The image of a table for so many keys. */
  static FilterImage image(
      QuotientTable table, int hashId, long keyCount, double configuredRate, double rate) {
    byte[] bytes = Arrays.copyOf(table.bytes, table.usedImageBytes());
    QuotientShape shape = table.shape;
    FilterHeader.write(
        bytes,
        FilterType.QUOTIENT,
        hashId,
        keyCount,
        configuredRate,
        rate,
        QuotientLayout.shape0(shape),
        shape.universe());
    FilterHeader header = FilterHeader.read(ByteAccess.ARRAY, bytes, 0, bytes.length);
    return FilterImage.wrap(bytes, QuotientLayout.of(header));
  }
}
