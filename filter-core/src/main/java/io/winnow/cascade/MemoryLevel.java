package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A level of a cascade filter in memory, which takes inserts and is later written to flash. It is
 * divided into partitions by the top bits of the fingerprint. Each partition has sorted slots,
 * coded by {@link SlotCoding}, and an array of the slots that came later ({@link Arrivals}).
 *
 * <p>An insert appends to its partition's array. If the array is full, it is first sorted and
 * merged with the partition, which is small enough for a core's own cache. The inserts of an array
 * share the cost of decoding and coding, a few ns per slot. A quotient filter of this size would
 * cost each insert one or two cache misses and a shift of its cluster, and needs empty slots for
 * the shifts.
 *
 * <p>One thread at a time adds. Lookups of other threads see each added slot at once, and wait for
 * at most the merge of one partition (some 50 microseconds). Adding waits for lookups only when it
 * merges: an appended slot is published by its partition's number of arrivals.
 */
final class MemoryLevel extends Shared implements SlotSource {
  /**
   * Factor by which a partition may exceed its share of the slots before the memory level counts as
   * full. Only crafted hashes reach it.
   */
  private static final int CROWDED = 16;

  private final SlotShape shape;
  private final int spanBits;
  private final long expected;
  private final Partition[] partitions;
  private final Arrivals arrivals;
  private final Consumer<MemoryLevel> recycler;
  private final SlotBuffer decoded = new SlotBuffer();
  private final SlotBuffer merged = new SlotBuffer();
  private final Arrivals.Batch batch = new Arrivals.Batch();

  private final long maxPartitionSlots;
  private boolean crowded;

  /**
   * Number of slots in this memory level. The adding thread writes it; others see it a little
   * later.
   */
  private final AtomicLong entries = new AtomicLong();

  /**
   * Allocates an empty memory level.
   *
   * @param expected slots at which the level is full
   * @param recycler receives the level after its last release
   */
  MemoryLevel(SlotShape shape, long expected, Consumer<MemoryLevel> recycler) {
    this.shape = shape;
    this.expected = expected;
    MemoryLayout layout = MemoryLayout.of(shape, expected);
    this.spanBits = layout.spanBits;
    this.partitions = new Partition[1 << layout.partitionBits];
    this.maxPartitionSlots =
        CROWDED * Math.max(MemoryLayout.PARTITION_SLOTS, expected / partitions.length);
    this.recycler = recycler;
    this.arrivals = new Arrivals(shape, layout);
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = new Partition();
    }
  }

  /** Adds a slot to this memory level. If there is no memory, it throws and changes nothing. */
  void add(long slot) {
    makeRoom(slot);
    arrivals.append((int) (slot >>> spanBits), slot);
    entries.setRelease(entries.getPlain() + 1); // only one thread at a time adds
  }

  /**
   * Makes room for a slot in this memory level, so that adding it next cannot fail. Repeated slots
   * count as entries until they are merged here.
   */
  void makeRoom(long slot) {
    int number = (int) (slot >>> spanBits);
    if (arrivals.room(number) == 0) {
      Partition partition = partitions[number];
      synchronized (partition) {
        long others = entries.getPlain() - arrivals.maxSlots - partition.count;
        settle(number, partition);
        entries.setRelease(others + partition.count);
        crowded |= partition.count > maxPartitionSlots;
      }
    }
  }

  /**
   * Makes room for the slot that follows the given slots of an array, if that is possible before
   * these are added; for these there is room already.
   *
   * @return false if there can be no room before these are added
   */
  boolean makeRoom(long[] slots, int from, int count) {
    int number = (int) (slots[from + count] >>> spanBits);
    int before = 0;
    for (int i = from; i < from + count; i++) {
      before += (int) (slots[i] >>> spanBits) == number ? 1 : 0;
    }
    if (before == 0) {
      makeRoom(slots[from + count]);
      return true;
    }
    return arrivals.room(number) > before;
  }

  /**
   * Returns whether this memory level should take no more slots: it has as many as expected, or so
   * many in one partition that merging that one would take too long. Only the adding thread may
   * call it.
   */
  boolean isFull() {
    return entries.getPlain() >= expected || crowded;
  }

  /**
   * Returns the counts of the inserts and deletes of a key's fingerprint in this memory level, as
   * {@link Copies}.
   */
  long find(long slot) {
    int number = (int) (slot >>> spanBits);
    Partition partition = partitions[number];
    synchronized (partition) {
      long copies =
          partition.count == 0
              ? Copies.NONE
              : SlotCoding.find(partition.words, partition.wordCount, slot, shape.deletes);
      return Copies.followedBy(copies, arrivals.find(number, slot));
    }
  }

  boolean isEmpty() {
    return entries() == 0;
  }

  /**
   * Sorts the new slots of a partition and merges them with its coded slots. It allocates
   * everything before it changes anything.
   */
  private void settle(int number, Partition partition) {
    arrivals.sort(number, batch);
    partition.codedInto(decoded);
    SlotBuffer.merge(shape, batch.sorted, decoded, false, merged);
    int r = SlotShape.bestRemainderBits(spanBits, merged.size, shape.minRemainderBits());
    if (merged.size > 0) {
      int needed = Math.toIntExact(SlotCoding.wordsFor(merged.slots, 0, merged.size, r));
      if (partition.words == null || partition.words.length <= needed) {
        int words = Math.max(needed + needed / 8, expectedWords());
        partition.words = new long[words + MemoryLayout.SPARE_WORDS];
      }
      SlotCoding.encode(merged.slots, 0, merged.size, r, partition.words, needed);
      partition.wordCount = needed;
    }
    partition.count = merged.size;
    arrivals.clear(number);
  }

  private int expectedWords() {
    double each = (double) expected / partitions.length;
    double most = each + 4 * Math.sqrt(each);
    return (int) (most * SlotShape.bitsPerSlot(spanBits, each, shape.minRemainderBits()) / 64);
  }

  @Override
  public int sections() {
    return partitions.length;
  }

  @Override
  public long fence(int section) {
    return shape.fence((long) section << spanBits);
  }

  @Override
  public long entries() {
    return entries.getAcquire();
  }

  @Override
  public int sectionsFor(int bytes) {
    double all = MemoryLayout.bytesFor(shape, Math.max(entries(), 1));
    return (int) Math.max(1, Math.min(partitions.length, bytes * (double) partitions.length / all));
  }

  @Override
  public void decode(int fromSection, int toSection, SlotBuffer out, Damage damage) {
    SlotBuffer coded = new SlotBuffer();
    Arrivals.Batch arrived = new Arrivals.Batch();
    SlotBuffer both = new SlotBuffer();
    for (int i = fromSection; i < toSection; i++) {
      Partition partition = partitions[i];
      synchronized (partition) {
        arrivals.sort(i, arrived);
        partition.codedInto(coded);
      }
      SlotBuffer.merge(shape, arrived.sorted, coded, false, both);
      out.ensure(out.size + both.size);
      System.arraycopy(both.slots, 0, out.slots, out.size, both.size);
      out.size += both.size;
    }
  }

  /**
   * Removes all slots of this memory level and keeps its arrays. No other thread may use the level.
   */
  void clear() {
    for (Partition partition : partitions) {
      partition.count = 0;
    }
    arrivals.clear();
    crowded = false;
    entries.setPlain(0);
  }

  @Override
  void ended() {
    recycler.accept(this);
  }

  /** The sorted and coded slots of one partition of a memory level. Guarded by its own monitor. */
  private static final class Partition {
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
  }
}
