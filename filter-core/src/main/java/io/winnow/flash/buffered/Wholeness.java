package io.winnow.flash.buffered;

import io.winnow.flash.drive.FlashFile;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Records in memory and on flash if a key of a {@link BufferedBloomFilter} can be missing after a
 * crash. Before the first key is inserted, the head is changed to say that keys are being inserted;
 * after a sync it says that the filter is whole.
 *
 * <pre>
 *   WHOLE --first key--> CHANGING --sync--> SYNCING --no key came in--> WHOLE
 *                            ^                 |
 *                            +-----a key-------+
 * </pre>
 *
 * <p>Thread-safe.
 */
final class Wholeness {
  /** State of the head page on flash: it says if keys can be missing. */
  private enum State {
    /**
     * State of a head page on flash that says that the filter has all inserted keys. It must be
     * changed before a key is inserted.
     */
    WHOLE,

    /** State of a head page on flash that says that keys are being inserted. */
    CHANGING,

    /**
     * State of a head page on flash that says that keys are being inserted, while none has been
     * since a sync began.
     */
    SYNCING
  }

  /**
   * The filter's file. The monitor of its head pages guards these pages, and the changes of the
   * state from and to {@link State#WHOLE}.
   */
  private final BufferedBloomFile file;

  /** Number of keys in the filter at the last sync before it was opened. */
  final long keysBefore;

  private final AtomicReference<State> state;

  /**
   * Is true if no inserted key can be missing from the filter, so that a page may rule a key out.
   */
  volatile boolean whole;

  Wholeness(BufferedBloomFile file) {
    this.file = file;
    BufferedBloomHead head = file.heads.newest();
    this.keysBefore = head.keys;
    this.whole = head.whole && !file.heads.isAlone();
    this.state = new AtomicReference<>(head.whole ? State.WHOLE : State.CHANGING);
  }

  /** Returns the caller's mark of the last sync that had one. */
  long mark() {
    synchronized (file.heads) {
      return file.heads.newest().mark;
    }
  }

  /**
   * Returns whether a key may be inserted now, because the head page on flash says that keys are
   * being inserted. The caller holds a block's monitor. A sync visits all blocks after it has
   * begun: so either it finds the key, or the insert sees that it has begun.
   */
  boolean mayChange() {
    State now = state.get();
    return now == State.CHANGING
        || now == State.SYNCING
            && (state.compareAndSet(State.SYNCING, State.CHANGING)
                || state.get() == State.CHANGING);
  }

  /**
   * Changes the head page on flash to say that keys are being inserted. The caller holds no block's
   * monitor.
   */
  void beginChange() throws IOException {
    synchronized (file.heads) {
      if (state.get() == State.WHOLE) {
        file.checkOpen();
        BufferedBloomHead was = file.heads.newest();
        file.heads.write(was.next(false, was.mark, was.keys, was.round), true);
        state.set(State.CHANGING);
      }
    }
  }

  /**
   * Sweeps all blocks, syncs the pages, and writes the head page with the new state.
   *
   * @param mark the caller's mark, or null to keep the last one
   * @param declare whether the caller declares that no key is missing
   */
  void settle(BlockSweeps sweeps, Long mark, boolean declare) throws IOException {
    synchronized (file.heads) {
      state.compareAndSet(State.CHANGING, State.SYNCING);
      try {
        sweeps.sweepAll(false); // a thread that delivers answers may have to wait for the head
        file.directory.checkOwned(); // otherwise the head belongs to another owner
        settleHead(sweeps, mark, declare);
        file.directory.checkOwned();
      } finally {
        state.compareAndSet(State.SYNCING, State.CHANGING);
      }
    }
  }

  /** Syncs the filter's pages and writes the head page, if anything has changed. */
  private void settleHead(BlockSweeps sweeps, Long mark, boolean declare) throws IOException {
    long round = syncPages();
    BufferedBloomHead was = file.heads.newest();
    if (declare) {
      whole = true;
    }
    long marked = mark == null ? was.mark : mark;
    boolean unchanged = state.get() == State.WHOLE;
    if (unchanged && round == was.round && marked == was.mark && was.whole && !declare) {
      return;
    }
    long keys = keysBefore + sweeps.sum(block -> block.inserted);
    boolean settled = whole && (unchanged || state.compareAndSet(State.SYNCING, State.WHOLE));
    // Its fsync includes the versions. If it fails, the next insert changes the head.
    file.heads.write(was.next(settled, marked, keys, round), true);
  }

  /**
   * Syncs the pages of the buffered Bloom filter. After a failed fsync the filter is not whole, and
   * all later calls fail.
   */
  private long syncPages() throws IOException {
    try {
      return file.pages.sync();
    } catch (IOException e) {
      if (file.store.failedSync() == null) {
        throw e;
      }
      whole = false; // a second fsync might succeed although the drive lost the writes
      file.counters.recordFailure(e);
      throw FlashFile.syncFailed(
          file.store.name(), ", insert again all keys since mark(), then call declareWhole()", e);
    }
  }
}
