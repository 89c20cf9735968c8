package io.winnow.cascade;

import java.util.Arrays;

/** Slots in an array that grows. */
final class SlotBuffer {
  long[] slots = new long[0];
  int size;

  /** Makes room for {@code capacity} slots in all; what is in it stays. */
  void ensure(int capacity) {
    if (capacity > slots.length) {
      slots = Arrays.copyOf(slots, Math.max(capacity, slots.length + (slots.length >> 2)));
    }
  }

  /** Keeps the slots from {@code low}, inclusive, to {@code high}, exclusive; they are sorted. */
  void trim(long low, long high) {
    int from = lowerBound(low);
    int to = lowerBound(high);
    if (from > 0) {
      System.arraycopy(slots, from, slots, 0, to - from);
    }
    size = to - from;
  }

  private int lowerBound(long slot) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = low + high >>> 1;
      if (slots[middle] < slot) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
