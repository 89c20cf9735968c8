package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import io.winnow.flash.drive.Uninterrupted;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The scheduler of a cascade filter's merges and their threads.
 *
 * <p>A thread always works on the merge of the lowest rank that has a chunk left: the merge of a
 * memory level is urgent, the merge into the largest level is not. So a large merge pauses whenever
 * a small one has work, with any number of threads.
 */
final class Merges {
  /** Initial estimate of the slots that one thread merges per second. */
  private static final double FIRST_GUESS = 30e6;

  private static final double SMOOTHING = 0.05;

  private final CascadeDirectory directory;
  private final MemoryShares memory;

  /** Limit of all merges; there is none while logs are replayed, since the opening waits for it. */
  private final MergeLimit limiter = new MergeLimit();

  /** Bytes on the drive that stay free for logs and manifests. */
  private final long reservedBytes;

  private final Listener listener;
  private final List<Thread> threads = new ArrayList<>();

  /**
   * Running merges of a cascade filter, lowest rank first. All threads may read the list; changes
   * need the monitor.
   */
  volatile List<Merge> running = List.of();

  private volatile double nanosPerSlot = 1e9 / FIRST_GUESS;
  private volatile int threadCount;
  private boolean stopped;

  /** Receives the ends of merges, in merge threads that hold no locks. */
  interface Listener {
    /**
     * Replaces the levels that a merge read by the level that it wrote.
     *
     * @param result the new level, or null if no slot was left
     * @throws IOException if it does not, and nothing has changed
     */
    void complete(Merge merge, CascadeLevel result) throws IOException;

    /** Receives the failure of a merge; the levels that it read stay. */
    void failed(Merge merge, Throwable reason);
  }

  Merges(CascadeDirectory directory, MemoryShares memory, Listener listener) {
    this.directory = directory;
    this.listener = listener;
    this.memory = memory;
    this.reservedBytes =
        (1 << 20) + CascadeDirectory.logBytes(memory.levelEntries, directory.options.durability);
    setThreads(directory.options.mergeThreads);
  }

  // ---- Called with the monitor of the levels ----

  /**
   * Begins a merge of levels, and holds them until it ends.
   *
   * @param idle the levels that may take part, newest first
   * @param number number of the new file
   * @throws IOException if the drive has no room for it
   */
  void begin(
      MergePolicy.Step step, View now, List<CascadeLevel> idle, MergePolicy policy, long number)
      throws IOException {
    List<SlotSource> sources = new ArrayList<>();
    if (step.withFrozen) {
      sources.add(now.frozen);
    }
    sources.addAll(idle.subList(0, step.levels));
    checkRoom(sources);
    SlotSource oldest = sources.get(sources.size() - 1);
    boolean isLast = now.levels.isEmpty() || oldest == now.levels.get(now.levels.size() - 1);
    long within = policy.operationsFor(step.rank, now.active.entries());
    Merge merge =
        new Merge(
            directory,
            sources,
            isLast ? Set.of(oldest) : Set.of(),
            step.rank,
            chunkBytesFor(sources),
            number,
            limiter);
    merge.deadline = directory.counters.counts.sum(CascadeCount.OPERATIONS) + within;
    sources.forEach(source -> ((Shared) source).hold());
    add(Stream.of(merge));
    directory.counters.report(to -> to.mergeBegan(merge.rank, merge.totalEntries()));
  }

  /**
   * Returns the bytes that a chunk of a merge has of each source. A range of slots has sections of
   * each source in proportion to its size; with levels in order they all have about twice the
   * largest one's. Levels out of order get smaller chunks, so that they take no more memory.
   */
  private int chunkBytesFor(List<SlotSource> sources) {
    double largest = sources.stream().mapToLong(SlotSource::entries).max().orElse(0);
    double total = sources.stream().mapToLong(SlotSource::entries).sum();
    double share = Math.min(1, 2 * largest / Math.max(total, 1));
    return (int) Math.max(share * memory.chunkBytes(threadCount), directory.pageBytes);
  }

  /**
   * Assigns running merges the rank and the deadline that another fan-out implies, since the ranks
   * below must have room for the levels that arrive meanwhile. Inserts pay for it little by little
   * ({@link Pacing}), instead of waiting for the whole merge at the end.
   */
  void retime(View now, MergePolicy policy) {
    for (Merge merge : running) {
      if (now.hasFrozen(merge.sources)) {
        continue; // it writes rank 1 with any fan-out
      }
      int rank = Math.max(2, policy.rankOf(merge.totalEntries()));
      long newer = 0;
      for (CascadeLevel level : now.levels) {
        if (merge.sources.contains(level)) {
          break;
        }
        newer += level.rank < rank ? level.entries() : 0;
      }
      long active = now.active.entries();
      long room = policy.operationsFor(rank, active) - newer;
      long within = Math.max(room, policy.operationsFor(1, active));
      merge.rank = rank;
      merge.deadline = directory.counters.counts.sum(CascadeCount.OPERATIONS) + within;
    }
    add(Stream.empty());
  }

  /**
   * Refuses a merge if the drive has no room for its result beside the running ones and the logs.
   */
  private void checkRoom(List<SlotSource> sources) throws IOException {
    long needed = reservedBytes + bytesFor(sources);
    for (Merge merge : running) {
      needed += Math.max(0, bytesFor(merge.sources) - merge.bytesWritten());
    }
    long free = directory.usableBytes(); // last, so that what is written meanwhile is not missed
    if (needed > free) {
      throw new IOException(
          String.format(
              "No space left for a merge: it may need %s bytes, including running merges and logs,"
                  + " but the drive of %s has %s",
              needed, directory.path, free));
    }
  }

  /** Returns the maximum of bytes that a merge takes on the drive, except for a few pages. */
  private long bytesFor(List<SlotSource> sources) {
    double bytes = 0;
    for (SlotSource source : sources) {
      bytes +=
          source instanceof CascadeLevel
              ? (double) source.sections() * directory.pageBytes
              : directory.shape.bytes(Math.max(1, source.entries()));
    }
    long pages = (long) (bytes / directory.pageBytes) + 1;
    return (pages + LevelFile.fencePages(pages, directory.pageBytes)) * directory.pageBytes;
  }

  /** Returns whether a running merge reads this source. */
  boolean isMerging(SlotSource source) {
    return running.stream().anyMatch(merge -> merge.sources.contains(source));
  }

  /** Returns the newest levels, up to the first one that a running merge reads. */
  List<CascadeLevel> idle(List<CascadeLevel> levels) {
    return levels.stream().takeWhile(level -> !isMerging(level)).collect(Collectors.toList());
  }

  /** Returns the lowest rank that a running merge writes, or {@link MergePolicy#NO_MERGE}. */
  int lowestRank() {
    List<Merge> now = running;
    return now.isEmpty() ? MergePolicy.NO_MERGE : now.get(0).rank;
  }

  /**
   * Removes an ended merge from the list of running ones, after its result is published.
   *
   * @return false if it was removed before
   */
  synchronized boolean end(Merge merge) {
    List<Merge> left = new ArrayList<>(running);
    boolean removed = left.remove(merge);
    running = List.copyOf(left);
    return removed;
  }

  /**
   * Releases the levels that an ended merge read, whose files may be closed then. The caller holds
   * no locks.
   */
  void releaseSources(Merge merge) {
    merge.sources.forEach(source -> ((Shared) source).release());
  }

  // ---- While it runs, and at the end ----

  /**
   * Returns the nanoseconds per slot that a merge takes if all threads work on it within the
   * present limit.
   */
  double nanosPerSlot(Merge merge) {
    long limit = limiter.bytesPerSecond;
    return Math.max(nanosPerSlot, limit == 0 ? 0 : bytesPerSlot(merge) * 1e9 / limit);
  }

  /** Returns the maximum of bytes that a merge reads and writes for each of its slots. */
  private double bytesPerSlot(Merge merge) {
    long slots = Math.max(1, merge.totalEntries());
    double read = 0;
    for (SlotSource source : merge.sources) {
      read += source instanceof CascadeLevel ? (double) source.sections() * directory.pageBytes : 0;
    }
    return (read + directory.shape.bytes(slots)) / slots;
  }

  /**
   * Changes the number of merge threads. New threads begin at once; superfluous ones end after
   * their chunk.
   */
  synchronized void setThreads(int count) {
    threadCount = count;
    while (threads.size() < threadCount && !stopped) {
      String name = directory.files.threadName("merge-" + threads.size());
      Thread thread = new Thread(this::work, name);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    notifyAll();
  }

  /**
   * Changes the limit of bytes that merges read and write per second, unless the scheduler is
   * stopping.
   */
  synchronized void setBytesPerSecond(long bytes) {
    if (!stopped) {
      limiter.set(bytes);
    }
  }

  /** Abandons all merges, and returns when no merge thread is left. */
  void stop() {
    List<Thread> left;
    synchronized (this) {
      stopped = true;
      limiter.set(0); // threads that wait for the limit must not delay the end
      left = List.copyOf(threads);
      notifyAll();
    }
    for (Merge merge : running) { // no merge begins any more
      if (merge.abandon()) {
        finish(merge);
      }
    }
    left.forEach(Uninterrupted::join);
  }

  // ---- The threads ----

  /** Adds merges to the running ones, and sorts all by their present ranks. */
  private synchronized void add(Stream<Merge> more) {
    running =
        Stream.concat(running.stream(), more)
            .sorted(Comparator.comparingInt(merge -> merge.rank))
            .collect(Collectors.toUnmodifiableList());
    notifyAll();
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
      if (task.merge.chunkBytes != chunkBytes) {
        chunkBytes = task.merge.chunkBytes;
        work = new Chunks.Work(); // its buffers only grow, and chunks may be smaller now
      }
      try {
        long began = System.nanoTime();
        int slots = task.merge.run(task.chunk, work);
        recordSpeed(slots, System.nanoTime() - began);
      } catch (IOException | RuntimeException | Error e) {
        task.merge.fail(e);
      }
      if (task.merge.leave()) {
        finish(task.merge);
      }
      synchronized (this) {
        notifyAll(); // a chunk was written, another may be claimed
      }
    }
  }

  /**
   * Waits for a chunk of a merge, on which the calling thread then works.
   *
   * @return null if the thread must end
   */
  private synchronized Task take() {
    while (true) {
      if (stopped || threads.size() > threadCount) {
        threads.remove(Thread.currentThread());
        return null;
      }
      for (Merge merge : running) {
        Chunks.Chunk chunk = merge.claim(threadCount + 1);
        if (chunk != null) {
          return new Task(merge, chunk);
        }
      }
      try {
        wait();
      } catch (InterruptedException e) {
        // only this class knows the thread: an interrupt has no meaning
      }
    }
  }

  /** Updates the average of the nanoseconds that the merge of a slot takes. */
  private void recordSpeed(int slots, long nanos) {
    if (slots > 0) {
      double now = (double) nanos / slots / Math.max(1, threadCount);
      nanosPerSlot += SMOOTHING * (now - nanosPerSlot);
    }
  }

  /**
   * Finishes a merge that is written or failed, after the last thread has left it. The caller holds
   * no locks.
   */
  private void finish(Merge merge) {
    Throwable reason = merge.failure;
    CascadeLevel level = null;
    try {
      if (reason == null) {
        level = merge.seal();
        listener.complete(merge, level);
      }
    } catch (IOException | RuntimeException | Error e) {
      reason = e;
      if (level != null && !merge.kept) {
        level.release();
      }
    }
    if (reason != null) {
      if (!merge.kept) {
        merge.delete(reason);
      }
      listener.failed(merge, reason);
    }
    Throwable why = reason;
    directory.counters.report(to -> to.mergeEnded(merge.ended(why)));
  }
}
