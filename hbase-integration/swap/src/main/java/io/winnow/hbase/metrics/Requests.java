package io.winnow.hbase.metrics;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;

/**
 * How often HBase asked the filters of each family, and how often they said no.
 *
 * <p>HBase counts that itself, in an object per store, and forgets it when the region is closed.
 * Here the objects of closed stores are read a last time and their values kept, so that the sums
 * only rise. What is lost is a store that was opened and closed between two looks. Not thread-safe.
 */
final class Requests {
  /** How often a filter was asked, and how often it said no. */
  static final class Sum {
    static final Sum ZERO = new Sum(0, 0);

    private final long requests;
    private final long negatives;

    Sum(long requests, long negatives) {
      this.requests = requests;
      this.negatives = negatives;
    }

    long requests() {
      return requests;
    }

    long negatives() {
      return negatives;
    }

    Sum plus(BloomFilterMetrics store) {
      return new Sum(
          requests + store.getRequestsCount(), negatives + store.getNegativeResultsCount());
    }

    Sum plus(Sum other) {
      return new Sum(requests + other.requests, negatives + other.negatives);
    }

    @Override
    public boolean equals(Object other) {
      if (!(other instanceof Sum)) {
        return false;
      }
      Sum that = (Sum) other;
      return requests == that.requests && negatives == that.negatives;
    }

    @Override
    public int hashCode() {
      return Objects.hash(requests, negatives);
    }

    @Override
    public String toString() {
      return "Sum[requests=" + requests + ", negatives=" + negatives + "]";
    }
  }

  private Map<BloomFilterMetrics, FamilyCounters> open = new IdentityHashMap<>();
  private final Map<FamilyCounters, Sum> closed = new HashMap<>();

  /** Takes notice of the stores that are open now, and of those that were and are not. */
  void update(Map<BloomFilterMetrics, FamilyCounters> openNow) {
    open.forEach(
        (store, family) -> {
          if (!openNow.containsKey(store)) {
            closed.merge(family, Sum.ZERO.plus(store), (a, b) -> a.plus(store));
          }
        });
    open = openNow;
  }

  /** Forgets a family that has no open store; its sum. */
  Sum forget(FamilyCounters family) {
    Sum sum = closed.remove(family);
    return sum == null ? Sum.ZERO : sum;
  }

  /** The sums of each family that has or had a store. */
  Map<FamilyCounters, Sum> byFamily() {
    Map<FamilyCounters, Sum> sums = new HashMap<>(closed);
    open.forEach(
        (store, family) -> sums.put(family, sums.getOrDefault(family, Sum.ZERO).plus(store)));
    return sums;
  }
}
