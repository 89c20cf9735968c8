package io.winnow.flash.bufferhash;

import io.winnow.flash.store.Uninterrupted;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * What lies between those who fill buffers and the thread that writes them: the super tables whose
 * full buffers wait to be written, and spare buffers that are filled meanwhile.
 *
 * <p>A buffer that could not be written stays where it is, and is tried again when somebody needs
 * it. The monitor comes after that of a super table.
 */
final class WriteQueue {
  private final OpenTable table;
  private final Deque<WriteBuffer> spares = new ArrayDeque<>();
  private final Deque<SuperTable> queue = new ArrayDeque<>();

  /** Those whose buffers could not be written. */
  private final Set<SuperTable> stuck = new LinkedHashSet<>();

  private int writing;
  private boolean woken;
  private boolean closing;
  private Throwable failure;

  WriteQueue(OpenTable table) {
    this.table = table;
    for (int i = 0; i < table.layout.spareBuffers; i++) {
      spares.add(new WriteBuffer(table.geometry, table.layout.bufferEntries));
    }
  }

  // ---- For those who fill buffers ----

  /**
   * Hands a super table's buffer over, if there is a spare one and the last one is written. With
   * the super table's monitor.
   */
  boolean freeze(SuperTable superTable) {
    if (superTable.isFrozen()) {
      return false;
    }
    synchronized (this) {
      WriteBuffer spare = spares.poll();
      if (spare == null) {
        return false;
      }
      superTable.freeze(spare);
      queue.add(superTable);
      notifyAll();
      return true;
    }
  }

  /**
   * Waits until {@link #freeze} is likely to succeed.
   *
   * @throws IOException if buffers cannot be written, and could not when it was tried again
   */
  void awaitRoom(SuperTable superTable) throws IOException {
    long begin = System.nanoTime();
    awaitEnd(superTable, () -> superTable.isFrozen() || spares.isEmpty());
    table.counters.count(BufferHashCount.WAITS);
    table.counters.add(BufferHashCount.WAITED_NANOS, System.nanoTime() - begin);
  }

  /**
   * Waits until the buffer of a super table is written, if one was handed over.
   *
   * @throws IOException if it cannot be written, and could not when it was tried again
   */
  void awaitWritten(SuperTable superTable) throws IOException {
    awaitEnd(superTable, superTable::isFrozen);
  }

  /** Waits until a condition is false. Tries buffers once more whose writes have failed. */
  private synchronized void awaitEnd(SuperTable superTable, BooleanSupplier condition)
      throws IOException {
    for (boolean retried = false; ; retried = true) {
      Uninterrupted.await(this, () -> !condition.getAsBoolean() || closing || isStuck(superTable));
      if (!condition.getAsBoolean()) {
        return;
      }
      if (closing) {
        throw table.closed();
      }
      if (retried) {
        throw new IOException(
            "buffers cannot be written to "
                + table.directory.resolve(TableFile.NAME)
                + ": "
                + failure
                + "; what is in them stays there, and is tried again unless that was an fsync",
            failure);
      }
      queue.addAll(stuck);
      stuck.clear();
      notifyAll();
    }
  }

  /** Whether this one's write failed, or only failed ones are left. */
  private boolean isStuck(SuperTable superTable) {
    return stuck.contains(superTable) || queue.isEmpty() && writing == 0 && !stuck.isEmpty();
  }

  /** Waits until nothing is being written, but for what cannot be; or until the end. */
  synchronized void awaitIdle() {
    Uninterrupted.await(this, () -> closing || queue.isEmpty() && writing == 0);
  }

  // ---- For the thread that writes ----

  /**
   * Waits for something to write, or to be woken. What was taken before is done.
   *
   * @param batch is filled with at most so many super tables; it may stay empty
   * @return false if it is to end
   */
  synchronized boolean take(List<SuperTable> batch, int most) {
    writing = 0;
    notifyAll();
    Uninterrupted.await(this, () -> !queue.isEmpty() || woken || closing);
    while (!closing && !queue.isEmpty() && batch.size() < most) {
      batch.add(queue.poll());
    }
    writing = batch.size();
    woken = false;
    return !closing;
  }

  /** A buffer was written, and may be filled again. */
  void free(WriteBuffer written) {
    written.clear();
    synchronized (this) {
      spares.add(written);
      notifyAll();
    }
  }

  synchronized void failed(SuperTable superTable, Throwable e) {
    failure = e;
    stuck.add(superTable);
    notifyAll();
  }

  /** Lets the thread look around, though there may be nothing to write. */
  synchronized void wake() {
    if (!woken) {
      woken = true;
      notifyAll();
    }
  }

  /** Lets the thread end; nobody waits any more. */
  synchronized void close() {
    closing = true;
    notifyAll();
  }
}
