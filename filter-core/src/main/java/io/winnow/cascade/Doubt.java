package io.winnow.cascade;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Ranges of fences (top bits of fingerprints) whose pages could not be read when they were merged.
 * Each fingerprint in such a range gets the answer "maybe". Immutable.
 */
final class Doubt {
  /** Maximum of ranges of lost pages, which keeps a manifest small. */
  static final int MAX_RANGES = 4096;

  /**
   * Maximum share of all fingerprints whose pages may be lost before a merge is refused. A merge
   * that would exceed it does not take effect: the drive is gone for a moment, or worn out.
   */
  private static final double MAX_SHARE = 0.25;

  private final SlotShape shape;

  /**
   * First fence (top bits of fingerprints) of each range of lost pages, mapped to the fence after
   * its last. Ranges neither overlap nor touch.
   */
  final NavigableMap<Long, Long> ranges;

  private Doubt(SlotShape shape, NavigableMap<Long, Long> ranges) {
    this.shape = shape;
    this.ranges = ranges;
  }

  static Doubt none(SlotShape shape) {
    return new Doubt(shape, new TreeMap<>());
  }

  /** Returns whether a fingerprint's slot is in a range whose pages were lost. */
  boolean has(long slot) {
    if (ranges.isEmpty()) {
      return false;
    }
    long fence = shape.fence(slot);
    Map.Entry<Long, Long> range = ranges.floorEntry(fence);
    return range != null && fence < range.getValue();
  }

  /** Returns a copy of these ranges of lost pages with one more. */
  Doubt with(long from, long to) {
    return with(new Doubt(shape, new TreeMap<>(Map.of(from, to))));
  }

  /** Returns a copy that also has all ranges of lost pages of another object. */
  Doubt with(Doubt other) {
    NavigableMap<Long, Long> both = new TreeMap<>(ranges);
    other.ranges.forEach((from, to) -> add(from, to, both));
    return new Doubt(shape, both);
  }

  /**
   * Adds a range of fences (top bits of fingerprints) to a map, joined with the ranges that it
   * overlaps or touches.
   */
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

  /** Returns the share of all fingerprints that is in a range of lost pages. */
  double share() {
    double fences = ranges.entrySet().stream().mapToLong(r -> r.getValue() - r.getKey()).sum();
    return Math.scalb(fences, -shape.fenceBits());
  }

  /** Returns whether so many fingerprints are in lost pages that the filter should be rebuilt. */
  boolean isTooMuch() {
    return share() > MAX_SHARE || ranges.size() > MAX_RANGES;
  }
}
