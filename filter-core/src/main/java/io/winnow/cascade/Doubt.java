package io.winnow.cascade;

import java.util.Arrays;

/**
 * What the filter does not know any more: ranges of fences whose pages could not be read when they
 * were merged. Whatever falls into one may be in the filter. Immutable.
 */
final class Doubt {
  /** Ranges at most, so that a manifest stays small. */
  static final int MOST_RANGES = 4096;

  /**
   * A merge that would leave more in doubt does not take effect: the drive is away, or worn out.
   */
  private static final double MOST_SHARE = 0.25;

  private final SlotShape shape;

  /**
   * Of each range its first fence, and the one after its last. Ascending: ranges neither meet nor
   * touch.
   */
  final long[] bounds;

  private Doubt(SlotShape shape, long[] bounds) {
    this.shape = shape;
    this.bounds = bounds;
  }

  static Doubt none(SlotShape shape) {
    return new Doubt(shape, new long[0]);
  }

  /** Whether a slot is in doubt. */
  boolean has(long slot) {
    if (bounds.length == 0) {
      return false;
    }
    int found = Arrays.binarySearch(bounds, shape.fence(slot));
    int last = found >= 0 ? found : -found - 2; // the last bound that is not above it
    return (last & 1) == 0;
  }

  /** With one range more. */
  Doubt with(long from, long to) {
    long[] more = new long[bounds.length + 2];
    int n = 0;
    long low = from;
    long high = to;
    for (int i = 0; i < bounds.length; i += 2) {
      if (bounds[i + 1] < low || bounds[i] > high) {
        more[n++] = bounds[i];
        more[n++] = bounds[i + 1];
      } else {
        low = Math.min(low, bounds[i]);
        high = Math.max(high, bounds[i + 1]);
      }
    }
    more[n++] = low;
    more[n++] = high;
    Arrays.sort(more, 0, n);
    return new Doubt(shape, Arrays.copyOf(more, n));
  }

  /** With all ranges of another one. */
  Doubt with(Doubt other) {
    Doubt both = this;
    for (int i = 0; i < other.bounds.length; i += 2) {
      both = both.with(other.bounds[i], other.bounds[i + 1]);
    }
    return both;
  }

  /** The share of all fingerprints that is in doubt. */
  double share() {
    double fences = 0;
    for (int i = 0; i < bounds.length; i += 2) {
      fences += bounds[i + 1] - bounds[i];
    }
    return Math.scalb(fences, -shape.fenceBits());
  }

  /** Whether it is so much that the filter is better rebuilt. */
  boolean isTooMuch() {
    return share() > MOST_SHARE || bounds.length > 2 * MOST_RANGES;
  }
}
