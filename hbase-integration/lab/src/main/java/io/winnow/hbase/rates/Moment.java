package io.winnow.hbase.rates;

/**
 * The state of a store after a flush or a compaction, and the cost of Gets at this moment.
 *
 * @param files number of files
 * @param sumOfRates sum of the false-positive rates of its files, where a file without a filter
 *     counts as 1
 * @param falseReadsPerAbsentGet unnecessary file reads of a Get of an absent row, on average
 * @param falseReadsPerPresentGet unnecessary file reads of a Get of a present row, on average
 * @param rowsLost present rows that were not found, or that the filter of their file ruled out
 */
record Moment(
    int files,
    double bitsPerKey,
    double sumOfRates,
    double falseReadsPerAbsentGet,
    double falseReadsPerPresentGet,
    long rowsLost) {}
