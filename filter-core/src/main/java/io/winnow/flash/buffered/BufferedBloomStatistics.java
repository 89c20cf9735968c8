package io.winnow.flash.buffered;

import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.IoMode;

/**
 * A {@link BufferedBloomFilter} at one moment; counts are since it was opened.
 *
 * @param keys how many were inserted since the filter was made, each as often as it was; after a
 *     crash those until the last sync and those since
 * @param waitingKeys of these, those that are in memory alone
 * @param waitingProbes deferred probes that are not answered yet
 * @param sweeps how often a block was swept since it was full, or by a drain or a sync
 * @param timeouts how often a block was swept since a probe in it had waited for long enough
 * @param longestWaitNanos the longest that a deferred probe waited until it was answered
 * @param replacedPages damaged pages that were replaced by ones that answer "present" for ever
 * @param doubts probes that were answered "present" because a page could not be read
 * @param lastFailure why a page could not be read or written last, or what a listener threw out of
 *     the timer, or null
 * @param io reads and writes of pages
 * @param ioMode whether they go past the page cache
 * @param expectedRate the false-positive rate by the number of keys
 */
public record BufferedBloomStatistics(
    long keys,
    long waitingKeys,
    long waitingProbes,
    long sweeps,
    long timeouts,
    long longestWaitNanos,
    long replacedPages,
    long doubts,
    Throwable lastFailure,
    IoCounters.Snapshot io,
    IoMode ioMode,
    double expectedRate) {}
