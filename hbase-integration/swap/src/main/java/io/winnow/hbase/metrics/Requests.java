package io.winnow.hbase.metrics;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;

/**
 * Numbers of HBase's queries to the filters of each column family, and of the answers
 * <i>absent</i>.
 *
 * <p>HBase counts them in an object per store, which it drops when the region is closed. This class
 * reads the objects of closed stores a last time and keeps their values, so that the sums only
 * rise. A store that is opened and closed between two updates is not counted. Not thread-safe.
 */
final class Requests {
  /** Number of queries to filters, and number of their answers <i>absent</i>. */
  static final class Sum {
    static final Sum ZERO = new Sum(0, 0);

    final long requests;
    final long negatives;

    Sum(long requests, long negatives) {
      this.requests = requests;
      this.negatives = negatives;
    }

    Sum plus(BloomFilterMetrics store) {
      return new Sum(
          requests + store.getRequestsCount(), negatives + store.getNegativeResultsCount());
    }
  }

  private Map<BloomFilterMetrics, FamilyCounters> open = new IdentityHashMap<>();
  private final Map<FamilyCounters, Sum> closed = new HashMap<>();

  /**
   * Replaces the set of open stores by the present one, and keeps the query counts of stores that
   * were closed since.
   */
  void update(Map<BloomFilterMetrics, FamilyCounters> openNow) {
    open.forEach(
        (store, family) -> {
          if (!openNow.containsKey(store)) {
            closed.merge(family, Sum.ZERO.plus(store), (a, b) -> a.plus(store));
          }
        });
    open = openNow;
  }

  /** Removes the query counts of a column family that has no open store, and returns them. */
  Sum forget(FamilyCounters family) {
    Sum sum = closed.remove(family);
    return sum == null ? Sum.ZERO : sum;
  }

  /** Returns the query counts of each column family that has or had an open store. */
  Map<FamilyCounters, Sum> byFamily() {
    Map<FamilyCounters, Sum> sums = new HashMap<>(closed);
    open.forEach(
        (store, family) -> sums.put(family, sums.getOrDefault(family, Sum.ZERO).plus(store)));
    return sums;
  }
}
