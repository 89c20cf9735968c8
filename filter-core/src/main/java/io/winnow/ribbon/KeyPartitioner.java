package io.winnow.ribbon;

/**
 * Mixes the hashes for a seed and brings them roughly into the order of their starts, by one radix
 * pass over their top bits, so that what elimination touches next is in the nearest cache.
 *
 * <p>Partitions of a few hundred hashes are as good as a full sort; above a few thousand partitions
 * the pass itself leaves the cache. The scratch array is kept. Not thread-safe.
 */
final class KeyPartitioner {
  private static final int KEYS_PER_PARTITION = 512;
  private static final int MAX_BITS = 11;

  private long[] mixed = {};
  private int[] ends = {};
  private int count;
  private long sum;

  /** After this, {@link #mixed} holds the mixed hashes in the order of their partitions. */
  void partition(long[] hashes, int newCount, long seedMask) {
    count = newCount;
    if (mixed.length < count) {
      mixed = new long[count];
    }
    int bits = 1;
    while (bits < MAX_BITS && (count >>> bits) > KEYS_PER_PARTITION) {
      bits++;
    }
    int shift = 64 - bits;
    int[] next = new int[1 << bits];
    long newSum = 0;
    for (int i = 0; i < count; i++) {
      long x = RibbonHasher.mix(hashes[i], seedMask);
      next[(int) (x >>> shift)]++;
      newSum += x;
    }
    sum = newSum;
    beginsOf(next, next.length);
    long[] out = mixed;
    for (int i = 0; i < count; i++) {
      long x = RibbonHasher.mix(hashes[i], seedMask);
      out[next[(int) (x >>> shift)]++] = x;
    }
    ends = next; // where each partition began, its end stands now
  }

  /** Makes of the sizes of parts where each of them begins. */
  static void beginsOf(int[] sizes, int parts) {
    int begin = 0;
    for (int part = 0; part < parts; part++) {
      int size = sizes[part];
      sizes[part] = begin;
      begin += size;
    }
  }

  /** Where each partition ends in {@link #mixed}. */
  int[] ends() {
    return ends;
  }

  long[] mixed() {
    return mixed;
  }

  int count() {
    return count;
  }

  /** The sum of the mixed hashes as they were before they were moved. */
  long sum() {
    return sum;
  }
}
