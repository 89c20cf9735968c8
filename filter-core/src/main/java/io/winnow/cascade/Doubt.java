package io.winnow.cascade;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

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

  /** Of each range its first fence, and the one after its last. They neither meet nor touch. */
  final NavigableMap<Long, Long> ranges;

  private Doubt(SlotShape shape, NavigableMap<Long, Long> ranges) {
    this.shape = shape;
    this.ranges = ranges;
  }

  static Doubt none(SlotShape shape) {
    return new Doubt(shape, new TreeMap<>());
  }

  /** Whether a slot is in doubt. */
  boolean has(long slot) {
    if (ranges.isEmpty()) {
      return false;
    }
    long fence = shape.fence(slot);
    Map.Entry<Long, Long> range = ranges.floorEntry(fence);
    return range != null && fence < range.getValue();
  }

  /** With one range more. */
  Doubt with(long from, long to) {
    NavigableMap<Long, Long> more = new TreeMap<>(ranges);
    add(from, to, more);
    return new Doubt(shape, more);
  }

  /** With all ranges of another one. */
  Doubt with(Doubt other) {
    NavigableMap<Long, Long> both = new TreeMap<>(ranges);
    other.ranges.forEach((from, to) -> add(from, to, both));
    return new Doubt(shape, both);
  }

  /** Adds a range, as one with those that it meets or touches. */
  private static void add(long from, long to, NavigableMap<Long, Long> ranges) {
    long first = from;
    long end = to;
    Map.Entry<Long, Long> last = ranges.floorEntry(end);
    while (last != null && last.getValue() >= first) {
      ranges.remove(last.getKey());
      first = Math.min(first, last.getKey());
      end = Math.max(end, last.getValue());
      last = ranges.lowerEntry(last.getKey());
    }
    ranges.put(first, end);
  }

  /** The share of all fingerprints that is in doubt. */
  double share() {
    double fences = 0;
    for (Map.Entry<Long, Long> range : ranges.entrySet()) {
      fences += range.getValue() - range.getKey();
    }
    return Math.scalb(fences, -shape.fenceBits());
  }

  /** Whether it is so much that the filter is better rebuilt. */
  boolean isTooMuch() {
    return share() > MOST_SHARE || ranges.size() > MOST_RANGES;
  }
}
