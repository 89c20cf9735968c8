package io.winnow.flash.bufferhash;

import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.IoMode;

/**
 * A table at one moment; counts are since it was opened.
 *
 * @param bufferedEntries entries, and marks of deletes, in buffers
 * @param incarnations incarnations on flash
 * @param flashEntries entries, older ones of the same keys, and marks of deletes in them
 * @param lostIncarnations those of them whose index cannot be read: lookups that have to look there
 *     fail
 * @param filterBytes memory of all filters now
 * @param hits lookups that found a value
 * @param hitsInMemory those of them that read no page
 * @param lookupReads pages that lookups read
 * @param falseReads those of them that had nothing of the key: filters' false positives
 * @param failedLookups lookups that failed, since a page could not be read or was damaged
 * @param incarnationsWritten buffers that were written
 * @param incarnationsEvicted incarnations whose slots were taken
 * @param retained entries that eviction put back for their priority
 * @param notRetained entries of high priority that went, for there was no room, or a page that had
 *     to be read for it was damaged
 * @param reinserted entries that went back to a buffer since a lookup used them
 * @param waits how often a put or delete had to wait for a write
 * @param waitedNanos for how long, in all
 * @param lastFailure why a lookup or a write failed last, or null
 * @param io reads and writes of the table, not of logs
 */
public record BufferHashStatistics(
    long bufferedEntries,
    long incarnations,
    long flashEntries,
    long lostIncarnations,
    long filterBytes,
    long puts,
    long deletes,
    long lookups,
    long hits,
    long hitsInMemory,
    long lookupReads,
    long falseReads,
    long failedLookups,
    long incarnationsWritten,
    long incarnationsEvicted,
    long retained,
    long notRetained,
    long reinserted,
    long waits,
    long waitedNanos,
    Throwable lastFailure,
    IoCounters.Snapshot io,
    IoMode ioMode) {}
