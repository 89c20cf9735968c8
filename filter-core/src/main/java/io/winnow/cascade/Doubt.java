package io.winnow.cascade;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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

  /** Fences from the first one, inclusive, to the second one, exclusive. */
  static final class Range {
    final long from;
    final long to;

    Range(long from, long to) {
      this.from = from;
      this.to = to;
    }
  }

  private final SlotShape shape;

  /** The bounds of ranges that neither meet nor touch, ascending. */
  private final long[] bounds;

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
    List<Range> ranges = new ArrayList<>();
    long low = from;
    long high = to;
    for (Range range : ranges()) {
      if (range.to < low || range.from > high) {
        ranges.add(range);
      } else {
        low = Math.min(low, range.from);
        high = Math.max(high, range.to);
      }
    }
    ranges.add(new Range(low, high));
    ranges.sort((a, b) -> Long.compare(a.from, b.from));
    return of(shape, ranges);
  }

  /** With all ranges of another one. */
  Doubt with(Doubt other) {
    Doubt both = this;
    for (Range range : other.ranges()) {
      both = both.with(range.from, range.to);
    }
    return both;
  }

  /** From ranges that ascend and do not touch. */
  static Doubt of(SlotShape shape, List<Range> ranges) {
    long[] bounds = new long[2 * ranges.size()];
    for (int i = 0; i < ranges.size(); i++) {
      bounds[2 * i] = ranges.get(i).from;
      bounds[2 * i + 1] = ranges.get(i).to;
    }
    return new Doubt(shape, bounds);
  }

  List<Range> ranges() {
    List<Range> ranges = new ArrayList<>();
    for (int i = 0; i < bounds.length; i += 2) {
      ranges.add(new Range(bounds[i], bounds[i + 1]));
    }
    return ranges;
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

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Doubt)) {
      return false;
    }
    Doubt that = (Doubt) other;
    return shape.equals(that.shape) && Arrays.equals(bounds, that.bounds);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bounds);
  }
}
