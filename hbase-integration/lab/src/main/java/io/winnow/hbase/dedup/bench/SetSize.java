package io.winnow.hbase.dedup.bench;

import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeFilter;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Size of the de-duplication benchmark's table before the first turn, relative to the number of
 * keys that the filter's memory holds.
 *
 * @param timesMemory number of rows as a multiple of {@code memoryEntries}; below 1, the memory
 *     must have room for the rows of the turns, too
 */
record SetSize(String label, double timesMemory, long memoryEntries) {
  static final String FITS = "fits the memory";
  static final String TEN_TIMES = "ten times the memory";

  /**
   * Approximate number of rows per second that are loaded into the de-duplication benchmark's
   * table.
   */
  private static final double LOADED_PER_SECOND = 40_000;

  static SetSize fits(long memoryEntries) {
    return new SetSize(FITS, 0.2, memoryEntries);
  }

  static SetSize tenTimes(long memoryEntries) {
    return new SetSize(TEN_TIMES, 10, memoryEntries);
  }

  /** Returns the number of keys that the memory of the de-duplicator's filter holds. */
  static long memoryEntries(DedupBench options, Path scratch) throws IOException {
    Path directory = scratch.resolve("size");
    try (CascadeFilter filter = CascadeFilter.open(directory, SetRun.filter(options))) {
      return filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
    } finally {
      ScratchDirectory.delete(directory);
    }
  }

  long rows(DedupBench options) {
    return Math.max(options.batch, (long) (timesMemory * memoryEntries));
  }

  double loadWeight(DedupBench options) {
    return rows(options) / LOADED_PER_SECOND;
  }
}
