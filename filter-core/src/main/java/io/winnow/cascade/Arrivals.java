package io.winnow.cascade;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Fingerprints that each partition of a cascade filter's {@link MemoryLevel} received since the
 * partition was last sorted and coded. A partition keeps them in the order of their arrival, in an
 * array, without their top bits (the partition's number), in the fewest whole bytes that hold the
 * other bits.
 *
 * <p>Each partition also has marks, 32 to 4096 bits: at least two for each slot that it has room
 * for, rounded up to a power of two. The lowest 5 to 12 bits of a fingerprint are the number of its
 * mark, so a key and its tombstones have the same mark. A mark that is not set says that no slot of
 * the fingerprint came since the partition was cleared. Most lookups need not scan the slots then,
 * which would take about a microsecond. The marks take 2 % of the memory.
 *
 * <p>One thread at a time appends, sorts and clears. Other threads may look slots up meanwhile,
 * except while a partition is cleared. A slot is written first, then its mark, and then the
 * partition's number of slots, which publishes both: a thread that sees the number sees these slots
 * and their marks. Before that the slot is not visible, and its insert has not returned.
 */
final class Arrivals {
  /** Log2 of the number of partitions that share one byte array, which has at most 16 MiB. */
  private static final int BLOCK_PARTITION_BITS = 10;

  private static final VarHandle SLOTS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(int[].class);
  private static final VarHandle MARKS = MethodHandles.arrayElementVarHandle(int[].class);

  private final SlotShape shape;
  private final int spanBits;

  /** Number of new fingerprints that a memory level's partition has room for. */
  final int maxSlots;

  private final int slotBytes;
  private final int stride;
  private final byte[][] blocks;
  private final int[] counts;

  /**
   * Number of {@code int} words that hold the mark bits (a small Bloom filter) of one partition, a
   * power of two.
   */
  private final int markWords;

  private final int[] marks;

  /** Allocates empty arrays of fingerprint slots for all partitions of a memory level. */
  Arrivals(SlotShape shape, MemoryLayout layout) {
    this.shape = shape;
    this.spanBits = layout.spanBits;
    this.maxSlots = layout.maxArrivals;
    this.slotBytes = layout.slotBytes;
    this.stride = layout.stride;
    int blockBits = Math.min(layout.partitionBits, BLOCK_PARTITION_BITS);
    this.blocks = new byte[1 << layout.partitionBits - blockBits][stride << blockBits];
    this.counts = new int[1 << layout.partitionBits];
    this.markWords = layout.markWords;
    this.marks = new int[layout.allMarkWords()];
  }

  /**
   * Returns the index of the {@code int} word that has the mark bit of a fingerprint slot. The bits
   * of the fingerprint above its lowest five select the word within the partition.
   */
  private int markWord(int partition, long slot) {
    return partition * markWords + (markBit(slot) >>> 5 & markWords - 1);
  }

  /**
   * Returns the bit of a slot's mark in its {@code int} word: the lowest five bits of the
   * fingerprint, since the shift of an {@code int} ignores the others.
   */
  private int markBit(long slot) {
    return (int) shape.fingerprintOf(slot);
  }

  /**
   * Returns whether a memory level's partition may have received a given fingerprint; {@code false}
   * is certain.
   */
  boolean isMarked(int partition, long slot) {
    int word = (int) MARKS.getOpaque(marks, markWord(partition, slot));
    return (word >>> markBit(slot) & 1) != 0;
  }

  private byte[] block(int partition) {
    return blocks[partition >>> BLOCK_PARTITION_BITS];
  }

  /**
   * Returns the offset at which the new fingerprints of a memory level's partition begin in the
   * byte array that it shares with others.
   */
  private int start(int partition) {
    return (partition & (1 << BLOCK_PARTITION_BITS) - 1) * stride;
  }

  /**
   * Returns the number of new fingerprints for which a memory level's partition still has room.
   * Only the appending thread may call it.
   */
  int room(int partition) {
    return maxSlots - counts[partition];
  }

  /**
   * Appends a fingerprint to the new ones of a memory level's partition, which must have room for
   * it.
   */
  void append(int partition, long slot) {
    int count = counts[partition];
    SLOTS.set(block(partition), start(partition) + count * slotBytes, slot);
    int word = markWord(partition, slot);
    MARKS.setOpaque(marks, word, marks[word] | 1 << markBit(slot));
    COUNTS.setRelease(counts, partition, count + 1);
  }

  /**
   * Returns the counts of the inserts and deletes that a memory level's partition has received of
   * the fingerprint of {@code slot}, as {@link Copies}.
   */
  long find(int partition, long slot) {
    int count = (int) COUNTS.getAcquire(counts, partition); // before the marks of all these
    if (!isMarked(partition, slot)) {
      return Copies.NONE;
    }
    long mask = (1L << spanBits) - 1;
    long either = shape.deletes ? ~1L : ~0L;
    long wanted = slot & mask & either;
    long copies = Copies.NONE;
    byte[] slots = block(partition);
    int at = start(partition);
    for (int i = 0; i < count; i++, at += slotBytes) {
      long other = (long) SLOTS.get(slots, at) & mask;
      if ((other & either) == wanted) {
        copies = Copies.followedBy(copies, other != wanted);
      }
    }
    return copies;
  }

  /**
   * Sorts the fingerprint slots that a partition received, and combines the inserts and deletes of
   * each fingerprint; the result is in the buffers of the thread's batch.
   */
  void sort(int partition, Batch batch) {
    SlotBuffer out = batch.sorted;
    int count = counts[partition];
    out.size = 0;
    if (count == 0) {
      return;
    }
    long[] arrived = batch.arrived;
    long mask = (1L << spanBits) - 1;
    byte[] slots = block(partition);
    for (int i = 0, at = start(partition); i < count; i++, at += slotBytes) {
      arrived[i] = (long) SLOTS.get(slots, at) & mask;
    }
    out.ensure(count * 2);
    // keys and tombstones of a fingerprint are in one bucket, whose order is the one they came in
    int shift = Math.max(spanBits - Batch.BUCKET_BITS, shape.minRemainderBits());
    scatter(arrived, count, batch.ends, shift, out.slots);
    long top = (long) partition << spanBits;
    if (shape.deletes) {
      insertionSort(out.slots, count, 1);
      System.arraycopy(out.slots, 0, arrived, 0, count);
      out.size = bringTogether(arrived, count, top, out.slots);
    } else {
      insertionSort(out.slots, count, 0);
      out.size = withoutRepeats(out.slots, count, top);
    }
  }

  /**
   * Distributes fingerprint slots into buckets by their bits from a given one on, and keeps their
   * order within a bucket.
   */
  private static void scatter(long[] from, int count, int[] ends, int shift, long[] to) {
    Arrays.fill(ends, 0);
    for (int i = 0; i < count; i++) {
      ends[(int) (from[i] >>> shift) + 1]++;
    }
    for (int bucket = 1; bucket < ends.length; bucket++) {
      ends[bucket] += ends[bucket - 1];
    }
    for (int i = 0; i < count; i++) {
      to[ends[(int) (from[i] >>> shift)]++] = from[i];
    }
  }

  /**
   * Sorts fingerprint slots that are nearly sorted, by all bits except the {@code ignored} lowest.
   * Equal slots keep their order.
   */
  private static void insertionSort(long[] slots, int count, int ignored) {
    for (int i = 1; i < count; i++) {
      long slot = slots[i];
      int at = i;
      while (at > 0 && slots[at - 1] >>> ignored > slot >>> ignored) {
        slots[at] = slots[at - 1];
        at--;
      }
      slots[at] = slot;
    }
  }

  /**
   * Removes repeated fingerprint slots from a sorted array, and adds the partition's top bits to
   * the others.
   */
  private static int withoutRepeats(long[] slots, int count, long top) {
    int n = 0;
    for (int i = 0; i < count; i++) {
      long slot = slots[i];
      slots[n] = top | slot;
      n += i + 1 == count || slots[i + 1] != slot ? 1 : 0;
    }
    return n;
  }

  /**
   * Replaces the inserts and deletes of each fingerprint in a sorted array by the fewest slots that
   * mean the same.
   */
  private static int bringTogether(long[] sorted, int count, long top, long[] out) {
    int n = 0;
    for (int i = 0; i < count; ) {
      int end = SlotBuffer.endOfRun(sorted, i, count);
      if (end == i + 1) {
        out[n++] = top | sorted[i];
      } else {
        long copies = Copies.NONE;
        for (int j = i; j < end; j++) {
          copies = Copies.followedBy(copies, (sorted[j] & 1) != 0);
        }
        n = SlotBuffer.put((top | sorted[i]) >>> 1, copies, false, out, n);
      }
      i = end;
    }
    return n;
  }

  /**
   * Removes all new fingerprints of one partition of a memory level. No other thread may look slots
   * up in it meanwhile.
   */
  void clear(int partition) {
    counts[partition] = 0;
    Arrays.fill(marks, partition * markWords, (partition + 1) * markWords, 0);
  }

  /**
   * Removes all new fingerprints of all partitions of a memory level. No other thread may use this
   * object meanwhile.
   */
  void clear() {
    Arrays.fill(counts, 0);
    Arrays.fill(marks, 0);
  }

  /**
   * Buffers that one thread needs to sort a partition of a memory level; {@code sorted} has the
   * result.
   */
  static final class Batch {
    /**
     * Log2 of the number of buckets into which a partition is sorted: a bucket of a full partition
     * has one slot on average.
     */
    private static final int BUCKET_BITS =
        31 - Integer.numberOfLeadingZeros(MemoryLayout.MAX_ARRIVALS);

    final SlotBuffer sorted = new SlotBuffer();
    private final long[] arrived = new long[MemoryLayout.MAX_ARRIVALS];
    private final int[] ends = new int[(1 << BUCKET_BITS) + 1];
  }
}
