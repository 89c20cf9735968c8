package io.winnow.cascade;

import io.winnow.flash.store.Uninterrupted;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The threads that merge, and which merge they work on: always the one of the lowest rank that has
 * a chunk to give, since what comes from memory cannot wait and what goes into the largest level
 * can. A large merge so rests whenever a small one has something to do, with one thread as with
 * many.
 */
final class MergeScheduler {
  /** How fast merges go, at first, until that is known: slots per second and thread. */
  private static final double FIRST_GUESS = 30e6;

  private static final double SMOOTHING = 0.05;

  private final Merges owner;
  private final String name;
  private final List<Merge> merges = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile List<Merge> running = List.of();
  private volatile double nanosPerSlot = 1e9 / FIRST_GUESS;
  private int wanted;
  private boolean stopped;

  MergeScheduler(String name, int threads, Merges owner) {
    this.name = name;
    this.owner = owner;
    setThreads(threads);
  }

  /** More threads begin at once, superfluous ones leave after their chunk. */
  synchronized void setThreads(int count) {
    wanted = count;
    while (threads.size() < wanted && !stopped) {
      Thread thread = new Thread(this::work, name + "-" + threads.size());
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    notifyAll();
  }

  synchronized int threads() {
    return wanted;
  }

  synchronized void submit(Merge merge) {
    merges.add(merge);
    merges.sort(Comparator.comparingInt(Merge::rank));
    running = List.copyOf(merges);
    notifyAll();
  }

  /** The ranks of merges have changed. */
  synchronized void reorder() {
    merges.sort(Comparator.comparingInt(Merge::rank));
    running = List.copyOf(merges);
    notifyAll();
  }

  /** A merge is over, and what came of it is known to all. False if that was said before. */
  synchronized boolean remove(Merge merge) {
    boolean removed = merges.remove(merge);
    running = List.copyOf(merges);
    return removed;
  }

  /** The merges under way, lowest rank first, until they are {@linkplain #remove removed}. */
  List<Merge> running() {
    return running;
  }

  /** Time that a slot takes in a merge, with all threads at it. */
  double nanosPerSlot() {
    return nanosPerSlot;
  }

  /** Gives up all merges, and returns when no thread is left. */
  void stop() {
    List<Thread> left;
    List<Merge> abandoned;
    synchronized (this) {
      stopped = true;
      left = List.copyOf(threads);
      abandoned = List.copyOf(merges);
      notifyAll();
    }
    for (Merge merge : abandoned) {
      if (merge.abandon()) {
        end(merge, null);
      }
    }
    left.forEach(Uninterrupted::join);
  }

  private static final class Task {
    final Merge merge;
    final Chunks.Chunk chunk;

    Task(Merge merge, Chunks.Chunk chunk) {
      this.merge = merge;
      this.chunk = chunk;
    }
  }

  private void work() {
    Chunks.Work work = new Chunks.Work();
    int chunkBytes = 0;
    for (Task task = take(); task != null; task = take()) {
      Throwable failure = null;
      if (task.merge.chunkBytes() != chunkBytes) {
        chunkBytes = task.merge.chunkBytes();
        work = new Chunks.Work(); // its buffers only grow, and chunks may be smaller now
      }
      try {
        long began = System.nanoTime();
        int slots = task.merge.run(task.chunk, work);
        measured(slots, System.nanoTime() - began);
      } catch (IOException | RuntimeException | Error e) {
        failure = e;
        task.merge.fail(e);
      }
      if (task.merge.leave()) {
        end(task.merge, failure);
      }
      synchronized (this) {
        notifyAll(); // a chunk was written, another may be claimed
      }
    }
  }

  private synchronized Task take() {
    while (true) {
      if (stopped || threads.size() > wanted) {
        threads.remove(Thread.currentThread());
        return null;
      }
      for (Merge merge : merges) {
        Chunks.Chunk chunk = merge.claim(wanted + 1);
        if (chunk != null) {
          return new Task(merge, chunk);
        }
      }
      try {
        wait();
      } catch (InterruptedException e) {
        // nobody but us has this thread: there is nothing to stop for
      }
    }
  }

  private void measured(int slots, long nanos) {
    if (slots > 0) {
      double now = (double) nanos / slots / Math.max(1, wanted);
      nanosPerSlot += SMOOTHING * (now - nanosPerSlot);
    }
  }

  private void end(Merge merge, Throwable failure) {
    Throwable reason = failure != null ? failure : merge.failure();
    merge.discard();
    if (reason == null) {
      try {
        owner.complete(merge);
        return;
      } catch (IOException | RuntimeException | Error e) {
        reason = e;
      }
    }
    owner.failed(merge, reason);
  }
}
