package io.winnow.flash.bufferhash;

import java.util.Map;

/**
 * One of the parts that keys are divided among: a buffer, perhaps another one that is being
 * written, and a ring of slots for incarnations.
 *
 * <p>Guarded by its monitor, which is never held while something is read or written. Incarnations
 * come and go by the thread that writes them alone, so that this thread may look at the ring
 * without it.
 */
final class SuperTable {
  private static final long NO_LOG = Long.MAX_VALUE;

  final int number;
  private final boolean retains;
  private final Incarnation[] ring;
  final IncarnationFilters filters;

  /** Of each slot whether there is an incarnation. */
  private final long[] present;

  /** Of each slot whether its filter says nothing. */
  private final long[] unfiltered;

  private final long[] candidates;

  private WriteBuffer active;

  /** The one that is being written; read by who waits for it without the monitor. */
  volatile WriteBuffer frozen;

  private int newest = -1;
  private long changes;

  /** The last logged operation that is in the buffers, and in the one that is being written. */
  private long lastOperation;

  long frozenOperation;

  /** The log that has the first operation of each buffer. */
  long activeLog = NO_LOG;

  private long frozenLog = NO_LOG;

  /** What {@link #active} has of retained records. */
  private int retainedEntries;

  private int retainedBytes;

  /**
   * An empty one.
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
   * The newest value that memory has of a key, {@link Records#DELETED}, or {@link Records#NOT_HERE}
   * if incarnations have to be read; these are then in {@code reader}, newest first. Null if there
   * are none.
   *
   * @param reader null to be told only that there are some
   */
  synchronized byte[] find(long hash, byte[] key, PageReader reader) {
    byte[] value = active.find(hash, key);
    if (value == Records.NOT_HERE && frozen != null) {
      value = frozen.find(hash, key);
    }
    if (value != Records.NOT_HERE) {
      return value;
    }
    if (!narrow(hash, -1)) {
      return null;
    }
    if (reader != null) {
      collect(reader);
    }
    return Records.NOT_HERE;
  }

  /** Whether there is something of a key in a buffer. With the monitor. */
  boolean isInBuffers(long hash, byte[] key) {
    return active.has(hash, key) || frozen != null && frozen.has(hash, key);
  }

  /** Finds the slots that may have a key, but for one, or -1; false if there are none. */
  private boolean narrow(long hash, int except) {
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
    return any != 0;
  }

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
   * Whether the buffer takes a record of so many bytes. With the monitor, and {@link #put} next.
   *
   * <p>While an incarnation is about to be evicted of which some entries may be retained, half of
   * the buffer is kept for these.
   */
  boolean hasRoom(int bytes) {
    return retains && frozen != null ? active.hasRoomInHalf(bytes) : active.hasRoom(bytes);
  }

  /**
   * Puts an entry into the buffer, or the mark of a delete. With the monitor.
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

  /** The last logged operation that is in an incarnation or in a buffer. */
  synchronized long lastOperation() {
    return lastOperation;
  }

  /**
   * Puts an entry back that a lookup used, unless it is not the newest any more, or the buffer is
   * full.
   *
   * @param seen what {@link PageReader#changes} was when it was found
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
   * Whether other incarnations than the oldest one may have a key: these are then in {@code
   * reader}. With the monitor.
   */
  boolean mayBeNewer(long hash, int oldest, PageReader reader) {
    boolean any = narrow(hash, oldest);
    if (any) {
      collect(reader);
    }
    return any;
  }

  /**
   * Puts a retained record into the buffer that is about to be written, which has room for it. With
   * the monitor, by the thread that writes it. What the incarnation says of logged operations
   * stays: the other buffer may have earlier ones.
   *
   * @param log the log that has it, or 0
   */
  void putIntoFrozen(long hash, byte[] key, byte[] value, long log) {
    frozen.put(hash, key, value);
    if (log > 0) {
      frozenLog = Math.min(frozenLog, log);
    }
  }

  /** Whether one fits into the half of the other buffer that these may fill. With the monitor. */
  boolean hasRoomToRetain(int bytes) {
    return active.hasRoom(bytes) && active.isInHalf(retainedEntries + 1, retainedBytes + bytes);
  }

  /** Puts a retained record there, as {@link #put} does. */
  void putRetained(long hash, byte[] key, byte[] value, long operation, long log) {
    put(hash, key, value, operation, log);
    retainedEntries++;
    retainedBytes += Records.bytes(key, value);
  }

  // ---- Writes ----

  boolean isFrozen() {
    return frozen != null;
  }

  /** Whether the buffer that takes puts is going to be written soon; with no lock, a guess. */
  boolean isNearlyFull() {
    return active.isNearlyFull();
  }

  /** Lets the buffer be written, and goes on with another one. With the monitor. */
  void freeze(WriteBuffer spare) {
    frozenOperation = lastOperation;
    frozenLog = activeLog;
    activeLog = NO_LOG;
    frozen = active;
    active = spare;
    retainedEntries = 0;
    retainedBytes = 0;
  }

  /** Whether there is nothing in the buffer that takes puts. With the monitor. */
  boolean isBufferEmpty() {
    return active.entries == 0;
  }

  /** The first log with operations that are in no incarnation; {@code Long.MAX_VALUE} if none. */
  synchronized long firstLog() {
    return Math.min(activeLog, frozenLog);
  }

  /** The slot of the next incarnation. */
  int nextSlot() {
    return newest + 1 == ring.length ? 0 : newest + 1;
  }

  /** The sequence of the newest incarnation; 0 or less if there is none, or it is lost. */
  long newestSequence() {
    return newest < 0 || ring[newest] == null ? 0 : ring[newest].sequence;
  }

  Incarnation incarnation(int slot) {
    return ring[slot];
  }

  /** Forgets a slot's incarnation: from now on its pages may be overwritten. */
  synchronized void evict(int slot) {
    present[slot / Long.SIZE] &= ~(1L << slot);
    ring[slot].evicted = true;
    ring[slot] = null;
    changes++;
  }

  /** The buffer that was written is an incarnation now, in the next slot. */
  synchronized WriteBuffer install(Incarnation written) {
    int slot = nextSlot();
    recover(slot, written, true, frozenOperation);
    newest = slot;
    WriteBuffer free = frozen;
    frozen = null;
    frozenLog = NO_LOG;
    return free;
  }

  /** Takes an incarnation in that is on flash, with its filter. */
  synchronized void recover(int slot, Incarnation there, boolean filtered, long operation) {
    long bit = 1L << slot;
    ring[slot] = there;
    unfiltered[slot / Long.SIZE] =
        filtered ? unfiltered[slot / Long.SIZE] & ~bit : unfiltered[slot / Long.SIZE] | bit;
    present[slot / Long.SIZE] |= bit;
    lastOperation = Math.max(lastOperation, operation);
    changes++;
  }

  /** Says which slot is the newest, once all are taken in. */
  synchronized void recovered(int newestSlot) {
    newest = newestSlot;
  }

  // ---- Statistics ----

  /** Adds what this one has. */
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
