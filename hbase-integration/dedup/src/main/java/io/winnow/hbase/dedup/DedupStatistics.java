package io.winnow.hbase.dedup;

import io.winnow.cascade.CascadeStatistics;

/**
 * Counts of a de-duplicator's rows since it was opened. Rows of failed calls count up to the step
 * that failed.
 *
 * @param rows rows that were passed to {@code write}
 * @param blind of these, rows that were certainly new, so that they were sent without a query to
 *     HBase
 * @param queried of these, rows for which HBase was queried
 * @param queriedAndAbsent queried rows that HBase did not have: false positives of the filter, rows
 *     of a call that failed, or rows that were deleted in HBase
 * @param twins rows that came before in the same batch
 * @param unfinished rows of which it was not known whether they are stored
 * @param filter the filter's own statistics
 */
public record DedupStatistics(
    long rows,
    long blind,
    long queried,
    long queriedAndAbsent,
    long twins,
    long unfinished,
    CascadeStatistics filter) {}
