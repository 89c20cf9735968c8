package io.winnow.hbase.rates;

/**
 * The state of a store after a flush or a compaction, and the cost of Gets at this moment.
 *
 * @param files number of files
 * @param keys number of rows in the store
 * @param filterBytes bytes of the filters of all files
 * @param sumOfRates sum of the false-positive rates of its files, where a file without a filter
 *     counts as 1
 * @param gets number of Gets of absent rows, and also of Gets of present ones
 * @param falseAbsent unnecessary file reads of the Gets of absent rows
 * @param falsePresent unnecessary file reads of the Gets of present rows
 * @param rowsLost present rows that were not found, or that the filter of their file ruled out
 */
record Moment(
    int files,
    long keys,
    long filterBytes,
    double sumOfRates,
    int gets,
    long falseAbsent,
    long falsePresent,
    long rowsLost) {
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
