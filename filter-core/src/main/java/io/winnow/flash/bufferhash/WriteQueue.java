package io.winnow.flash.bufferhash;

import io.winnow.flash.drive.Uninterrupted;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Queue between the threads that fill buffers and the thread that writes them to flash: super
 * tables whose full buffers wait to be written, and spare buffers that are filled meanwhile.
 *
 * <p>A buffer that could not be written stays in its super table, and is written again when a
 * thread needs room. Lock order: the monitor of a super table, then this one.
 */
final class WriteQueue {
  private final OpenTable table;
  private final Deque<WriteBuffer> spares = new ArrayDeque<>();
  private final Deque<SuperTable> queue = new ArrayDeque<>();

  /** Super tables whose full buffers could not be written to flash. */
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

  // ---- Called by threads that fill buffers ----

  /**
   * Freezes a super table's full buffer and queues it for the write to flash, if a spare buffer is
   * free and the last one is written. The caller holds the super table's monitor.
   *
   * @return whether it did
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
   * Waits until the full buffer of a super table can probably be frozen, to be written to flash.
   *
   * @throws IOException if buffers cannot be written, not even when this was repeated
   */
  void awaitRoom(SuperTable superTable) throws IOException {
    long begin = System.nanoTime();
    awaitEnd(superTable, () -> superTable.isFrozen() || spares.isEmpty());
    table.counters.count(BufferHashCount.WAITS);
    table.counters.add(BufferHashCount.WAITED_NANOS, System.nanoTime() - begin);
  }

  /**
   * Waits until the frozen buffer of a super table is written to flash, if there is one.
   *
   * @throws IOException if it cannot be written, not even when this was repeated
   */
  void awaitWritten(SuperTable superTable) throws IOException {
    awaitEnd(superTable, superTable::isFrozen);
  }

  /**
   * Waits until a condition is false, or the buffer of the super table cannot be written. Failed
   * writes are repeated once.
   */
  private synchronized void awaitEnd(SuperTable superTable, BooleanSupplier condition)
      throws IOException {
    for (boolean retried = false; ; retried = true) {
      Uninterrupted.await(this, () -> !condition.getAsBoolean() || closing || isStuck(superTable));
      if (!condition.getAsBoolean()) {
        return;
      }
      if (closing) {
        throw table.directory.closed();
      }
      if (retried) {
        throw new IOException(
            String.format(
                "buffers cannot be written to %s: %s; their entries stay in memory, and the write"
                    + " is repeated unless an fsync failed",
                table.directory.path.resolve(TableFile.NAME), failure),
            failure);
      }
      queue.addAll(stuck);
      stuck.clear();
      notifyAll();
    }
  }

  /**
   * Returns whether the buffer of a super table could not be written, or only such buffers are left
   * in the queue.
   */
  private boolean isStuck(SuperTable superTable) {
    return stuck.contains(superTable) || queue.isEmpty() && writing == 0 && !stuck.isEmpty();
  }

  /**
   * Waits until no buffer is being written, except those that cannot be, or until the table is
   * closed.
   */
  synchronized void awaitIdle() {
    Uninterrupted.await(this, () -> closing || queue.isEmpty() && writing == 0);
  }

  // ---- Called by the thread that writes ----

  /**
   * Waits for full buffers to write to flash, or to be woken. The batch taken before is done.
   *
   * @param batch receives at most {@code max} super tables, possibly none
   * @return false if the thread must end
   */
  synchronized boolean take(List<SuperTable> batch, int max) {
    writing = 0;
    notifyAll();
    Uninterrupted.await(this, () -> !queue.isEmpty() || woken || closing);
    while (!closing && !queue.isEmpty() && batch.size() < max) {
      batch.add(queue.poll());
    }
    writing = batch.size();
    woken = false;
    return !closing;
  }

  /** Takes a written buffer back into the queue of spare ones, to be filled again. */
  void free(WriteBuffer written) {
    written.clear();
    synchronized (this) {
      spares.add(written);
      notifyAll();
    }
  }

  /** Records that the full buffers of some super tables could not be written. */
  synchronized void failed(Collection<SuperTable> some, Throwable e) {
    table.counters.recordFailure(e);
    failure = e;
    stuck.addAll(some);
    notifyAll();
  }

  /** Wakes the thread that writes buffers, even if there may be nothing to write. */
  synchronized void wake() {
    if (!woken) {
      woken = true;
      notifyAll();
    }
  }

  /** Ends the thread that writes buffers, and all waits. */
  synchronized void close() {
    closing = true;
    notifyAll();
  }
}
