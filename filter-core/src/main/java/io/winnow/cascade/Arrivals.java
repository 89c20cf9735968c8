package io.winnow.cascade;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What came into each partition of a {@link MemoryLevel} since that was last sorted and coded: some
 * slots a partition, in the order they came, without their top bits, which the partition has, in as
 * few bytes each as hold the rest.
 *
 * <p>Beside them, each partition has marks, 32 to 4096 bits: at least two for each slot that it has
 * room for, and a power of two. The lowest 5 to 12 bits of a fingerprint are the number of its
 * mark, so a key and its tombstones have the same one. A mark that is not set says that no slot of
 * the fingerprint came since the partition was cleared. This saves most lookups the way through all
 * slots, which would take about a microsecond, for 2 % of the memory.
 *
 * <p>One thread at a time appends, sorts and clears. Others may find meanwhile, if they keep out
 * clearing. A slot is written first, then its mark, and then its partition's number of slots, which
 * publishes both: who sees a number of slots sees them and their marks. Until then the slot is not
 * there, and its insert has not returned.
 */
final class Arrivals {
  /** Slots of a partition at most. */
  static final int MOST = 2048;

  /** A slot is written as eight bytes, of which the next one takes back what it does not need. */
  private static final int OVERHANG = Long.BYTES - 1;

  /** Partitions of one array: 16 MiB at most. */
  private static final int BLOCK_PARTITION_BITS = 10;

  /** Marks for each slot of a full partition, at least. */
  private static final int MARKS_PER_SLOT = 2;

  private static final VarHandle SLOTS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(int[].class);
  private static final VarHandle MARKS = MethodHandles.arrayElementVarHandle(int[].class);

  private final SlotShape shape;
  private final int spanBits;

  /** Slots of a partition at most. */
  final int most;

  private final int slotBytes;
  private final int stride;
  private final byte[][] blocks;
  private final int[] counts;

  /** Words of a partition's marks, a power of two. */
  private final int markWords;

  private final int[] marks;

  /**
   * @param most slots of a partition, 1 to {@value #MOST}
   */
  Arrivals(SlotShape shape, int partitionBits, int most) {
    this.shape = shape;
    this.spanBits = shape.bits() - partitionBits;
    this.most = most;
    this.slotBytes = slotBytes(spanBits);
    this.stride = stride(spanBits, most);
    int blockBits = Math.min(partitionBits, BLOCK_PARTITION_BITS);
    this.blocks = new byte[1 << partitionBits - blockBits][stride << blockBits];
    this.counts = new int[1 << partitionBits];
    this.markWords = markWords(most);
    this.marks = new int[markWords(partitionBits, most)];
  }

  /** A power of two. */
  private static int markWords(int most) {
    int marks = MARKS_PER_SLOT * most;
    return Math.max(1, Integer.highestOneBit(2 * marks - 1) / Integer.SIZE);
  }

  /** Words of all partitions' marks: 2^27 at most, by the limits of {@link MemoryLevel}. */
  private static int markWords(int partitionBits, int most) {
    return Math.toIntExact((long) markWords(most) << partitionBits);
  }

  /** The word with a slot's mark: the bits of the fingerprint above its lowest five say which. */
  private int markWord(int partition, long slot) {
    return partition * markWords + (markBit(slot) >>> 5 & markWords - 1);
  }

  /** The mark's place in its word is in the lowest five bits, all that a shift of an int takes. */
  private int markBit(long slot) {
    return (int) shape.fingerprintOf(slot);
  }

  /** Whether a slot of the same fingerprint may be there: false is certain. */
  boolean isMarked(int partition, long slot) {
    int word = (int) MARKS.getOpaque(marks, markWord(partition, slot));
    return (word >>> markBit(slot) & 1) != 0;
  }

  private byte[] block(int partition) {
    return blocks[partition >>> BLOCK_PARTITION_BITS];
  }

  /** Where a partition begins in its block. */
  private int start(int partition) {
    return (partition & (1 << BLOCK_PARTITION_BITS) - 1) * stride;
  }

  private static int slotBytes(int spanBits) {
    return (spanBits + Byte.SIZE - 1) / Byte.SIZE;
  }

  private static int stride(int spanBits, int most) {
    return most * slotBytes(spanBits) + OVERHANG;
  }

  static long bytesFor(SlotShape shape, int partitionBits, int most) {
    long each = stride(shape.bits() - partitionBits, most) + Integer.BYTES;
    return (each << partitionBits) + (long) Integer.BYTES * markWords(partitionBits, most);
  }

  /** Whether a partition has room for no more. For who appends. */
  boolean isFull(int partition) {
    return counts[partition] == most;
  }

  /** How many more a partition has room for. For who appends. */
  int room(int partition) {
    return most - counts[partition];
  }

  /** Appends a slot to a partition that is not full. */
  void append(int partition, long slot) {
    int count = counts[partition];
    SLOTS.set(block(partition), start(partition) + count * slotBytes, slot);
    int word = markWord(partition, slot);
    MARKS.setOpaque(marks, word, marks[word] | 1 << markBit(slot));
    COUNTS.setRelease(counts, partition, count + 1);
  }

  /** What the slots of a partition come to for a key's slot. */
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

  /** The slots of a partition, sorted, each fingerprint's operations brought together. */
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

  /** Into buckets of the bits from {@code shift} on, each in the order they came. */
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
   * Sorts what is nearly sorted, by all bits but the {@code ignored} lowest, and leaves the order
   * of equals.
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

  private static int withoutRepeats(long[] slots, int count, long top) {
    int n = 0;
    for (int i = 0; i < count; i++) {
      long slot = slots[i];
      slots[n] = top | slot;
      n += i + 1 == count || slots[i + 1] != slot ? 1 : 0;
    }
    return n;
  }

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

  /** Forgets a partition's slots; nobody else may find in it. */
  void clear(int partition) {
    counts[partition] = 0;
    Arrays.fill(marks, partition * markWords, (partition + 1) * markWords, 0);
  }

  /** Forgets all; nobody else may have it. */
  void clear() {
    Arrays.fill(counts, 0);
    Arrays.fill(marks, 0);
  }

  /** A thread's own memory for sorting; in {@code sorted} what came of it. */
  static final class Batch {
    /** So that a bucket of a full partition has one slot on the average. */
    private static final int BUCKET_BITS = 31 - Integer.numberOfLeadingZeros(MOST);

    final SlotBuffer sorted = new SlotBuffer();
    private final long[] arrived = new long[MOST];
    private final int[] ends = new int[(1 << BUCKET_BITS) + 1];
  }
}
