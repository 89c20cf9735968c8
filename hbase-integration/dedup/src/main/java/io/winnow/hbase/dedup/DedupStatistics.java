package io.winnow.hbase.dedup;

import io.winnow.cascade.CascadeStatistics;

/**
 * What a de-duplicator did since it was opened. Rows of calls that failed count as far as they
 * came.
 *
 * @param rows that were given to it
 * @param blind of these, certainly new: sent without a question
 * @param asked of these, that HBase was asked about
 * @param askedAndAbsent of those asked about, not in HBase: false positives of the filter, rows of
 *     a call that failed, or rows that were deleted in HBase
 * @param twins rows that came before in the same batch
 * @param unfinished rows of which it was not known whether they are stored
 * @param filter the filter's own
 */
public record DedupStatistics(
    long rows,
    long blind,
    long asked,
    long askedAndAbsent,
    long twins,
    long unfinished,
    CascadeStatistics filter) {}
