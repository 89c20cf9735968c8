package io.winnow.cascade;

import io.winnow.flash.store.FieldText;
import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.IoMode;
import java.util.List;
import java.util.stream.Collectors;

/** A filter at one moment; counts are since it was opened, and some may be a moment newer. */
public final class CascadeStatistics {
  private final List<Level> levels;
  private final int fanOut;
  private final long memoryEntries;
  private final long memoryCapacity;
  private final long frozenEntries;
  private final int runningMerges;
  private final long operations;
  private final long lookups;
  private final long lookupPageReads;
  private final long crossings;
  private final long failedLookups;
  private final Throwable lastLookupFailure;
  private final long stalls;
  private final long stalledNanos;
  private final long pacedNanos;
  private final long longestWaitNanos;
  private final long entriesFlushed;
  private final long entriesMerged;
  private final Throwable lastMergeFailure;
  private final IoCounters.Snapshot io;
  private final IoMode ioMode;
  private final double expectedRate;
  private final double doubtfulShare;

  /** Puts together what the parts of a filter tell, for who holds the view. */
  CascadeStatistics(View now, int runningMerges, CascadeDirectory directory, MergePolicy policy) {
    CascadeCounters counters = directory.counters;
    this.levels =
        now.levels.stream()
            .map(level -> new Level(level, policy.capacity(level.rank), directory.pageBytes))
            .collect(Collectors.toUnmodifiableList());
    this.fanOut = policy.fanOut();
    this.memoryEntries = now.active.entries();
    this.memoryCapacity = policy.memoryEntries;
    this.frozenEntries = now.frozen == null ? 0 : now.frozen.entries();
    this.runningMerges = runningMerges;
    this.operations = counters.operations;
    this.lookups = counters.lookups.sum();
    this.lookupPageReads = counters.pages.sum();
    this.crossings = counters.crossings.sum();
    this.failedLookups = counters.failures.sum();
    this.lastLookupFailure = counters.lastFailure.get();
    this.stalls = counters.stalls;
    this.stalledNanos = counters.stalledNanos;
    this.pacedNanos = counters.pacedNanos;
    this.longestWaitNanos = counters.longestNanos;
    this.entriesFlushed = counters.entriesFlushed;
    this.entriesMerged = counters.entriesMerged;
    this.lastMergeFailure = counters.lastMergeFailure;
    this.io = directory.io.snapshot();
    this.ioMode = directory.ioMode;
    long entries = levels.stream().mapToLong(Level::entries).sum();
    this.expectedRate = directory.shape.rate(memoryEntries + frozenEntries + entries);
    this.doubtfulShare = now.doubt.share();
  }

  /** Levels on flash, newest first; while merges run there may be two of a rank. */
  public List<Level> levels() {
    return levels;
  }

  /** How many times larger each rank may be than the one before it. */
  public int fanOut() {
    return fanOut;
  }

  /** Keys and tombstones in the level that takes inserts. */
  public long memoryEntries() {
    return memoryEntries;
  }

  /** How many it has when it is written to flash. */
  public long memoryCapacity() {
    return memoryCapacity;
  }

  /** Those in the level that is being written. */
  public long frozenEntries() {
    return frozenEntries;
  }

  /** Merges under way. */
  public int runningMerges() {
    return runningMerges;
  }

  /** Inserts and deletes. */
  public long operations() {
    return operations;
  }

  /** Lookups, each key of a batch one. */
  public long lookups() {
    return lookups;
  }

  /** Pages that they read. */
  public long lookupPageReads() {
    return lookupPageReads;
  }

  /** Pages among these that were a level's second or later one, for one key. */
  public long crossings() {
    return crossings;
  }

  /** Lookups that were answered "present" since a page could not be read. */
  public long failedLookups() {
    return failedLookups;
  }

  /** Why, or null. */
  public Throwable lastLookupFailure() {
    return lastLookupFailure;
  }

  /** How often an insert had to wait until a level in memory was written. */
  public long stalls() {
    return stalls;
  }

  /** For how long, in all. */
  public long stalledNanos() {
    return stalledNanos;
  }

  /** For how long inserts waited so that merges keep up, in all. */
  public long pacedNanos() {
    return pacedNanos;
  }

  /** The longest wait of one insert, of both kinds. */
  public long longestWaitNanos() {
    return longestWaitNanos;
  }

  /** Keys and tombstones that left memory. */
  public long entriesFlushed() {
    return entriesFlushed;
  }

  /** Keys and tombstones that merges wrote. */
  public long entriesMerged() {
    return entriesMerged;
  }

  /** Why a merge failed last, or null; it is tried again. */
  public Throwable lastMergeFailure() {
    return lastMergeFailure;
  }

  /** Reads and writes of level files, lookups' and merges'. */
  public IoCounters.Snapshot io() {
    return io;
  }

  /** Whether they go past the page cache. */
  public IoMode ioMode() {
    return ioMode;
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

  /** A level on flash. */
  public static final class Level {
    private final long file;
    private final int rank;
    private final long entries;
    private final long capacity;
    private final long pages;
    private final long bytes;

    private Level(CascadeLevel level, long capacity, int pageBytes) {
      this.file = level.entry.number;
      this.rank = level.rank;
      this.entries = level.entries();
      this.capacity = capacity;
      this.pages = level.sections();
      this.bytes = level.store.pages() * pageBytes;
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

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}
