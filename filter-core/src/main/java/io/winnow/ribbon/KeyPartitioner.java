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
  private int bits;

  /** After this, {@link #mixed} holds the mixed hashes in the order of their partitions. */
  void partition(long[] hashes, int count, long seedMask) {
    if (mixed.length < count) {
      mixed = new long[count];
    }
    bits = 0;
    while (bits < MAX_BITS && (count >>> bits) > KEYS_PER_PARTITION) {
      bits++;
    }
    if (bits == 0) {
      for (int i = 0; i < count; i++) {
        mixed[i] = RibbonHasher.mix(hashes[i], seedMask);
      }
      ends = new int[] {count};
      return;
    }
    int shift = 64 - bits;
    int[] next = new int[1 << bits];
    for (int i = 0; i < count; i++) {
      next[(int) (RibbonHasher.mix(hashes[i], seedMask) >>> shift)]++;
    }
    int begin = 0;
    for (int partition = 0; partition < next.length; partition++) {
      int size = next[partition];
      next[partition] = begin;
      begin += size;
    }
    long[] out = mixed;
    for (int i = 0; i < count; i++) {
      long x = RibbonHasher.mix(hashes[i], seedMask);
      out[next[(int) (x >>> shift)]++] = x;
    }
    ends = next;
  }

  long[] mixed() {
    return mixed;
  }

  /** Whether the hash at {@code index} also stands earlier. */
  boolean hasEarlierEqual(int index) {
    long x = mixed[index];
    int partition = bits == 0 ? 0 : (int) (x >>> (64 - bits));
    for (int i = partition == 0 ? 0 : ends[partition - 1]; i < index; i++) {
      if (mixed[i] == x) {
        return true;
      }
    }
    return false;
  }
}
