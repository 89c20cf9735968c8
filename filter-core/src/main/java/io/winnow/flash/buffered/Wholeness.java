package io.winnow.flash.buffered;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether no key of a {@link BufferedBloomFilter} can be missing, here and on flash: the head says
 * that keys come in before the first one does, and that the filter is whole again after a sync.
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
  /** What the head on flash says, and may go on to say. */
  private enum State {
    /** The head says so. Before a key comes in, it has to say that keys do. */
    WHOLE,

    /** The head says that keys come in. */
    CHANGING,

    /** As changing, and no key has come in since a sync began. */
    SYNCING
  }

  private final BufferedBloomFile file;

  /** Guarded by itself, as are the turns of the state from and to {@link State#WHOLE}. */
  private final BufferedBloomHead head;

  /** How many keys were inserted before the filter was opened, as far as a sync knew. */
  final long keysBefore;

  private final AtomicReference<State> state;

  /** Whether a page may deny a key at all. */
  volatile boolean whole;

  Wholeness(BufferedBloomFile file) {
    this.file = file;
    this.head = file.head;
    BufferedBloomHead.Content content = head.content;
    this.keysBefore = content.keys;
    this.whole = content.whole && !head.otherWasDamaged;
    this.state = new AtomicReference<>(content.whole ? State.WHOLE : State.CHANGING);
  }

  /** The mark of the last sync that had one. */
  long mark() {
    synchronized (head) {
      return head.content.mark;
    }
  }

  /**
   * Whether a key may come in. Called under a block's monitor: a sync goes through all blocks after
   * it has begun, so it finds the key, or the key finds that it has begun.
   */
  boolean mayChange() {
    State now = state.get();
    return now == State.CHANGING
        || now == State.SYNCING
            && (state.compareAndSet(State.SYNCING, State.CHANGING)
                || state.get() == State.CHANGING);
  }

  /** Lets the head say that keys come in. Not under a block's monitor. */
  void beginChange() throws IOException {
    synchronized (head) {
      if (state.get() == State.WHOLE) {
        file.checkOpen();
        BufferedBloomHead.Content was = head.content;
        head.write(false, was.mark, was.keys, was.round);
        state.set(State.CHANGING);
      }
    }
  }

  /**
   * Sweeps all blocks, makes the pages safe, and lets the head say so.
   *
   * @param mark of the caller's, or null to leave the last one
   * @param declare whether the caller says that no key is missing
   */
  void settle(BlockSweeps sweeps, Long mark, boolean declare) throws IOException {
    synchronized (head) {
      state.compareAndSet(State.CHANGING, State.SYNCING);
      try {
        sweeps.sweepAll(false); // who tells answers may have to wait for the head
        file.lock.check(); // else the head is another one's
        settleHead(sweeps, mark, declare);
        file.lock.check();
      } finally {
        state.compareAndSet(State.SYNCING, State.CHANGING);
      }
    }
  }

  private void settleHead(BlockSweeps sweeps, Long mark, boolean declare) throws IOException {
    if (file.pages.failedFsync() != null) {
      throw new IOException(
          "an fsync of "
              + file.store.name()
              + " has failed: close the filter, see to the drive, open it again, insert again what"
              + " came after mark(), then declareWhole()",
          file.pages.failedFsync());
    }
    long round = makePagesSafe();
    BufferedBloomHead.Content was = head.content;
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
    // Its fsync makes the versions safe, too. If it fails, the next insert says that keys come in.
    head.write(settled, marked, keys, round);
  }

  private long makePagesSafe() throws IOException {
    try {
      return file.pages.sync();
    } catch (IOException e) {
      if (file.pages.failedFsync() != null) {
        whole = false; // a second fsync might succeed although the drive lost the writes
        file.counters.recordFailure(e);
      }
      throw e;
    }
  }
}
