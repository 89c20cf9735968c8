package io.winnow.quotient;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.ImageFilter;
import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A quotient filter: fingerprints of keys that can be inserted, deleted, looked up, read in order,
 * merged, and moved to a larger or smaller table, all without the keys.
 *
 * <p>A key that was inserted and not deleted is always found. The false-positive rate is {@link
 * #expectedRate}. There are two ways to insert. Use one of them for a filter, not both:
 *
 * <ul>
 *   <li>{@link #insert} keeps a multiset: each insert adds a fingerprint, each {@link #delete}
 *       removes one. As long as only inserted keys are deleted, no other key is ever lost.
 *   <li>{@link #insertIfAbsent} keeps a set: an existing fingerprint is not added again, and the
 *       result says whether it was added. Repeats take no space. But two keys with the same
 *       fingerprint share it, and deleting one of them loses the other. If you delete only keys for
 *       which the result was {@code true}, you never remove the fingerprint of another such key.
 * </ul>
 *
 * <p>A {@link #delete} of a key that was never inserted removes another key's fingerprint if it is
 * equal, which has the probability of a false positive. If there is none, the delete is refused and
 * counted: {@link #refusedDeletes}.
 *
 * <p>Cost: keys with the same quotient form a run. A lookup searches a run by halving it, and reads
 * the metadata of its blocks, 64 keys each: a run of 40,000 keys costs some 14 times a short one.
 * An insert or a delete moves the remainders behind its place in the run and in the cluster, so k
 * keys of one quotient, or k copies of one key in a multiset, take time that grows with k * k.
 *
 * <p><b>If your keys come from strangers</b>, hash them with {@link KeyHash#seeded()}, and keep the
 * seed and the images, which contain it, secret. Pass that function to {@link #hashedBy}, or
 * compute with it the hashes that you pass. Under a hash without a seed, anybody can choose keys of
 * one quotient, which make inserts slow as above, in a set too. Call {@link #insertIfAbsent} then:
 * equal keys are equal under any seed, and it keeps one copy.
 *
 * <p>Space: {@code (r + 2.125) / load} bits per key for the rank-and-select scheme, {@code (r + 3)
 * / load} for three bits. Not thread-safe, not even for readers; {@link #freeze} returns an
 * immutable copy for them.
 */
public final class QuotientFilter implements MembershipFilter {
  /**
   * Number of keys whose slots are fetched from memory together: more reads than a core can wait
   * for.
   */
  private static final int AHEAD = 64;

  private QuotientTable table;
  private QuotientGrowth growth;
  private KeyHash keyHash;
  private long refusedDeletes;

  /**
   * Number of changes of the quotient filter, by which a cursor over its fingerprints notices a
   * change.
   */
  private int changes;

  /**
   * Sum of words that were read to fetch them early, which is never read: it keeps the JIT from
   * removing these reads.
   */
  @SuppressWarnings("unused")
  private int fetched;

  private QuotientFilter(QuotientTable table, QuotientGrowth growth) {
    this.table = table;
    this.growth = growth;
  }

  /**
   * Returns an empty quotient filter with the slots and remainder bits of a shape, which doubles
   * its slots when it is full.
   */
  public static QuotientFilter of(QuotientShape shape) {
    return of(QuotientTable.of(shape));
  }

  /**
   * Returns a quotient filter of fingerprints that come in ascending order. They are coarsened to
   * the shape's universe.
   *
   * @throws IllegalArgumentException if the universes do not differ by a power of two, if a
   *     fingerprint is smaller than the one before, or if there are more than the shape's capacity
   */
  public static QuotientFilter ofSorted(QuotientShape shape, FingerprintCursor fingerprints) {
    return of(fill(shape, fingerprints, false));
  }

  private static QuotientFilter of(QuotientTable table) {
    checkLoad(table.count, table.shape);
    return new QuotientFilter(table, QuotientGrowth.DOUBLING);
  }

  /**
   * Checks that a quotient filter with the slots of a given shape has room for a number of
   * fingerprints.
   */
  private static void checkLoad(int count, QuotientShape shape) {
    if (count > shape.capacity()) {
      throw new IllegalArgumentException(
          count + " fingerprints, capacity " + shape.capacity() + ": " + shape);
    }
  }

  /**
   * Returns a changeable filter with the fingerprints of an immutable quotient filter. If that one
   * came from a {@link io.winnow.FilterBuilder}, it has each fingerprint once for all keys that
   * share it: delete only keys that are inserted from now on.
   *
   * @throws IllegalArgumentException if it is not a quotient filter
   * @throws FilterFormatException if the bytes contradict themselves
   */
  public static QuotientFilter thaw(ImageFilter filter) {
    QuotientFilter thawed = thawed(QuotientLayout.of(filter).shape(), fingerprints(filter));
    thawed.keyHash = filter.layout().hashId() == 0 ? null : filter.keyHash();
    return thawed;
  }

  /**
   * Returns the fingerprints of an immutable quotient filter in ascending order, with repeats.
   * Advancing the cursor throws {@link FilterFormatException} where the bytes contradict
   * themselves.
   *
   * @throws IllegalArgumentException if it is not a quotient filter
   */
  public static FingerprintCursor fingerprints(ImageFilter filter) {
    return QuotientLayout.of(filter).fingerprints(ByteAccess.BUFFER, filter.image());
  }

  /**
   * Returns a quotient filter of fingerprints that come in ascending order, at any load (see {@link
   * #ofSorted}): a full filter grows at the next insert.
   */
  static QuotientFilter thawed(QuotientShape shape, FingerprintCursor fingerprints) {
    return new QuotientFilter(fill(shape, fingerprints, false), QuotientGrowth.DOUBLING);
  }

  /**
   * Returns a quotient filter with all fingerprints of several filters: a fingerprint occurs as
   * often as in all of them together, so that each inserted key can be deleted.
   *
   * <p>It has the slots that it needs at the highest load, the scheme of the first filter, and the
   * coarsest of the universes. It doubles when it is full.
   *
   * @throws IllegalArgumentException if there are no filters, if their keys were hashed by
   *     different functions or with different seeds, if two universes do not differ by a power of
   *     two, or if the coarsest is too small for all fingerprints
   */
  public static QuotientFilter merge(List<QuotientFilter> filters) {
    return merge(filters, false);
  }

  /**
   * Returns a quotient filter with all fingerprints of several filters, each fingerprint once.
   * Delete nothing from it: keys of two filters may share a fingerprint, and deleting one would
   * lose the other. To delete, use {@link #merge}. The filters are read twice, first to count the
   * slots.
   *
   * @throws IllegalArgumentException as {@link #merge}
   */
  public static QuotientFilter mergeDistinct(List<QuotientFilter> filters) {
    return merge(filters, true);
  }

  private static QuotientFilter merge(List<QuotientFilter> filters, boolean once) {
    FingerprintCursor merged = merged(filters);
    KeyHash keyHash = filters.get(0).keyHash;
    for (QuotientFilter filter : filters) {
      if (!Objects.equals(filter.keyHash, keyHash)) {
        throw new IllegalArgumentException(QuotientMerge.differ(keyHash, filter.keyHash));
      }
    }
    long count =
        once ? distinct(merged(filters)) : filters.stream().mapToLong(QuotientFilter::count).sum();
    QuotientScheme scheme = filters.get(0).shape().scheme();
    QuotientShape shape = QuotientShape.forUniverse(scheme, merged.universe(), count);
    QuotientFilter filter = of(fill(shape, merged, once));
    filter.keyHash = keyHash;
    return filter;
  }

  private static FingerprintCursor merged(List<QuotientFilter> filters) {
    return QuotientMerge.of(
        filters.stream().map(QuotientFilter::fingerprints).collect(Collectors.toList()));
  }

  /** Counts the distinct fingerprints that a cursor reads. */
  private static long distinct(FingerprintCursor cursor) {
    long distinct = 0;
    for (long last = -1; cursor.next(); last = cursor.fingerprint()) {
      distinct += cursor.fingerprint() == last ? 0 : 1;
    }
    return distinct;
  }

  /**
   * Writes fingerprints into a new table of a quotient filter, without those of their low bits that
   * this table does not distinguish.
   *
   * @param once whether repeats are dropped
   */
  private static QuotientTable fill(
      QuotientShape shape, FingerprintCursor fingerprints, boolean once) {
    int shift = QuotientMerge.coarseningShift(fingerprints.universe(), shape.universe());
    TableWriter writer = new TableWriter(shape);
    long last = 0;
    while (fingerprints.next()) {
      long fingerprint = fingerprints.fingerprint() >>> shift;
      if (fingerprint < last || fingerprint >= shape.universe()) {
        throw new IllegalArgumentException(
            "fingerprint " + fingerprint + " of " + shape.universe() + " after " + last);
      }
      last = fingerprint;
      writer.append(shape.placeOf(fingerprint), once);
    }
    return writer.finish();
  }

  /** Sets the reaction of an insert when the quotient filter is full. */
  public QuotientFilter growing(QuotientGrowth newGrowth) {
    growth = newGrowth;
    return this;
  }

  /**
   * Sets the function that hashes the keys of this filter. It is recorded in images, and keys can
   * then be given as bytes. Filters that are to be merged need the same function, with the same
   * seed if it has one. If strangers choose the keys, use {@link KeyHash#seeded()}. An empty filter
   * without a function takes {@link KeyHash#XXH3} with its first key that is given as bytes; if the
   * first one is a hash, the methods that take bytes throw {@link IllegalStateException}.
   *
   * @throws IllegalStateException if the filter has keys of another function, or of an unknown one
   */
  public QuotientFilter hashedBy(KeyHash hash) {
    Objects.requireNonNull(hash, "hash");
    if (!hash.equals(keyHash) && count() > 0) {
      throw new IllegalStateException(
          "the filter has keys: set the hash function before the first one");
    }
    keyHash = hash;
    return this;
  }

  @Override
  public KeyHash keyHash() {
    if (keyHash == null && count() == 0) {
      return KeyHash.XXH3; // the one that the first key would be hashed by
    }
    if (keyHash == null) {
      throw new IllegalStateException(
          "the hash function of keys is unknown: set it with hashedBy(KeyHash), or use hashes");
    }
    return keyHash;
  }

  /** Returns the function that hashes a key to insert, which the filter then keeps. */
  private KeyHash functionOfInserts() {
    keyHash = keyHash();
    return keyHash;
  }

  /**
   * Adds the fingerprint of a key, even if there is an equal one: the filter is a multiset. Hash
   * keys of strangers with a seed, see {@link QuotientFilter}: many chosen hashes, or copies, make
   * inserts slow.
   *
   * @throws IllegalStateException if the filter is full and cannot or must not grow
   */
  public void insert(long keyHash) {
    if (table.count >= table.shape.capacity()) {
      grow();
    }
    table.insert(table.shape.place(keyHash), false);
    changes++;
  }

  /**
   * Adds the fingerprint of a key: calls {@link #insert(long)} with its hash, see {@link
   * #hashedBy}.
   */
  public void insert(byte[] key) {
    insert(functionOfInserts().hash(key));
  }

  /** Adds the fingerprint of a text: calls {@link #insert(byte[])} with its bytes in UTF-8. */
  public void insert(String key) {
    insert(key.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Adds the fingerprints of several keys, given by their hashes, to the quotient filter. If the
   * table fits into no cache, this is faster by a third or more than one by one, because the slots
   * of several keys are fetched from memory together.
   *
   * @throws IllegalStateException if the filter is full and cannot or must not grow; the keys
   *     before the one that needed it are inserted
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
   * {@inheritDoc} It is faster than single probes in the same cases as {@link #insert(long[], int,
   * int)}.
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

  /**
   * Reads a little of the slot of each of several keys, so that all of them are fetched from memory
   * together.
   */
  private void fetch(long[] keyHashes, int from, int end) {
    int read = 0;
    for (int i = from; i < end; i++) {
      read += table.peek(table.shape.place(keyHashes[i]));
    }
    fetched = read;
  }

  /**
   * Adds the fingerprint of a key unless there is an equal one: the filter is a set. Hash keys of
   * strangers with a seed, see {@link QuotientFilter}: many chosen hashes make inserts slow.
   *
   * @return whether it was added, which means that the key was certainly absent
   * @throws IllegalStateException if the filter is full and cannot or must not grow
   */
  public boolean insertIfAbsent(long keyHash) {
    if (table.count >= table.shape.capacity()) {
      if (mightContain(keyHash)) {
        return false;
      }
      grow();
    }
    boolean inserted = table.insert(table.shape.place(keyHash), true);
    changes += inserted ? 1 : 0;
    return inserted;
  }

  /**
   * Adds the fingerprint of a key if it is absent: calls {@link #insertIfAbsent(long)} with its
   * hash, see {@link #hashedBy}.
   */
  public boolean insertIfAbsent(byte[] key) {
    return insertIfAbsent(functionOfInserts().hash(key));
  }

  /**
   * Adds the fingerprint of a text if it is absent: calls {@link #insertIfAbsent(byte[])} with its
   * bytes in UTF-8.
   */
  public boolean insertIfAbsent(String key) {
    return insertIfAbsent(key.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Removes one fingerprint of a key that was inserted into the filter.
   *
   * @return whether one was removed. If not, the delete is refused and counted: there is no such
   *     fingerprint, and nothing changed
   */
  public boolean delete(long keyHash) {
    boolean deleted = table.delete(table.shape.place(keyHash));
    if (deleted) {
      changes++;
    } else {
      refusedDeletes++;
    }
    return deleted;
  }

  /**
   * Removes one fingerprint of a key: calls {@link #delete(long)} with its hash, see {@link
   * #hashedBy}.
   */
  public boolean delete(byte[] key) {
    return delete(keyHash().hash(key));
  }

  /** Removes one fingerprint of a text: calls {@link #delete(byte[])} with its bytes in UTF-8. */
  public boolean delete(String key) {
    return delete(key.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public boolean mightContain(long keyHash) {
    return table.contains(table.shape.place(keyHash));
  }

  /**
   * Returns the number of deletes that were refused because the filter did not have the key's
   * fingerprint.
   */
  public long refusedDeletes() {
    return refusedDeletes;
  }

  /**
   * Moves all fingerprints of the filter to a table with more slots, as its {@link QuotientGrowth}
   * says.
   */
  private void grow() {
    QuotientShape shape = table.shape;
    long slots = growth.next.applyAsLong(shape.slots());
    // One step of few slots may not be enough for one more fingerprint.
    while (slots <= QuotientShape.MAX_SLOTS
        && shape.scheme().capacity((int) slots) <= table.count) {
      slots = growth.next.applyAsLong(slots);
    }
    try {
      resize((int) Math.min(slots, Integer.MAX_VALUE));
    } catch (IllegalArgumentException e) { // no room in a remainder, or in an array
      throw new IllegalStateException(
          "full: " + table.count + " fingerprints, " + shape + ", growth " + growth, e);
    }
  }

  /**
   * Moves all fingerprints of the filter to a table with another number of slots. No key is hashed
   * again, and the rate stays.
   *
   * @throws IllegalArgumentException if this leaves too few or too many bits for the remainders, or
   *     fills the table beyond the scheme's highest load
   */
  public void resize(int slots) {
    QuotientShape shape = table.shape.withSlots(slots);
    checkLoad(table.count, shape);
    table = fill(shape, fingerprints(), false);
    changes++;
  }

  /**
   * Doubles the quotient filter's slots (see {@link #resize}): a remainder loses the bit that its
   * quotient gains.
   */
  public void doubleSlots() {
    resize((int) Math.min(2L * table.shape.slots(), Integer.MAX_VALUE));
  }

  /** Halves the quotient filter's slots, rounded up (see {@link #resize}). */
  public void halveSlots() {
    resize(table.shape.slots() - table.shape.slots() / 2);
  }

  /**
   * Returns the fingerprints of the filter in ascending order, with repeats. The cursor is valid
   * until the next change: after an insert, a delete or a resize, advancing it throws {@link
   * java.util.ConcurrentModificationException}.
   */
  public FingerprintCursor fingerprints() {
    return new TableCursor<>(
        ByteAccess.ARRAY, table.bytes, QuotientTable.PAYLOAD, table.reader, keyHash, () -> changes);
  }

  /** Returns the present shape of the filter: its slots, remainder bits and scheme. */
  public QuotientShape shape() {
    return table.shape;
  }

  /** Returns the number of fingerprints in the filter, including repeats. */
  public int count() {
    return table.count;
  }

  /** Returns the fraction of the filter's slots that are filled. */
  public double load() {
    return table.count / (double) table.shape.slots();
  }

  /**
   * Returns the false-positive rate: the number of distinct fingerprints divided by the number of
   * possible ones.
   */
  public double expectedRate() {
    return table.rate();
  }

  /**
   * Returns the bytes of heap that the filter takes: those of its image, and a few spare blocks.
   */
  @Override
  public long sizeInBytes() {
    return table.bytes.length;
  }

  /** Returns an independent copy of this filter. */
  public QuotientFilter copy() {
    QuotientFilter copy = new QuotientFilter(table.copy(), growth);
    copy.keyHash = keyHash;
    copy.refusedDeletes = refusedDeletes;
    return copy;
  }

  /** Removes all fingerprints of the filter, and keeps the slots. */
  public void clear() {
    table.clear();
    changes++;
    refusedDeletes = 0;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "quotient filter of %d fingerprints in %d bytes, rate %.3g, hash %s (%s)",
        count(),
        sizeInBytes(),
        expectedRate(),
        keyHash == null ? "unknown" : keyHash,
        shape());
  }

  /** Returns an immutable copy of the filter, for any number of threads. */
  public ImageFilter freeze() {
    return toImage().open();
  }

  /** Returns a serialized copy of the quotient filter. */
  public FilterImage toImage() {
    double rate = expectedRate();
    return QuotientLayout.image(table.image(), table.shape, keyHash, count(), rate, rate);
  }
}
