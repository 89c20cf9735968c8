package io.winnow.cascade;

import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.IoMode;
import java.util.List;

/**
 * A filter at one moment; counts are since it was opened, and some may be a moment newer.
 *
 * @param levels levels on flash, newest first; while merges run there may be two of a rank
 * @param fanOut how many times larger each rank may be than the one before it
 * @param memoryEntries keys and tombstones in the level that takes inserts
 * @param memoryCapacity how many it has when it is written to flash
 * @param frozenEntries those in the level that is being written
 * @param fenceBytes memory for the fences of all levels on flash
 * @param runningMerges merges under way
 * @param operations inserts and deletes
 * @param lookups lookups, each key of a batch one
 * @param lookupPageReads pages that they read
 * @param crossings pages among these that were a level's second or later one, for one key
 * @param failedLookups lookups that were answered "present" since a page could not be read
 * @param lastLookupFailure why, or null
 * @param stalls how often an insert had to wait until a level in memory was written
 * @param stalledNanos for how long, in all
 * @param pacedNanos for how long inserts waited so that merges keep up, in all
 * @param longestWaitNanos the longest wait of one insert, of both kinds
 * @param entriesFlushed keys and tombstones that left memory
 * @param entriesMerged keys and tombstones that merges wrote
 * @param lastMergeFailure why a merge failed last, or null; it is tried again
 * @param io reads and writes of level files, lookups' and merges'
 * @param ioMode whether they go past the page cache
 * @param expectedRate the false-positive rate by the number of fingerprints there are
 * @param doubtfulShare the share of all keys that are answered "present", whatever was inserted,
 *     since pages were lost: 0 as long as no drive fails
 */
public record CascadeStatistics(
    List<Level> levels,
    int fanOut,
    long memoryEntries,
    long memoryCapacity,
    long frozenEntries,
    long fenceBytes,
    int runningMerges,
    long operations,
    long lookups,
    long lookupPageReads,
    long crossings,
    long failedLookups,
    Throwable lastLookupFailure,
    long stalls,
    long stalledNanos,
    long pacedNanos,
    long longestWaitNanos,
    long entriesFlushed,
    long entriesMerged,
    Throwable lastMergeFailure,
    IoCounters.Snapshot io,
    IoMode ioMode,
    double expectedRate,
    double doubtfulShare) {

  /**
   * A level on flash.
   *
   * @param rank 1 and up: how large it may be is the memory's capacity times the fan-out to the
   *     power of it
   * @param capacity that, in entries, with the fan-out as it is now
   */
  public record Level(long file, int rank, long entries, long capacity, long pages, long bytes) {
    /** How full it is. */
    public double fill() {
      return (double) entries / capacity;
    }
  }

  /** Pages read per lookup. */
  public double readsPerLookup() {
    return lookups == 0 ? 0 : (double) lookupPageReads / lookups;
  }

  /** How often an entry was written to flash, on the average of those that left memory. */
  public double writeAmplification() {
    return entriesFlushed == 0 ? 0 : (double) entriesMerged / entriesFlushed;
  }

  /** Bytes of all levels on flash. */
  public long bytesOnFlash() {
    return levels.stream().mapToLong(Level::bytes).sum();
  }

  /** Puts together what the parts of a filter tell, for who holds the view. */
  static CascadeStatistics of(
      SlotShape shape,
      View now,
      int runningMerges,
      CascadeDirectory directory,
      MergePolicy policy,
      long operations,
      Counters counters) {
    List<Level> onFlash =
        now.levels.stream()
            .map(level -> level(level, policy.capacity(level.rank()), directory.pageBytes()))
            .toList();
    long frozen = now.frozen == null ? 0 : now.frozen.entries();
    long entries = now.active.entries() + frozen;
    long fenceBytes = 0;
    for (CascadeLevel level : now.levels) {
      entries += level.entries();
      fenceBytes += (long) level.sections() * Integer.BYTES;
    }
    return new CascadeStatistics(
        onFlash,
        policy.fanOut(),
        now.active.entries(),
        policy.memoryEntries(),
        frozen,
        fenceBytes,
        runningMerges,
        operations,
        counters.lookups(),
        counters.pages(),
        counters.crossings(),
        counters.failures(),
        counters.lastFailure(),
        counters.stalls(),
        counters.stalledNanos(),
        counters.pacedNanos(),
        counters.longestNanos(),
        counters.entriesFlushed(),
        counters.entriesMerged(),
        counters.lastMergeFailure(),
        directory.io().snapshot(),
        directory.ioMode(),
        -Math.expm1(-Math.scalb((double) entries, -shape.fingerprintBits())),
        now.doubt.share());
  }

  private static Level level(CascadeLevel level, long capacity, int pageBytes) {
    return new Level(
        level.number(),
        level.rank(),
        level.entries(),
        capacity,
        level.sections(),
        level.store().pages() * pageBytes);
  }
}
