package io.winnow.cascade;

/** How inserts waited. One thread at a time counts, the one whose turn to insert it is. */
final class WaitCounters {
  private volatile long stalls;
  private volatile long stalledNanos;
  private volatile long pacedNanos;
  private volatile long longestNanos;

  /** Until a level in memory was written. */
  void countStall(long nanos) {
    stalls++;
    stalledNanos += nanos;
    longestNanos = Math.max(longestNanos, nanos);
  }

  /** So that merges keep up. */
  void countPaced(long nanos) {
    pacedNanos += nanos;
    longestNanos = Math.max(longestNanos, nanos);
  }

  long stalls() {
    return stalls;
  }

  long stalledNanos() {
    return stalledNanos;
  }

  long pacedNanos() {
    return pacedNanos;
  }

  long longestNanos() {
    return longestNanos;
  }
}
