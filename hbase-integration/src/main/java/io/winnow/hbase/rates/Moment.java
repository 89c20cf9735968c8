package io.winnow.hbase.rates;

import java.util.List;

/**
 * What a store was like after a flush or a compaction, and what its Gets then paid.
 *
 * @param flush the last one's number; 0 before the first
 * @param after what had just happened
 * @param sumOfRates of its files, a file without a filter counting 1
 * @param gets how many absent rows were asked for, and how many present ones
 * @param falseAbsent files that the Gets of absent rows read in vain
 * @param falsePresent files that the Gets of present rows read in vain
 * @param rowsLost present rows that were not found, or that their file's filter denied
 * @param shares of the files
 */
record Moment(
    int flush,
    String after,
    long keys,
    long filterBytes,
    double sumOfRates,
    int gets,
    long falseAbsent,
    long falsePresent,
    long rowsLost,
    List<Share> shares) {
  static final String LOAD = "load";
  static final String FLUSH = "flush";
  static final String COMPACTION = "compaction";
  static final String MAJOR = "major compaction";

  /**
   * A file's part in its store.
   *
   * @param whenWritten its share of the store's keys when it was written
   * @param now its share of them now
   */
  record Share(double whenWritten, double now) {}

  int files() {
    return shares.size();
  }

  double bitsPerKey() {
    return 8.0 * filterBytes / keys;
  }

  double falseReadsPerAbsentGet() {
    return (double) falseAbsent / gets;
  }

  double falseReadsPerPresentGet() {
    return (double) falsePresent / gets;
  }
}
