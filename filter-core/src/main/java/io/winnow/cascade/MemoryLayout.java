package io.winnow.cascade;

/**
 * Sizes of the parts of a cascade filter's {@link MemoryLevel}: of its partitions, and of the
 * arrays in which these collect new slots ({@link Arrivals}).
 */
final class MemoryLayout {
  /** Approximate maximum of slots in a full partition of a memory level. */
  static final int PARTITION_SLOTS = 10 << 10;

  /**
   * Maximum of fingerprints in the array in which a partition of a memory level collects inserts
   * before it is sorted.
   */
  static final int MAX_ARRIVALS = 2048;

  /** Number of words that a partition's array has for growth. */
  static final int SPARE_WORDS = 8;

  /**
   * Maximum of a partition's slots, divided by the size of the array that collects its new slots.
   */
  private static final int PARTITION_PER_ARRIVALS = 5;

  private static final int MIN_PARTITION_BITS = 4;
  private static final int MAX_PARTITION_BITS = 20;

  /** Minimum of fingerprint bits that distinguish the slots within a partition. */
  private static final int MIN_SPAN_BITS = 4;

  /**
   * Number of bytes after the last slot of a partition's array: each slot is written as eight
   * bytes, and the next one overwrites those that it does not need.
   */
  private static final int OVERHANG = Long.BYTES - 1;

  /** Minimum of mark bits (of a one-hash Bloom filter) for each slot of a full partition. */
  private static final int MARKS_PER_SLOT = 2;

  final int partitionBits;

  /** Number of bits that distinguish the slots within a partition. */
  final int spanBits;

  /** Number of new fingerprints that a memory level's partition has room for. */
  final int maxArrivals;

  /** Number of bytes of a slot in the array that collects a partition's new slots. */
  final int slotBytes;

  /** Number of bytes of the array that collects a partition's new slots. */
  final int stride;

  /**
   * Number of {@code int} words that hold the mark bits (a small Bloom filter) of one partition, a
   * power of two.
   */
  final int markWords;

  /**
   * Computes the sizes from the number of partitions.
   *
   * @param maxArrivals new slots that a partition has room for, 1 to {@value #MAX_ARRIVALS}
   */
  MemoryLayout(SlotShape shape, int partitionBits, int maxArrivals) {
    this.partitionBits = partitionBits;
    this.spanBits = shape.bits() - partitionBits;
    this.maxArrivals = maxArrivals;
    this.slotBytes = (spanBits + Byte.SIZE - 1) / Byte.SIZE;
    this.stride = maxArrivals * slotBytes + OVERHANG;
    int marks = MARKS_PER_SLOT * maxArrivals;
    this.markWords = Math.max(1, Integer.highestOneBit(2 * marks - 1) / Integer.SIZE);
  }

  /** Returns the sizes of a memory level for a given number of slots. */
  static MemoryLayout of(SlotShape shape, long expected) {
    int bits = 64 - Long.numberOfLeadingZeros(Math.max(1, expected / PARTITION_SLOTS));
    int most = Math.min(MAX_PARTITION_BITS, shape.fingerprintBits - MIN_SPAN_BITS);
    int partitionBits = Math.min(Math.max(bits, MIN_PARTITION_BITS), most);
    long arrivals = (expected >>> partitionBits) / PARTITION_PER_ARRIVALS;
    return new MemoryLayout(
        shape, partitionBits, (int) Math.min(Math.max(arrivals, 1), MAX_ARRIVALS));
  }

  /** Returns the number of {@code int} words of the marks of all partitions: at most 2^27. */
  int allMarkWords() {
    return Math.toIntExact((long) markWords << partitionBits);
  }

  /** Returns the bytes of memory that a memory level for a given number of slots takes. */
  static double bytesFor(SlotShape shape, long expected) {
    MemoryLayout layout = of(shape, expected);
    int partitions = 1 << layout.partitionBits;
    double coded = shape.bytes(expected) * (1 + 4 / Math.sqrt((double) expected / partitions));
    double arrivals = partitions * (double) (layout.stride + Integer.BYTES);
    double marks = Integer.BYTES * (double) layout.allMarkWords();
    return coded + arrivals + marks + partitions * (8 * SPARE_WORDS + 64.0);
  }
}
