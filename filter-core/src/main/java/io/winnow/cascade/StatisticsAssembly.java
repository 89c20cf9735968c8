package io.winnow.cascade;

import java.util.List;

/** Everything that {@link CascadeStatistics} tell of, and how they are put together. */
record StatisticsAssembly(
    SlotShape shape,
    Levels levels,
    Merges merges,
    CascadeDirectory directory,
    Memory memory,
    MergePolicy policy,
    Ingest ingest,
    ReadCounters reads,
    WaitCounters waits) {

  CascadeStatistics now() {
    synchronized (levels) { // so that all of it is of one moment
      View now = levels.openView();
      List<CascadeStatistics.Level> onFlash = now.levels.stream().map(this::statistics).toList();
      long frozen = now.frozen == null ? 0 : now.frozen.entries();
      long entries = now.active.entries() + frozen;
      long fenceBytes = 0;
      for (CascadeLevel level : now.levels) {
        entries += level.entries();
        fenceBytes += (long) level.sections() * Integer.BYTES;
      }
      return new CascadeStatistics(
          onFlash,
          now.active.entries(),
          memory.levelEntries(),
          frozen,
          fenceBytes,
          merges.running().size(),
          ingest.operations(),
          reads.lookups(),
          reads.pages(),
          reads.crossings(),
          reads.failures(),
          reads.lastFailure(),
          waits.stalls(),
          waits.stalledNanos(),
          waits.pacedNanos(),
          waits.longestNanos(),
          levels.entriesFlushed(),
          levels.entriesMerged(),
          levels.lastMergeFailure(),
          directory.io().snapshot(),
          directory.ioMode(),
          -Math.expm1(-Math.scalb((double) entries, -shape.fingerprintBits())));
    }
  }

  private CascadeStatistics.Level statistics(CascadeLevel level) {
    return new CascadeStatistics.Level(
        level.number(),
        level.rank(),
        level.entries(),
        policy.capacity(level.rank()),
        level.sections(),
        level.store().pages() * directory.pageBytes());
  }
}
