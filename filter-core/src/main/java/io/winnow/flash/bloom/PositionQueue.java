package io.winnow.flash.bloom;

import java.util.Arrays;

/**
 * A set of positions of Bloom filter bits in an array of fixed size. While it is filled it is a
 * hash table; then it is sorted in place, so neither step needs more memory. It can be queried at
 * any time.
 */
final class PositionQueue {
  private static final long FACTOR = 0x9E3779B97F4A7C15L;
  private static final double MAX_LOAD = 0.75;

  /** Slots of the set's hash table: a bit's position plus one, or zero if the slot is empty. */
  private final long[] slots;

  private final int capacity;

  /** Number of queued positions, without repeats. */
  int size;

  private boolean sorted;

  /** Allocates an empty set of positions in this many bytes of memory. */
  PositionQueue(long memoryBytes) {
    slots = new long[(int) Math.min(Integer.MAX_VALUE - 8, memoryBytes / Long.BYTES)];
    capacity = (int) (slots.length * MAX_LOAD);
  }

  /** Returns the number of positions that can still be added to the set. */
  int room() {
    return sorted ? 0 : capacity - size;
  }

  /** Adds a position to the set, which must have room for it. */
  void add(long position) {
    int slot = find(position);
    if (slots[slot] == 0) {
      slots[slot] = position + 1;
      size++;
    }
  }

  boolean contains(long position) {
    return sorted ? Arrays.binarySearch(slots, 0, size, position) >= 0 : slots[find(position)] != 0;
  }

  /**
   * Returns the slot of the set's hash table that has a position, or the empty one where it
   * belongs.
   */
  private int find(long position) {
    int slot = (int) Math.multiplyHigh((position + 1) * FACTOR >>> 1, 2L * slots.length);
    while (slots[slot] != 0 && slots[slot] != position + 1) {
      slot = slot + 1 == slots.length ? 0 : slot + 1;
    }
    return slot;
  }

  /**
   * Sorts the queued positions of bits in ascending order. No more can be added before {@link
   * #clear}.
   */
  void sort() {
    if (!sorted) {
      int n = 0;
      for (long slot : slots) {
        if (slot != 0) {
          slots[n++] = slot - 1;
        }
      }
      Arrays.sort(slots, 0, n);
      sorted = true;
    }
  }

  /** Returns the i-th smallest position of the set, after {@link #sort}. */
  long sorted(int i) {
    return slots[i];
  }

  void clear() {
    Arrays.fill(slots, 0);
    size = 0;
    sorted = false;
  }
}
