package io.winnow.cascade;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The level in memory: partitions by the top bits of the fingerprint, each of them sorted slots in
 * {@link SlotCoding} and a short array of slots that came since, in the order they came.
 *
 * <p>An insert appends to its partition's array. When that is full, it is sorted and merged with
 * the partition, which is small enough for a core's own cache: the cost of decoding and coding it,
 * a few ns a slot, is shared by the whole array's inserts. A quotient filter of this size takes a
 * cache miss or two and a shift of its cluster per insert, and needs empty slots to shift into.
 *
 * <p>One thread at a time adds; lookups by others see each added slot at once, and wait for at most
 * one partition's merge (some 50 microseconds).
 */
final class MemoryLevel extends Shared implements SlotSource {
  /** Slots that a partition takes in before it is coded anew. */
  static final int STAGED = 512;

  /** Slots that a full partition has about, at most. */
  static final int PARTITION_SLOTS = 10 << 10;

  /** So few bits are left of a slot that its order of arrival has a place beside it. */
  private static final int MIN_PARTITION_BITS = 4;

  private static final int MAX_PARTITION_BITS = 12;
  private static final int SPARE_WORDS = 8;

  private final SlotShape shape;
  private final int partitionBits;
  private final long expected;
  private final Partition[] partitions;
  private final Consumer<MemoryLevel> recycler;
  private final SlotBuffer decoded = new SlotBuffer();
  private final SlotBuffer merged = new SlotBuffer();
  private final SlotBuffer batch = new SlotBuffer();
  private volatile long entries;

  MemoryLevel(SlotShape shape, long expected, Consumer<MemoryLevel> recycler) {
    this.shape = shape;
    this.expected = expected;
    this.partitionBits = partitionBits(expected);
    this.recycler = recycler;
    this.partitions = new Partition[1 << partitionBits];
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = new Partition();
    }
  }

  static int partitionBits(long expected) {
    long partitions = Math.max(1, expected / PARTITION_SLOTS);
    int bits = 64 - Long.numberOfLeadingZeros(partitions);
    return Math.min(Math.max(bits, MIN_PARTITION_BITS), MAX_PARTITION_BITS);
  }

  /** Bytes for so many slots, all told. */
  static double bytesFor(SlotShape shape, long expected) {
    int partitions = 1 << partitionBits(expected);
    double coded = SlotCoding.bitsPerSlot(shape.bits(), expected, shape.minRemainderBits()) / 8;
    double each = (double) expected / partitions;
    return expected * coded * (1 + 4 / Math.sqrt(each))
        + partitions * (8.0 * STAGED + 8 * SPARE_WORDS + 128);
  }

  /** Adds a slot and returns how many there are now, repeats that were not merged yet included. */
  long add(long slot) {
    Partition partition = partitions[(int) (slot >>> shape.bits() - partitionBits)];
    int added;
    synchronized (partition) {
      if (partition.staged == null) {
        partition.staged = new long[STAGED];
      }
      partition.staged[partition.stagedCount++] = slot;
      added = 1;
      if (partition.stagedCount == STAGED) {
        added -= STAGED + partition.count;
        settle(partition);
        added += partition.count;
      }
    }
    long now = entries + added;
    entries = now; // one thread at a time adds
    return now;
  }

  /** What there is of a key's slot. */
  long find(long slot) {
    Partition partition = partitions[(int) (slot >>> shape.bits() - partitionBits)];
    synchronized (partition) {
      long copies =
          partition.count == 0
              ? Copies.NONE
              : SlotCoding.find(partition.words, partition.wordCount, slot, shape.deletes());
      long[] staged = partition.staged;
      for (int i = 0; i < partition.stagedCount; i++) {
        long other = staged[i];
        if (other == slot) {
          copies = Copies.then(copies, false);
        } else if (shape.deletes() && other == (slot | 1)) {
          copies = Copies.then(copies, true);
        }
      }
      return copies;
    }
  }

  boolean isEmpty() {
    return entries == 0;
  }

  /** Merges what a partition took in with the rest of it. */
  private void settle(Partition partition) {
    partition.stagedInto(batch);
    partition.codedInto(decoded);
    SlotMerge.merge(shape, batch, decoded, false, merged);
    int span = shape.bits() - partitionBits;
    int r = SlotCoding.bestRemainderBits(span, merged.size, shape.minRemainderBits());
    partition.stagedCount = 0;
    partition.count = merged.size;
    if (merged.size == 0) {
      return;
    }
    int needed = Math.toIntExact(SlotCoding.wordsFor(merged.slots, 0, merged.size, r));
    if (partition.words == null || partition.words.length <= needed) {
      partition.words = new long[Math.max(needed + needed / 8, expectedWords()) + SPARE_WORDS];
    }
    partition.wordCount = needed;
    SlotCoding.encode(merged.slots, 0, merged.size, r, partition.words, needed);
  }

  private int expectedWords() {
    double each = (double) expected / partitions.length;
    double most = each + 4 * Math.sqrt(each);
    int span = shape.bits() - partitionBits;
    return (int) (most * SlotCoding.bitsPerSlot(span, each, shape.minRemainderBits()) / 64);
  }

  @Override
  public int sections() {
    return partitions.length;
  }

  @Override
  public long fence(int section) {
    return shape.fence((long) section << shape.bits() - partitionBits);
  }

  @Override
  public long entries() {
    return entries;
  }

  @Override
  public int sectionsFor(int bytes) {
    double all = bytesFor(shape, Math.max(entries, 1));
    return (int) Math.max(1, Math.min(partitions.length, bytes * (double) partitions.length / all));
  }

  @Override
  public void decode(int fromSection, int toSection, SlotBuffer out) {
    SlotBuffer coded = new SlotBuffer();
    SlotBuffer staged = new SlotBuffer();
    SlotBuffer both = new SlotBuffer();
    for (int i = fromSection; i < toSection; i++) {
      Partition partition = partitions[i];
      synchronized (partition) {
        partition.stagedInto(staged);
        partition.codedInto(coded);
      }
      SlotMerge.merge(shape, staged, coded, false, both);
      out.ensure(out.size + both.size);
      System.arraycopy(both.slots, 0, out.slots, out.size, both.size);
      out.size += both.size;
    }
  }

  /** The same slots, for who needs them to stay as they are. No thread may add meanwhile. */
  MemoryLevel copy() {
    MemoryLevel copy = new MemoryLevel(shape, expected, ended -> {});
    for (int i = 0; i < partitions.length; i++) {
      copy.partitions[i].copy(partitions[i]);
    }
    copy.entries = entries;
    return copy;
  }

  /** Forgets all slots and keeps the memory. Nobody else may have it. */
  void clear() {
    for (Partition partition : partitions) {
      partition.count = 0;
      partition.stagedCount = 0;
    }
    entries = 0;
  }

  @Override
  void ended() {
    recycler.accept(this);
  }

  /** Guarded by itself. */
  private final class Partition {
    private long[] staged;
    private int stagedCount;
    private long[] words;
    private int wordCount;
    private int count;

    void codedInto(SlotBuffer out) {
      out.size = 0;
      if (count > 0) {
        out.ensure(count);
        out.size = SlotCoding.decode(words, wordCount, out.slots, 0);
      }
    }

    /** What came since, sorted, each fingerprint's operations brought together. */
    void stagedInto(SlotBuffer out) {
      out.size = 0;
      if (stagedCount == 0) {
        return;
      }
      out.ensure(stagedCount * 2);
      if (shape.deletes()) {
        out.size = sortedCopies(out.slots);
      } else {
        System.arraycopy(staged, 0, out.slots, 0, stagedCount);
        out.size = sortedSet(out.slots, stagedCount);
      }
    }

    private int sortedSet(long[] slots, int count) {
      Arrays.sort(slots, 0, count);
      int n = 0;
      for (int i = 0; i < count; i++) {
        slots[n] = slots[i];
        n += i + 1 == count || slots[i + 1] != slots[i] ? 1 : 0;
      }
      return n;
    }

    /** Sorts by fingerprint, and by order of arrival where that is the same. */
    private int sortedCopies(long[] out) {
      int orderBits = 32 - Integer.numberOfLeadingZeros(STAGED - 1);
      int spanBits = shape.bits() - partitionBits;
      long top = staged[0] >>> spanBits << spanBits;
      long spanMask = (1L << spanBits) - 1;
      long[] sorted = new long[stagedCount];
      for (int i = 0; i < stagedCount; i++) {
        long slot = staged[i] & spanMask;
        sorted[i] = (slot >>> 1) << orderBits + 1 | (long) i << 1 | slot & 1;
      }
      Arrays.sort(sorted);
      int n = 0;
      for (int i = 0; i < stagedCount; ) {
        long fingerprint = sorted[i] >>> orderBits + 1;
        if (i + 1 == stagedCount || sorted[i + 1] >>> orderBits + 1 != fingerprint) {
          out[n++] = top | fingerprint << 1 | sorted[i] & 1;
          i++;
          continue;
        }
        long copies = Copies.NONE;
        for (; i < stagedCount && sorted[i] >>> orderBits + 1 == fingerprint; i++) {
          copies = Copies.then(copies, (sorted[i] & 1) != 0);
        }
        n = SlotMerge.put(top >>> 1 | fingerprint, copies, false, out, n);
      }
      return n;
    }

    void copy(Partition other) {
      synchronized (other) {
        staged = other.stagedCount == 0 ? null : other.staged.clone();
        stagedCount = other.stagedCount;
        words = other.count == 0 ? null : other.words.clone();
        wordCount = other.wordCount;
        count = other.count;
      }
    }
  }
}
