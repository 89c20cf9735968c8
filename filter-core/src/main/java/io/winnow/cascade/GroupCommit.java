package io.winnow.cascade;

import io.winnow.flash.drive.ReadThreads;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Group commit: lets threads share an fsync. Operations that arrive during one commit are committed
 * together by the next one, by one of the waiting threads.
 *
 * <p>Threads whose operations were committed soon return with their next ones. So a commit first
 * waits for as many operations as the last commits had, but only for a small part of the time that
 * a commit takes.
 */
final class GroupCommit {
  /** Maximum of operations between two syncs at which threads share syncs. */
  private static final int MAX_OPERATIONS_PER_SYNC = 16;

  /**
   * Divisor that gives the time for which a commit of inserts waits for more operations, from the
   * time of the last commit.
   */
  private static final int WAIT_PART = 8;

  /** Writes and syncs a group of inserts and deletes. */
  interface Committer {
    /**
     * Commits inserts and deletes in their order. If it throws, some of them may be committed.
     *
     * @param in receives in element 0 the number of committed operations, counted from the first
     *     one; also if it throws
     */
    void commit(long[] slots, int[] in) throws IOException;
  }

  /** An insert or delete of a thread that waits for its commit. */
  private static final class Ticket {
    private final long slot;
    private boolean done;
    private Throwable failure;

    Ticket(long slot) {
      this.slot = slot;
    }
  }

  private final Committer committer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Condition committed = lock.newCondition();

  // guarded by the lock
  private List<Ticket> waiting = new ArrayList<>();
  private boolean committing;
  private int last;
  private int beforeLast;
  private long lastNanos;

  GroupCommit(Committer committer) {
    this.committer = committer;
  }

  /**
   * Returns whether a filter of this durability syncs so often that sharing syncs between threads
   * pays.
   */
  static boolean isFor(Durability durability) {
    return durability.isLogged() && durability.operations() <= MAX_OPERATIONS_PER_SYNC;
  }

  /**
   * Commits an insert or delete, alone or in a group with those of other threads. If it throws, the
   * operation is not committed.
   */
  void commit(long slot) throws IOException {
    // Everything that the commit needs is allocated before another thread relies on it.
    Ticket mine = new Ticket(slot);
    List<Ticket> next = new ArrayList<>();
    int[] in = new int[1];
    List<Ticket> group = null;
    lock.lock();
    try {
      waiting.add(mine);
      arrived.signal();
      while (committing && !mine.done) {
        awaitCommitted();
      }
      if (!mine.done) {
        committing = true;
        gather();
        group = waiting;
        waiting = next;
      }
    } finally {
      lock.unlock();
    }
    if (group != null) {
      commit(group, in);
    }
    if (mine.failure instanceof IOException) { // another thread may have had it
      throw new IOException(mine.failure.getMessage(), mine.failure);
    }
    ReadThreads.rethrow(mine.failure);
  }

  private void awaitCommitted() {
    try {
      committed.awaitUninterruptibly();
    } catch (OutOfMemoryError e) { // no memory to wait with, but the operation may be in a commit
      lock.unlock();
      Thread.yield();
      lock.lock();
    }
  }

  /** Waits a short time for as many inserts and deletes as the last two commits had. */
  private void gather() {
    int expected = Math.max(last, beforeLast);
    long left = lastNanos / WAIT_PART;
    while (waiting.size() < expected && left > 0) {
      try {
        left = arrived.awaitNanos(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        left = 0; // commit those that have arrived
      } catch (OutOfMemoryError e) {
        left = 0;
      }
    }
  }

  /** Commits a group of operations and wakes the threads that wait for them. */
  private void commit(List<Ticket> group, int[] in) {
    long began = System.nanoTime();
    Throwable failure = null;
    try {
      long[] slots = group.stream().mapToLong(ticket -> ticket.slot).toArray();
      committer.commit(slots, in);
      in[0] = slots.length;
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    lock.lock();
    try {
      for (int i = 0; i < group.size(); i++) {
        group.get(i).done = true;
        group.get(i).failure = i < in[0] ? null : failure;
      }
      committing = false;
      beforeLast = last;
      last = group.size();
      lastNanos = System.nanoTime() - began;
      committed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
