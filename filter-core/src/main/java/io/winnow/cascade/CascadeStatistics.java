package io.winnow.cascade;

import io.winnow.base.FieldText;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * State and counters of a cascade filter at one moment. Counters count from the opening; some may
 * be slightly newer than others.
 */
public final class CascadeStatistics {
  private final FlashStatistics<CascadeCount> counts;
  private final List<Level> levels;
  private final double expectedRate;
  private final double doubtfulShare;
  private final Throwable lastMergeFailure;

  /**
   * Collects the state of a cascade filter's parts and their counters. The caller holds the view.
   */
  CascadeStatistics(View now, long runningMerges, CascadeDirectory directory, MergePolicy policy) {
    Map<CascadeCount, Long> state = new EnumMap<>(CascadeCount.class);
    state.put(CascadeCount.MEMORY_ENTRIES, now.active.entries());
    state.put(CascadeCount.MEMORY_CAPACITY, policy.memoryEntries);
    state.put(CascadeCount.FROZEN_ENTRIES, now.frozen == null ? 0 : now.frozen.entries());
    state.put(
        CascadeCount.FLASH_ENTRIES, now.levels.stream().mapToLong(CascadeLevel::entries).sum());
    state.put(CascadeCount.FLASH_BYTES, now.levels.stream().mapToLong(CascadeLevel::bytes).sum());
    state.put(CascadeCount.FAN_OUT, (long) policy.fanOut);
    state.put(CascadeCount.RUNNING_MERGES, runningMerges);
    state.put(CascadeCount.LONGEST_WAIT_NANOS, directory.counters.longestWaitNanos);
    boolean isDirect =
        now.levels.isEmpty() ? directory.options.directIo : now.levels.get(0).store.isDirect();
    this.counts = directory.counters.counts.statistics(state, directory.io.snapshot(), isDirect);
    this.levels =
        now.levels.stream()
            .map(level -> new Level(level, policy.capacity(level.rank)))
            .collect(Collectors.toUnmodifiableList());
    long entries = get(CascadeCount.MEMORY_ENTRIES) + get(CascadeCount.FROZEN_ENTRIES);
    this.expectedRate = directory.shape.rate(entries + get(CascadeCount.FLASH_ENTRIES));
    this.doubtfulShare = now.doubt.share();
    this.lastMergeFailure = directory.counters.lastMergeFailure;
  }

  /** Returns the value of one of the cascade filter's state values or counters. */
  public long get(CascadeCount what) {
    return counts.get(what);
  }

  /** Returns the reason of the last failed lookup, or null. */
  public Throwable lastLookupFailure() {
    return counts.lastFailure();
  }

  /** Returns the counters of reads and writes of level files, by lookups and merges. */
  public IoSnapshot io() {
    return counts.io();
  }

  /** Returns whether reads and writes of files bypass the page cache. */
  public boolean isDirect() {
    return counts.isDirect();
  }

  /** Returns the levels on flash, newest first. While merges run, a rank may have two. */
  public List<Level> levels() {
    return levels;
  }

  /** Returns the false-positive rate that follows from the number of fingerprints. */
  public double expectedRate() {
    return expectedRate;
  }

  /**
   * Returns the share of all fingerprints that always get the answer {@code true} because pages
   * were lost. It is 0 as long as no drive fails.
   */
  public double doubtfulShare() {
    return doubtfulShare;
  }

  /** Returns the reason of the last failed merge, or null. Failed merges are repeated. */
  public Throwable lastMergeFailure() {
    return lastMergeFailure;
  }

  /** Returns the average number of pages that a lookup in the cascade filter reads. */
  public double readsPerLookup() {
    return ratio(CascadeCount.LOOKUP_READS, CascadeCount.LOOKUPS);
  }

  /**
   * Returns the average number of times that an entry of the cascade filter was written to flash
   * after it left memory.
   */
  public double writeAmplification() {
    return ratio(CascadeCount.ENTRIES_MERGED, CascadeCount.ENTRIES_FLUSHED);
  }

  private double ratio(CascadeCount what, CascadeCount of) {
    return get(of) == 0 ? 0 : (double) get(what) / get(of);
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }

  /** State of a level on flash: its rank, its sizes and its file. */
  public static final class Level {
    private final long file;
    private final int rank;
    private final long entries;
    private final long capacity;
    private final long pages;
    private final long bytes;

    private Level(CascadeLevel level, long capacity) {
      this.file = level.entry.number;
      this.rank = level.rank;
      this.entries = level.entries();
      this.capacity = capacity;
      this.pages = level.sections();
      this.bytes = level.bytes();
    }

    /** Returns the number in the name of the file of a cascade filter's level. */
    public long file() {
      return file;
    }

    /**
     * Returns the level's rank in the cascade, from 1: the higher, the larger is its capacity. The
     * capacity of rank r is that of the memory times the fan-out to the power of r.
     */
    public int rank() {
      return rank;
    }

    /** Returns the number of keys and tombstones in the level of a cascade filter. */
    public long entries() {
      return entries;
    }

    /**
     * Returns the maximum of entries in a level of a given rank, by the cascade filter's present
     * fan-out.
     */
    public long capacity() {
      return capacity;
    }

    /** Returns the number of the level's pages with slots. */
    public long pages() {
      return pages;
    }

    /** Returns the size of the level's file in bytes. */
    public long bytes() {
      return bytes;
    }

    /** Returns the level's number of entries as a fraction of its capacity. */
    public double fill() {
      return (double) entries / capacity;
    }

    @Override
    public String toString() {
      return FieldText.of(this);
    }
  }
}
