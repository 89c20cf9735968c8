package io.winnow.cascade;

import io.winnow.flash.store.FieldText;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.IoMode;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A filter at one moment; counts are since it was opened, and some may be a moment newer. */
public final class CascadeStatistics {
  private final FlashStatistics<CascadeCount> counts;
  private final List<Level> levels;
  private final double expectedRate;
  private final double doubtfulShare;
  private final Throwable lastMergeFailure;

  /** Puts together what the parts of a filter tell, for who holds the view. */
  CascadeStatistics(View now, int runningMerges, CascadeDirectory directory, MergePolicy policy) {
    this.counts =
        directory.counters.counts.statistics(
            numbers(now, runningMerges, directory, policy),
            directory.io.snapshot(),
            directory.ioMode);
    this.levels =
        now.levels.stream()
            .map(level -> new Level(level, policy.capacity(level.rank)))
            .collect(Collectors.toUnmodifiableList());
    long entries = get(CascadeCount.MEMORY_ENTRIES) + get(CascadeCount.FROZEN_ENTRIES);
    this.expectedRate = directory.shape.rate(entries + get(CascadeCount.FLASH_ENTRIES));
    this.doubtfulShare = now.doubt.share();
    this.lastMergeFailure = directory.counters.lastMergeFailure;
  }

  /** The numbers of this moment, which no part of the filter counts. */
  private static Map<CascadeCount, Long> numbers(
      View now, long runningMerges, CascadeDirectory directory, MergePolicy policy) {
    List<CascadeLevel> levels = now.levels;
    Map<CascadeCount, Long> numbers = new EnumMap<>(CascadeCount.class);
    numbers.put(CascadeCount.MEMORY_ENTRIES, now.active.entries());
    numbers.put(CascadeCount.MEMORY_CAPACITY, policy.memoryEntries);
    numbers.put(CascadeCount.FROZEN_ENTRIES, now.frozen == null ? 0 : now.frozen.entries());
    numbers.put(CascadeCount.FLASH_ENTRIES, levels.stream().mapToLong(CascadeLevel::entries).sum());
    numbers.put(CascadeCount.FLASH_BYTES, levels.stream().mapToLong(CascadeLevel::bytes).sum());
    numbers.put(CascadeCount.FAN_OUT, (long) policy.fanOut);
    numbers.put(CascadeCount.RUNNING_MERGES, runningMerges);
    numbers.put(CascadeCount.LONGEST_WAIT_NANOS, directory.counters.longestWaitNanos);
    return numbers;
  }

  /** One of the numbers. */
  public long get(CascadeCount what) {
    return counts.get(what);
  }

  /** Why a lookup failed last, or null. */
  public Throwable lastLookupFailure() {
    return counts.lastFailure();
  }

  /** Reads and writes of level files, lookups' and merges'. */
  public IoCounters.Snapshot io() {
    return counts.io();
  }

  /** Whether they go past the page cache. */
  public IoMode ioMode() {
    return counts.ioMode();
  }

  /** Levels on flash, newest first; while merges run there may be two of a rank. */
  public List<Level> levels() {
    return levels;
  }

  /** The false-positive rate by the number of fingerprints there are. */
  public double expectedRate() {
    return expectedRate;
  }

  /**
   * The share of all keys that are answered "present", whatever was inserted, since pages were
   * lost: 0 as long as no drive fails.
   */
  public double doubtfulShare() {
    return doubtfulShare;
  }

  /** Why a merge failed last, or null; it is tried again. */
  public Throwable lastMergeFailure() {
    return lastMergeFailure;
  }

  /** Pages read per lookup. */
  public double readsPerLookup() {
    return ratio(CascadeCount.LOOKUP_READS, CascadeCount.LOOKUPS);
  }

  /** How often an entry was written to flash, on the average of those that left memory. */
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

  /** A level on flash. */
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

    public long file() {
      return file;
    }

    /**
     * 1 and up: how large it may be is the memory's capacity times the fan-out to the power of it.
     */
    public int rank() {
      return rank;
    }

    public long entries() {
      return entries;
    }

    /** That, in entries, with the fan-out as it is now. */
    public long capacity() {
      return capacity;
    }

    public long pages() {
      return pages;
    }

    public long bytes() {
      return bytes;
    }

    /** How full it is. */
    public double fill() {
      return (double) entries / capacity;
    }

    @Override
    public String toString() {
      return FieldText.of(this);
    }
  }
}
