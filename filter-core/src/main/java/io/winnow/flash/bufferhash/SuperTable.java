package io.winnow.flash.bufferhash;

import java.util.Map;

/**
 * A part of a BufferHash with its own share of the keys: an active buffer, perhaps a frozen one
 * that is being written, and a ring of slots for incarnations.
 *
 * <p>Guarded by its monitor, which is never held during a read or write. Only the thread that
 * writes incarnations adds and removes them, so this thread may read the ring without the monitor.
 */
final class SuperTable {
  private static final long NO_LOG = Long.MAX_VALUE;

  final int number;
  private final boolean retains;
  private final Incarnation[] ring;
  final IncarnationFilters filters;

  /** Slots of the ring that have an incarnation, as one bit per slot. */
  private final long[] present;

  /** Slots of the ring whose incarnation has no filter, as one bit per slot. */
  private final long[] unfiltered;

  private final long[] candidates;

  private WriteBuffer active;

  /**
   * Full buffer of this super table that is being written to flash, or null. Threads that wait for
   * it read it without the monitor.
   */
  volatile WriteBuffer frozen;

  private int newest = -1;
  private long changes;

  /** Number of the last logged operation in this super table's active buffer or an earlier one. */
  private long lastOperation;

  /** Number of the last logged operation in this super table's frozen buffer or an earlier one. */
  long frozenOperation;

  /** Number of the log with the first operation of this super table's active buffer. */
  long activeLog = NO_LOG;

  /** Number of the log with the first operation of this super table's frozen buffer. */
  private long frozenLog = NO_LOG;

  /** Number of records in the active buffer that an eviction put back. */
  private int retainedEntries;

  /** Number of bytes of the records in the active buffer that an eviction put back. */
  private int retainedBytes;

  /**
   * Creates a super table without entries.
   *
   * @param retains whether eviction may put entries back
   */
  SuperTable(
      int number, int slots, IncarnationFilters filters, WriteBuffer active, boolean retains) {
    this.number = number;
    this.retains = retains;
    this.ring = new Incarnation[slots];
    this.filters = filters;
    this.active = active;
    int words = (slots + Long.SIZE - 1) / Long.SIZE;
    this.present = new long[words];
    this.unfiltered = new long[words];
    this.candidates = new long[words];
  }

  // ---- Lookups ----

  /**
   * Returns the newest value that memory has of a key, {@link Records#DELETED}, or {@link
   * Records#NOT_HERE} if incarnations (written buffers) must be read; null if none may have the
   * key. Those to read are added to {@code reader}, newest first.
   *
   * @param reader null to find out only whether incarnations must be read
   */
  synchronized byte[] find(long hash, byte[] key, PageReader reader) {
    byte[] value = active.find(hash, key);
    if (value == Records.NOT_HERE && frozen != null) {
      value = frozen.find(hash, key);
    }
    if (value != Records.NOT_HERE) {
      return value;
    }
    return mayBeOnFlash(hash, -1, reader) ? Records.NOT_HERE : null;
  }

  /**
   * Returns whether a buffer of the super table has an entry or a delete of a key. The caller holds
   * the monitor.
   */
  boolean isInBuffers(long hash, byte[] key) {
    return active.has(hash, key) || frozen != null && frozen.has(hash, key);
  }

  /**
   * Returns whether incarnations (written buffers) may have a key, and adds these to a reader of
   * their pages, newest first. The caller holds the monitor.
   *
   * @param except slot whose incarnation does not matter, or -1
   * @param reader null to find out only whether there are any
   */
  boolean mayBeOnFlash(long hash, int except, PageReader reader) {
    System.arraycopy(present, 0, candidates, 0, present.length);
    filters.narrow(hash, candidates);
    long any = 0;
    for (int i = 0; i < candidates.length; i++) {
      candidates[i] |= unfiltered[i] & present[i];
      if (except >= 0 && except / Long.SIZE == i) {
        candidates[i] &= ~(1L << except);
      }
      any |= candidates[i];
    }
    if (any != 0 && reader != null) {
      collect(reader);
    }
    return any != 0;
  }

  /** Adds the incarnations that may have the key of a lookup to a reader, newest first. */
  private void collect(PageReader reader) {
    reader.begin(changes);
    int slot = newest;
    for (int age = 0; age < ring.length; age++) {
      if ((candidates[slot / Long.SIZE] & 1L << slot) != 0) {
        reader.add(ring[slot], age);
      }
      slot = slot == 0 ? ring.length - 1 : slot - 1;
    }
  }

  // ---- Puts ----

  /**
   * Returns whether the super table's active buffer has room for a record that {@link #put} is to
   * add. The caller holds the monitor.
   *
   * <p>While an incarnation is about to be evicted of which entries may be retained, half of the
   * buffer is kept free for them.
   */
  boolean hasRoom(int bytes) {
    return retains && frozen != null ? active.hasRoomInHalf(bytes) : active.hasRoom(bytes);
  }

  /**
   * Stores an entry or a delete in the super table's active buffer. The caller holds the monitor.
   *
   * @param operation its number in the log, or 0 if it is not logged
   * @param log the log that has it, or an earlier one
   */
  void put(long hash, byte[] key, byte[] value, long operation, long log) {
    active.put(hash, key, value);
    if (operation > 0) {
      lastOperation = operation;
      activeLog = Math.min(activeLog, log);
    }
  }

  /**
   * Returns the number of the last logged operation in an incarnation or a buffer of the super
   * table.
   */
  synchronized long lastOperation() {
    return lastOperation;
  }

  /**
   * Puts an entry that a lookup found on flash back into the active buffer, unless it is no longer
   * the newest of its key or the buffer is full.
   *
   * @param seen the value of {@link PageReader#changes} when it was found
   */
  synchronized boolean reinsert(long hash, byte[] key, byte[] value, long seen) {
    if (seen != changes || isInBuffers(hash, key) || !active.hasRoom(Records.bytes(key, value))) {
      return false;
    }
    active.put(hash, key, value);
    return true;
  }

  // ---- Eviction ----

  /**
   * Puts a record of an evicted incarnation into the frozen buffer, which has room for it. The
   * thread that writes it calls this, with the monitor. The incarnation's last logged operation
   * does not change, because the active buffer may have earlier ones.
   *
   * @param log the log that has it, or 0
   */
  void putIntoFrozen(long hash, byte[] key, byte[] value, long log) {
    frozen.put(hash, key, value);
    if (log > 0) {
      frozenLog = Math.min(frozenLog, log);
    }
  }

  /**
   * Returns whether a record of an evicted incarnation fits into the half of the active buffer that
   * such records may fill. The caller holds the monitor.
   */
  boolean hasRoomToRetain(int bytes) {
    return active.hasRoom(bytes) && active.isInHalf(retainedEntries + 1, retainedBytes + bytes);
  }

  /** Puts a record of an evicted incarnation into the active buffer. */
  void putRetained(long hash, byte[] key, byte[] value, long operation, long log) {
    put(hash, key, value, operation, log);
    retainedEntries++;
    retainedBytes += Records.bytes(key, value);
  }

  // ---- Writes ----

  /** Returns whether a buffer of the super table is being written to flash. */
  boolean isFrozen() {
    return frozen != null;
  }

  /**
   * Returns whether the super table's active buffer is so full that it will be written to flash
   * soon. Without a lock this is an estimate.
   */
  boolean isNearlyFull() {
    return active.isNearlyFull();
  }

  /**
   * Freezes the super table's active buffer, so that it is written to flash, and continues with
   * another one. The caller holds the monitor.
   */
  void freeze(WriteBuffer spare) {
    frozenOperation = lastOperation;
    frozenLog = activeLog;
    activeLog = NO_LOG;
    frozen = active;
    active = spare;
    retainedEntries = 0;
    retainedBytes = 0;
  }

  /**
   * Returns whether the super table's active buffer has no entries. The caller holds the monitor.
   */
  boolean isBufferEmpty() {
    return active.entries == 0;
  }

  /**
   * Returns the number of the first log with operations that are in no incarnation, or {@code
   * Long.MAX_VALUE} if there is none.
   */
  synchronized long firstLog() {
    return Math.min(activeLog, frozenLog);
  }

  /** Returns the slot of the ring that the next incarnation takes. */
  int nextSlot() {
    return newest + 1 == ring.length ? 0 : newest + 1;
  }

  /**
   * Returns the sequence number of the newest incarnation; 0 or less if there is none, or it cannot
   * be read.
   */
  long newestSequence() {
    return newest < 0 || ring[newest] == null ? 0 : ring[newest].sequence;
  }

  /** Returns the incarnation in a slot of the ring, or null. */
  Incarnation incarnation(int slot) {
    return ring[slot];
  }

  /** Removes a slot's incarnation from memory, so that its pages may be overwritten. */
  synchronized void evict(int slot) {
    present[slot / Long.SIZE] &= ~(1L << slot);
    ring[slot].evicted = true;
    ring[slot] = null;
    changes++;
  }

  /**
   * Adds the incarnation that was written from the frozen buffer, in the next slot of the ring.
   *
   * @return the buffer, which is free now
   */
  synchronized WriteBuffer install(Incarnation written) {
    int slot = nextSlot();
    recover(slot, written, true, frozenOperation);
    newest = slot;
    WriteBuffer free = frozen;
    frozen = null;
    frozenLog = NO_LOG;
    return free;
  }

  /**
   * Adds an incarnation (a written buffer) that was found on flash when the table was opened.
   *
   * @param filtered whether its filter is loaded
   */
  synchronized void recover(int slot, Incarnation there, boolean filtered, long operation) {
    long bit = 1L << slot;
    ring[slot] = there;
    unfiltered[slot / Long.SIZE] =
        filtered ? unfiltered[slot / Long.SIZE] & ~bit : unfiltered[slot / Long.SIZE] | bit;
    present[slot / Long.SIZE] |= bit;
    lastOperation = Math.max(lastOperation, operation);
    changes++;
  }

  /** Sets the newest slot of the ring, after all incarnations were recovered. */
  synchronized void recovered(int newestSlot) {
    newest = newestSlot;
  }

  // ---- Statistics ----

  /** Adds the state values of this super table to the statistics of the table. */
  synchronized void count(Map<BufferHashCount, Long> all) {
    long incarnations = 0;
    long lost = 0;
    long entries = 0;
    for (Incarnation incarnation : ring) {
      if (incarnation != null) {
        incarnations++;
        lost += incarnation.isLost() ? 1 : 0;
        entries += incarnation.records;
      }
    }
    long buffered = active.entries + (frozen == null ? 0 : frozen.entries);
    all.merge(BufferHashCount.BUFFERED_ENTRIES, buffered, Long::sum);
    all.merge(BufferHashCount.INCARNATIONS, incarnations, Long::sum);
    all.merge(BufferHashCount.LOST_INCARNATIONS, lost, Long::sum);
    all.merge(BufferHashCount.FLASH_ENTRIES, entries, Long::sum);
  }
}
