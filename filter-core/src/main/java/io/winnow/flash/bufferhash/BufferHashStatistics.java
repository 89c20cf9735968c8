package io.winnow.flash.bufferhash;

import io.winnow.flash.store.FieldText;
import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.IoMode;

/** A table at one moment; counts are since it was opened. */
public final class BufferHashStatistics {
  // each super table adds its own
  long bufferedEntries;
  long incarnations;
  long flashEntries;
  long lostIncarnations;
  long filterBytes;

  private final long puts;
  private final long deletes;
  private final long lookups;
  private final long hits;
  private final long hitsInMemory;
  private final long lookupReads;
  private final long falseReads;
  private final long failedLookups;
  private final long incarnationsWritten;
  private final long incarnationsEvicted;
  private final long retained;
  private final long notRetained;
  private final long reinserted;
  private final long waits;
  private final long waitedNanos;
  private final Throwable lastFailure;
  private final IoCounters.Snapshot io;
  private final IoMode ioMode;

  BufferHashStatistics(OpenTable table) {
    TableCounters counters = table.counters;
    for (SuperTable superTable : table.superTables) {
      superTable.count(this);
    }
    this.puts = counters.puts.sum();
    this.deletes = counters.deletes.sum();
    this.lookups = counters.lookups.sum();
    this.hits = counters.hits.sum();
    this.hitsInMemory = counters.hitsInMemory.sum();
    this.lookupReads = counters.lookupReads.sum();
    this.falseReads = counters.falseReads.sum();
    this.failedLookups = counters.failedLookups.sum();
    this.incarnationsWritten = counters.incarnationsWritten.sum();
    this.incarnationsEvicted = counters.incarnationsEvicted.sum();
    this.retained = counters.retained.sum();
    this.notRetained = counters.notRetained.sum();
    this.reinserted = counters.reinserted.sum();
    this.waits = counters.waits.sum();
    this.waitedNanos = counters.waitedNanos.sum();
    this.lastFailure = counters.lastFailure.get();
    this.io = table.io.snapshot();
    this.ioMode = table.file.store.mode();
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }

  /** Entries, and marks of deletes, in buffers. */
  public long bufferedEntries() {
    return bufferedEntries;
  }

  /** Incarnations on flash. */
  public long incarnations() {
    return incarnations;
  }

  /** Entries, older ones of the same keys, and marks of deletes in them. */
  public long flashEntries() {
    return flashEntries;
  }

  /** Those of them whose index cannot be read: lookups that have to look there fail. */
  public long lostIncarnations() {
    return lostIncarnations;
  }

  /** Memory of all filters now. */
  public long filterBytes() {
    return filterBytes;
  }

  public long puts() {
    return puts;
  }

  public long deletes() {
    return deletes;
  }

  public long lookups() {
    return lookups;
  }

  /** Lookups that found a value. */
  public long hits() {
    return hits;
  }

  /** Those of them that read no page. */
  public long hitsInMemory() {
    return hitsInMemory;
  }

  /** Pages that lookups read. */
  public long lookupReads() {
    return lookupReads;
  }

  /** Those of them that had nothing of the key: filters' false positives. */
  public long falseReads() {
    return falseReads;
  }

  /** Lookups that failed, since a page could not be read or was damaged. */
  public long failedLookups() {
    return failedLookups;
  }

  /** Buffers that were written. */
  public long incarnationsWritten() {
    return incarnationsWritten;
  }

  /** Incarnations whose slots were taken. */
  public long incarnationsEvicted() {
    return incarnationsEvicted;
  }

  /** Entries that eviction put back for their priority. */
  public long retained() {
    return retained;
  }

  /**
   * Entries of high priority that went, for there was no room, or a page that had to be read for it
   * was damaged.
   */
  public long notRetained() {
    return notRetained;
  }

  /** Entries that went back to a buffer since a lookup used them. */
  public long reinserted() {
    return reinserted;
  }

  /** How often a put or delete had to wait for a write. */
  public long waits() {
    return waits;
  }

  /** For how long, in all. */
  public long waitedNanos() {
    return waitedNanos;
  }

  /** Why a lookup or a write failed last, or null. */
  public Throwable lastFailure() {
    return lastFailure;
  }

  /** Reads and writes of the table, not of logs. */
  public IoCounters.Snapshot io() {
    return io;
  }

  public IoMode ioMode() {
    return ioMode;
  }
}
