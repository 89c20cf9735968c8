package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import io.winnow.flash.store.Uninterrupted;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The merges of a filter that are under way: what they hold, the files they write, and who is told
 * how they end.
 *
 * <p>Its threads always work on the merge of the lowest rank that has a chunk to give, since what
 * comes from memory cannot wait and what goes into the largest level can. A large merge so rests
 * whenever a small one has something to do, with one thread as with many.
 */
final class Merges {
  /** How fast merges go, at first, until that is known: slots per second and thread. */
  private static final double FIRST_GUESS = 30e6;

  private static final double SMOOTHING = 0.05;

  private final CascadeDirectory directory;
  private final MemoryShares memory;
  private final MergeLimit limiter;

  /** For logs and manifests. */
  private final long reservedBytes;

  private final Listener listener;
  private final List<Thread> threads = new ArrayList<>();

  /** The merges under way, lowest rank first. For anybody; the monitor is for who changes it. */
  volatile List<Merge> running = List.of();

  private volatile double nanosPerSlot = 1e9 / FIRST_GUESS;
  private volatile int wanted;
  private boolean stopped;

  /** Who is told how a merge ends, in its threads, without locks. */
  interface Listener {
    /**
     * All of it is written: makes its result, if anything is left, take the place of its sources.
     *
     * @throws IOException if it does not, and all is as it was
     */
    void complete(Merge merge, CascadeLevel result) throws IOException;

    /** It failed, and its sources stay. */
    void failed(Merge merge, Throwable reason);
  }

  Merges(CascadeDirectory directory, MemoryShares memory, Listener listener) {
    this.directory = directory;
    this.listener = listener;
    this.memory = memory;
    this.reservedBytes =
        (1 << 20) + CascadeDirectory.logBytes(memory.levelEntries, directory.options.durability);
    this.limiter = new MergeLimit(directory.options.mergeBytesPerSecond);
    setThreads(directory.options.mergeThreads);
  }

  // ---- With the monitor of the levels ----

  /**
   * Begins a merge, and holds its sources.
   *
   * @param idle the levels that may take part, newest first
   * @param number its file's
   * @throws IOException if there is no room for it
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
    boolean last = now.levels.isEmpty() || oldest == now.levels.get(now.levels.size() - 1);
    long within = policy.operationsFor(step.rank, now.active.entries());
    Merge merge =
        new Merge(
            directory,
            sources,
            last,
            step.rank,
            chunkBytesFor(sources),
            directory.counters.counts.sum(CascadeCount.OPERATIONS) + within,
            number,
            limiter);
    sources.forEach(source -> ((Shared) source).hold());
    order(Stream.of(merge));
    directory.counters.tell(to -> to.mergeBegan(merge.rank, merge.totalEntries()));
  }

  /**
   * A range of slots has sections of each source in proportion to its size. With levels in order
   * all of them come to about twice the largest one's; those out of order take no more memory.
   */
  private int chunkBytesFor(List<SlotSource> sources) {
    double largest = sources.stream().mapToLong(SlotSource::entries).max().orElse(0);
    double total = sources.stream().mapToLong(SlotSource::entries).sum();
    double share = Math.min(1, 2 * largest / Math.max(total, 1));
    return (int) Math.max(share * memory.chunkBytes(wanted), directory.pageBytes);
  }

  /**
   * Gives the merges that run the ranks and the time that they have by another fan-out: what comes
   * meanwhile must find a place below them. Who inserts pays for it little by little ({@link
   * Pacing}), and does not wait for one of them in the end.
   */
  void retime(View now, MergePolicy policy) {
    for (Merge merge : running) {
      if (now.hasFrozen(merge.sources)) {
        continue; // into the first level, whatever the fan-out
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
    order(Stream.empty());
  }

  /** Refuses a merge that the drive has no room for, beside the others that run and the logs. */
  private void checkRoom(List<SlotSource> sources) throws IOException {
    long free = directory.usableBytes();
    long needed = reservedBytes + bytesFor(sources);
    for (Merge merge : running) {
      needed += Math.max(0, bytesFor(merge.sources) - merge.bytesWritten());
    }
    if (needed > free) {
      throw new IOException(
          String.format(
              "No space left for a merge: it may take %s bytes, with others that run and logs,"
                  + " and the drive of %s has %s",
              needed, directory.path, free));
    }
  }

  /** Bytes on the drive that a merge takes at most, but for a few pages. */
  private long bytesFor(List<SlotSource> sources) {
    double bytes = 0;
    for (SlotSource source : sources) {
      bytes +=
          source instanceof CascadeLevel
              ? (double) source.sections() * directory.pageBytes
              : SlotCoding.bytes(directory.shape, Math.max(1, source.entries()));
    }
    long pages = (long) (bytes / directory.pageBytes) + 1;
    return (pages + LevelFile.fencePages(pages, directory.pageBytes)) * directory.pageBytes;
  }

  boolean isMerging(SlotSource source) {
    return running.stream().anyMatch(merge -> merge.sources.contains(source));
  }

  /** The newest of some levels, up to the first one that is in a merge. */
  List<CascadeLevel> idle(List<CascadeLevel> levels) {
    return levels.stream().takeWhile(level -> !isMerging(level)).collect(Collectors.toList());
  }

  /** The lowest rank that one of them goes to, or {@link MergePolicy#NO_MERGE}. */
  int lowestRank() {
    List<Merge> now = running;
    return now.isEmpty() ? MergePolicy.NO_MERGE : now.get(0).rank;
  }

  /** A merge is over, and what came of it is known to all. False if that was said before. */
  synchronized boolean end(Merge merge) {
    List<Merge> left = new ArrayList<>(running);
    boolean removed = left.remove(merge);
    running = List.copyOf(left);
    return removed;
  }

  /** Lets go of the sources of a merge that is over: their files may be closed. Without locks. */
  void letGo(Merge merge) {
    merge.sources.forEach(source -> ((Shared) source).release());
  }

  // ---- While it runs, and at the end ----

  /** Time that a slot of a merge takes, with all threads at it; the limit may be new. */
  double nanosPerSlot(Merge merge) {
    long limit = limiter.get();
    return Math.max(nanosPerSlot, limit == 0 ? 0 : bytesPerSlot(merge) * 1e9 / limit);
  }

  /** What a merge reads and writes for each slot that it takes in, at most. */
  private double bytesPerSlot(Merge merge) {
    long slots = Math.max(1, merge.totalEntries());
    double read = 0;
    for (SlotSource source : merge.sources) {
      read += source instanceof CascadeLevel ? (double) source.sections() * directory.pageBytes : 0;
    }
    return (read + SlotCoding.bytes(directory.shape, slots)) / slots;
  }

  /** More threads begin at once, superfluous ones leave after their chunk. */
  synchronized void setThreads(int count) {
    wanted = count;
    while (threads.size() < wanted && !stopped) {
      String name = directory.threadName("merge-" + threads.size());
      Thread thread = new Thread(this::work, name);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    notifyAll();
  }

  /** Changes what merges may read and write in a second, unless the end has begun. */
  synchronized void setBytesPerSecond(long bytes) {
    if (!stopped) {
      limiter.set(bytes);
    }
  }

  /** Gives up all merges, and returns when no thread is left. */
  void stop() {
    List<Thread> left;
    List<Merge> abandoned;
    synchronized (this) {
      stopped = true;
      limiter.set(0); // who waits for it shall not hold up the end
      left = List.copyOf(threads);
      abandoned = running;
      notifyAll();
    }
    for (Merge merge : abandoned) {
      if (merge.abandon()) {
        finish(merge);
      }
    }
    left.forEach(Uninterrupted::join);
  }

  // ---- The threads ----

  /** There is another merge, or, with none, the ranks of merges have changed. */
  private synchronized void order(Stream<Merge> more) {
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
        measured(slots, System.nanoTime() - began);
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

  private synchronized Task take() {
    while (true) {
      if (stopped || threads.size() > wanted) {
        threads.remove(Thread.currentThread());
        return null;
      }
      for (Merge merge : running) {
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

  /**
   * The threads of a merge have left it, since all of it is written, or it failed. Without locks.
   */
  private void finish(Merge merge) {
    Throwable reason = merge.failure;
    merge.discard();
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
    directory.counters.tell(to -> to.mergeEnded(merge.ended(why)));
  }
}
