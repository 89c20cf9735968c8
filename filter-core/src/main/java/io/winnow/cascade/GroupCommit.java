package io.winnow.cascade;

import io.winnow.flash.store.Durability;
import io.winnow.flash.store.ReadThreads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets threads share an fsync: the operations that come while one is under way are committed by the
 * next one, all together. One of the waiting threads does it for all of them.
 *
 * <p>Threads whose operations were committed come back at once with their next ones. So who commits
 * waits for as many as there were lately, but only a small part of the time that a commit takes.
 */
final class GroupCommit {
  /** Threads share syncs where at most so many operations come to one. */
  private static final int MOST_OPERATIONS = 16;

  /** A commit waits for such a part of its time. */
  private static final int WAIT_PART = 8;

  /** Commits operations. */
  interface Committer {
    /**
     * Commits operations in their order. If it throws, some of them may be in.
     *
     * @param in where to put how many are in, from the first one on; also if it throws
     */
    void commit(long[] slots, int[] in) throws IOException;
  }

  /** An operation of a thread that waits. */
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

  /** Whether operations are synced so often that it pays. */
  static boolean isFor(Durability durability) {
    return durability.isLogged() && durability.operations() <= MOST_OPERATIONS;
  }

  /** Returns when an operation is committed; if it throws, it is not. */
  void commit(long slot) throws IOException {
    // All that the commit needs is there before anybody relies on it.
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
    if (mine.failure != null) {
      throwAsIs(mine.failure);
    }
  }

  private void awaitCommitted() {
    try {
      committed.awaitUninterruptibly();
    } catch (OutOfMemoryError e) { // it has no memory to wait with, and its operation is taken
      lock.unlock();
      Thread.yield();
      lock.lock();
    }
  }

  /** Waits for as many as there were lately, if they come soon. */
  private void gather() {
    int expected = Math.max(last, beforeLast);
    long left = lastNanos / WAIT_PART;
    boolean interrupted = false;
    while (waiting.size() < expected && left > 0) {
      try {
        left = arrived.awaitNanos(left);
      } catch (InterruptedException e) {
        interrupted = true;
        left = 0;
      } catch (OutOfMemoryError e) {
        left = 0; // those that are here are enough
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

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

  /** The stack of a thread's own call is added to what another one met for it. */
  private static void throwAsIs(Throwable failure) throws IOException {
    if (failure instanceof IOException) {
      IOException e = (IOException) failure;
      throw new IOException(e.getMessage(), e);
    }
    ReadThreads.rethrow(failure);
  }
}
