package io.winnow.hbase.rates;

/**
 * What a store was like after a flush or a compaction, and what its Gets then paid.
 *
 * @param flush the last one's number; 0 before the first
 * @param after what had just happened
 * @param files how many it has
 * @param sumOfRates of its files, a file without a filter counting 1
 * @param gets how many absent rows were asked for, and how many present ones
 * @param falseAbsent unnecessary file reads of the Gets of absent rows
 * @param falsePresent unnecessary file reads of the Gets of present rows
 * @param rowsLost present rows that were not found, or that their file's filter denied
 */
record Moment(
    int flush,
    String after,
    int files,
    long keys,
    long filterBytes,
    double sumOfRates,
    int gets,
    long falseAbsent,
    long falsePresent,
    long rowsLost) {
  static final String LOAD = "load";
  static final String FLUSH = "flush";
  static final String COMPACTION = "compaction";
  static final String MAJOR = "major compaction";

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
