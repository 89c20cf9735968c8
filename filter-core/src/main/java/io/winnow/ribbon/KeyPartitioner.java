package io.winnow.ribbon;

import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;

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
  private int count;
  private long sum;

  /** After this, {@link #mixed} holds the mixed hashes in the order of their partitions. */
  void partition(long[] hashes, int newCount, long seedMask) {
    count = newCount;
    sum = 0;
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
        sum += mixed[i];
      }
      ends = new int[] {count};
      return;
    }
    int shift = 64 - bits;
    int[] next = new int[1 << bits];
    for (int i = 0; i < count; i++) {
      long x = RibbonHasher.mix(hashes[i], seedMask);
      next[(int) (x >>> shift)]++;
      sum += x;
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

  /** Where each partition ends in {@link #mixed}. */
  int[] ends() {
    return ends;
  }

  long[] mixed() {
    return mixed;
  }

  /**
   * Whether the filter answers {@code true} for all that was partitioned: probed in the order of
   * starts, and summed up beside it, so that a hash that partitioning lost is missed as well.
   */
  boolean allIn(RibbonShape shape, byte[] image) {
    boolean all = true;
    long found = 0;
    for (int i = 0; i < count; i++) {
      long x = mixed[i];
      all &= shape.probeMixed(ByteAccess.ARRAY, image, FilterHeader.SIZE_IN_BYTES, x);
      found += x;
    }
    return all && found == sum;
  }

  /** As {@link #allIn(RibbonShape, byte[])}, for a bumped filter. */
  boolean allIn(BumpedRibbonLayout layout, byte[] image) {
    boolean all = true;
    long found = 0;
    for (int i = 0; i < count; i++) {
      long x = mixed[i];
      all &= layout.probeMixed(ByteAccess.ARRAY, image, FilterHeader.SIZE_IN_BYTES, x);
      found += x;
    }
    return all && found == sum;
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
