package io.winnow.quotient;

import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.ImageFilter;
import io.winnow.MembershipFilter;
import io.winnow.bits.ByteAccess;
import io.winnow.hash.KeyHash;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A quotient filter: fingerprints of keys that can be inserted, deleted, looked up, read in order,
 * merged, and brought into a larger or smaller table, all without the keys.
 *
 * <p>A key that was inserted and not deleted is found, always. Another one is found at the rate of
 * {@link #expectedRate}. There are two ways to insert. Use one of them for a filter, not both:
 *
 * <ul>
 *   <li>{@link #insert} keeps a multiset: each insert adds a fingerprint, each {@link #delete}
 *       takes one away. As long as only what was inserted is deleted, no other key is ever lost.
 *   <li>{@link #insertIfAbsent} keeps a set: a fingerprint that is there is not added again, and
 *       the answer says whether it was added. Repeats take no space. But two keys with one
 *       fingerprint share it, and deleting one of them loses the other. If you delete only keys for
 *       which the answer was {@code true}, you never take away the fingerprint of another such key.
 * </ul>
 *
 * <p>{@link #delete} of a key that was never inserted takes another key's fingerprint if there is
 * an equal one, which has the probability of a false positive. If there is none it is refused, and
 * counted: {@link #refusedDeletes}.
 *
 * <p>Cost: keys with one quotient make a run. A lookup halves a run and goes through the metadata
 * of its blocks, 64 keys each: a run of 40,000 keys costs some 14 times a short one. An insert or a
 * delete moves what stands behind its place in the run and in the cluster, so that k keys of one
 * quotient, or k copies of one key in a multiset, take time that grows with k * k.
 *
 * <p><b>If your keys come from strangers</b>, hash them with {@link KeyHash#seeded()}, and keep the
 * seed and the images, which contain it, secret. Name that function in {@link #hashedBy}, or make
 * the hashes that you hand in with it. Under a hash without a seed anybody can choose keys of one
 * quotient, which make inserts slow as above, in a set too. Call {@link #insertIfAbsent} then:
 * equal keys are equal under any seed, and it keeps one copy.
 *
 * <p>Space: {@code (r + 2.125) / load} bits per key for the rank-and-select scheme, {@code (r + 3)
 * / load} for three bits. Not thread-safe, readers included: for them there is {@link #freeze}, an
 * immutable copy.
 */
public final class QuotientFilter implements MembershipFilter {
  /** Keys whose slots are fetched at once: a core cannot wait for more reads than that. */
  private static final int AHEAD = 64;

  private QuotientTable table;
  private QuotientGrowth growth;
  private KeyHash keyHash;
  private long refusedDeletes;

  /** Changes so far, so that a cursor can tell that there was one. */
  private int changes;

  /** Written, never read: so that the JIT does not leave out what fills it. */
  @SuppressWarnings("unused")
  private int fetched;

  private QuotientFilter(QuotientTable table, QuotientGrowth growth) {
    this.table = table;
    this.growth = growth;
  }

  /** An empty filter of this shape that doubles when it is full. */
  public static QuotientFilter of(QuotientShape shape) {
    return of(QuotientTable.of(shape));
  }

  /**
   * A filter of fingerprints that come in ascending order. They are coarsened to the shape's.
   *
   * @throws IllegalArgumentException if the universes do not differ by a power of two, or if a
   *     fingerprint is smaller than the one before, or if they are more than the shape's capacity
   */
  public static QuotientFilter ofSorted(QuotientShape shape, FingerprintCursor fingerprints) {
    return of(fill(shape, fingerprints, false));
  }

  private static QuotientFilter of(QuotientTable table) {
    checkLoad(table.count(), table.shape);
    return new QuotientFilter(table, QuotientGrowth.DOUBLING);
  }

  private static void checkLoad(int count, QuotientShape shape) {
    if (count > shape.capacity()) {
      throw new IllegalArgumentException(
          count + " fingerprints, capacity " + shape.capacity() + ": " + shape);
    }
  }

  /**
   * A filter that changes, made of the fingerprints of one that does not. If that one came from a
   * {@link io.winnow.FilterBuilder}, it has each fingerprint once for all keys that share it:
   * delete nothing but what is inserted from now on.
   *
   * @throws IllegalArgumentException if it is a filter of another kind
   * @throws FilterFormatException if the bytes contradict themselves
   */
  public static QuotientFilter thaw(ImageFilter filter) {
    QuotientFilter thawed = thawed(QuotientLayout.of(filter).shape(), fingerprints(filter));
    thawed.keyHash = filter.layout().hashId() == 0 ? null : filter.keyHash();
    return thawed;
  }

  /**
   * The fingerprints of a filter that does not change, in ascending order, repeats after each
   * other. Going to the next one throws {@link FilterFormatException} where the bytes contradict
   * themselves.
   *
   * @throws IllegalArgumentException if it is a filter of another kind
   */
  public static FingerprintCursor fingerprints(ImageFilter filter) {
    return QuotientLayout.of(filter).fingerprints(ByteAccess.BUFFER, filter.image());
  }

  /** As {@link #ofSorted}, whatever the load: a full filter grows at the next insert. */
  static QuotientFilter thawed(QuotientShape shape, FingerprintCursor fingerprints) {
    return new QuotientFilter(fill(shape, fingerprints, false), QuotientGrowth.DOUBLING);
  }

  /**
   * A multiset of all the fingerprints of these filters: one that several have comes as often as
   * they have it together, so that what was inserted into any of them can be deleted.
   *
   * <p>It has the slots that it needs at the highest load, the scheme of the first filter, and the
   * coarsest of the universes. It doubles when it is full.
   *
   * @throws IllegalArgumentException if there are none, if their keys were hashed by different
   *     functions or under different seeds, if two universes do not differ by a power of two, or if
   *     the coarsest is too small for all the fingerprints
   */
  public static QuotientFilter merge(List<QuotientFilter> filters) {
    return merge(filters, false);
  }

  /**
   * As {@link #merge}, but each fingerprint once: a set. Delete nothing from it: keys of two
   * filters may share a fingerprint, and deleting one would lose the other. If you delete, take
   * {@link #merge}. The filters are read twice, for the number of slots first.
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

  private static long distinct(FingerprintCursor cursor) {
    long distinct = 0;
    for (long last = -1; cursor.next(); last = cursor.fingerprint()) {
      distinct += cursor.fingerprint() == last ? 0 : 1;
    }
    return distinct;
  }

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

  /** What to do when full. */
  public QuotientFilter growing(QuotientGrowth newGrowth) {
    growth = newGrowth;
    return this;
  }

  /**
   * Records which function makes the hashes of keys: images say so, and keys can be given as bytes.
   * Filters that are to be merged need one function; where that has a seed, one seed. If strangers
   * choose the keys, take {@link KeyHash#seeded()}. Without a function, what takes the bytes of a
   * key throws {@link IllegalStateException}.
   *
   * @throws IllegalStateException if the filter holds keys that another function hashed, or one
   *     that it was not told
   */
  public QuotientFilter hashedBy(KeyHash hash) {
    Objects.requireNonNull(hash, "hash");
    if (!hash.equals(keyHash) && count() > 0) {
      throw new IllegalStateException("holds keys; choose the hash function before the first one");
    }
    keyHash = hash;
    return this;
  }

  @Override
  public KeyHash keyHash() {
    if (keyHash == null) {
      throw new IllegalStateException(
          "no function for keys: name it with hashedBy(KeyHash), or hand in hashes");
    }
    return keyHash;
  }

  /**
   * Adds a fingerprint, also beside an equal one: a multiset. Hash keys of strangers with a seed,
   * see {@link QuotientFilter}: many chosen hashes, or copies, make inserts slow.
   *
   * @throws IllegalStateException if the filter is full and cannot or must not grow
   */
  public void insert(long keyHash) {
    if (table.count() >= table.shape.capacity()) {
      grow();
    }
    table.insert(table.shape.place(keyHash), false);
    changes++;
  }

  /** {@link #insert(long)} of a key by its bytes, see {@link #hashedBy}. */
  public void insert(byte[] key) {
    insert(keyHash().hash(key));
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

  /** {@inheritDoc} It is faster where {@link #insert(long[], int, int)} is. */
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

  /** Reads a little of each key's slot, so that all are on their way from memory at once. */
  private void fetch(long[] keyHashes, int from, int end) {
    int read = 0;
    for (int i = from; i < end; i++) {
      read += table.peek(table.shape.place(keyHashes[i]));
    }
    fetched = read;
  }

  /**
   * Adds a fingerprint unless there is an equal one: a set. Hash keys of strangers with a seed, see
   * {@link QuotientFilter}: many chosen hashes make inserts slow.
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
    boolean inserted = table.insert(table.shape.place(keyHash), true);
    changes += inserted ? 1 : 0;
    return inserted;
  }

  /** {@link #insertIfAbsent(long)} of a key by its bytes, see {@link #hashedBy}. */
  public boolean insertIfAbsent(byte[] key) {
    return insertIfAbsent(keyHash().hash(key));
  }

  /**
   * Takes away one fingerprint of a key that was inserted.
   *
   * @return whether one was taken away; {@code false} is a refusal, which is counted: there is
   *     nothing like the key, and nothing changed
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

  /** {@link #delete(long)} of a key by its bytes, see {@link #hashedBy}. */
  public boolean delete(byte[] key) {
    return delete(keyHash().hash(key));
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
    QuotientShape shape = table.shape;
    long slots = growth.next(shape.slots());
    // A step of a few slots may not be enough for one fingerprint more.
    while (slots <= QuotientShape.MAX_SLOTS
        && shape.scheme().capacity((int) slots) <= table.count()) {
      slots = growth.next(slots);
    }
    try {
      resize((int) Math.min(slots, Integer.MAX_VALUE));
    } catch (IllegalArgumentException e) { // no room in a remainder, or in an array
      throw new IllegalStateException(
          "full: " + table.count() + " fingerprints, " + shape + ", growth " + growth, e);
    }
  }

  /**
   * Brings all fingerprints into another number of slots: nothing is hashed again, the rate stays.
   *
   * @throws IllegalArgumentException if the fingerprints would leave no or too many bits to the
   *     remainders, or would fill it beyond the scheme's highest load
   */
  public void resize(int slots) {
    QuotientShape shape = table.shape.withSlots(slots);
    checkLoad(table.count(), shape);
    table = fill(shape, fingerprints(), false);
    changes++;
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
   * The fingerprints in ascending order, repeats after each other. Good until the next change:
   * after an insert, a delete or a resize, going on throws {@link
   * java.util.ConcurrentModificationException}.
   */
  public FingerprintCursor fingerprints() {
    return new TableCursor<>(
        ByteAccess.ARRAY, table.bytes, QuotientTable.PAYLOAD, table.reader, keyHash, () -> changes);
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

  /** The false-positive rate: the share of all fingerprints that are held, each counted once. */
  public double expectedRate() {
    return table.rate();
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
        keyHash == null ? "not told" : keyHash,
        shape());
  }

  /** The filter as it is now, immutable, for any number of threads: a copy. */
  public ImageFilter freeze() {
    return toImage().open();
  }

  /** The filter as it is now, serialized: a copy. */
  public FilterImage toImage() {
    double rate = expectedRate();
    return QuotientLayout.image(table.image(), table.shape, keyHash, count(), rate, rate);
  }
}
