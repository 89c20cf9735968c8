package io.winnow.cascade;

import io.winnow.flash.PageStore;
import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The merges of a filter that are under way: what they hold, the files they write, and who is told
 * how they end.
 */
final class Merges {
  private final SlotShape shape;
  private final CascadeDirectory directory;
  private final Memory memory;
  private final RateLimiter limiter;
  private final LongSupplier operations;
  private final MergeScheduler scheduler;

  /** Who is told; set before the first merge. */
  private Levels levels;

  private boolean stopped;

  /**
   * @param operations how many operations there were
   */
  Merges(
      CascadeDirectory directory,
      SlotShape shape,
      CascadeOptions options,
      Memory memory,
      LongSupplier operations,
      String name) {
    this.directory = directory;
    this.shape = shape;
    this.memory = memory;
    this.operations = operations;
    this.limiter = new RateLimiter(options.mergeBytesPerSecond());
    this.scheduler = new MergeScheduler(name, options.mergeThreads(), new Listener());
  }

  void tell(Levels listening) {
    levels = listening;
  }

  // ---- With the monitor of the levels ----

  /**
   * Begins a merge, and holds its sources.
   *
   * @param sources newest first
   * @param last whether nothing is older than the last of them
   * @param within for how many operations from now on it has time
   * @param number its file's
   */
  void begin(List<SlotSource> sources, boolean last, int rank, long within, long number) {
    Merge merge =
        new Merge(
            shape,
            sources,
            last,
            rank,
            directory.pageBytes(),
            memory.chunkBytes(scheduler.threads()),
            operations.getAsLong() + within,
            new Output(number),
            limiter);
    sources.forEach(source -> ((Shared) source).hold());
    scheduler.submit(merge);
  }

  /** The merges under way, lowest rank first. For anybody. */
  List<Merge> running() {
    return scheduler.running();
  }

  boolean isMerging(SlotSource source) {
    return running().stream().anyMatch(merge -> merge.sources().contains(source));
  }

  /** The lowest rank that one of them goes to, or {@link MergePolicy#NO_MERGE}. */
  int lowestRank() {
    return running().isEmpty() ? MergePolicy.NO_MERGE : running().get(0).rank();
  }

  /** The manifest names a merge's file: it is not deleted, whatever comes. */
  void keep(Merge merge) {
    ((Output) merge.output()).kept = true;
  }

  /** A merge is over, and what came of it is known to all. */
  void end(Merge merge) {
    if (scheduler.remove(merge)) {
      merge.sources().forEach(source -> ((Shared) source).release());
    }
  }

  // ---- What merges come to, in their threads ----

  private final class Listener implements MergeScheduler.Listener {
    @Override
    public void complete(Merge merge) throws IOException {
      CascadeLevel level = null;
      if (merge.store() != null) {
        int[] fences = merge.seal();
        level =
            directory.level(
                merge.output().number(), merge.rank(), merge.entriesOut(), fences, merge.store());
      }
      levels.complete(merge, level);
    }

    @Override
    public void failed(Merge merge, Throwable reason) {
      if (!((Output) merge.output()).kept) {
        discard(merge, reason);
      }
      levels.failed(merge, reason);
    }
  }

  /** The file that a merge writes. */
  private final class Output implements Merge.Output {
    private final long number;
    private boolean kept;

    Output(long number) {
      this.number = number;
    }

    @Override
    public long number() {
      return number;
    }

    @Override
    public PageStore create() throws IOException {
      return directory.createLevelFile(number);
    }
  }

  /** Deletes what a failed merge wrote; what stays is a leftover, for the next opening. */
  private void discard(Merge merge, Throwable reason) {
    try {
      if (merge.store() != null) {
        merge.store().close();
      }
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
    try {
      directory.delete(directory.levelPath(merge.output().number()));
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  // ---- While it runs, and at the end ----

  /** Time that a slot takes in a merge, with all threads at it. */
  double nanosPerSlot() {
    return scheduler.nanosPerSlot();
  }

  void setThreads(int threads) {
    scheduler.setThreads(threads);
  }

  /** Changes what merges may read and write in a second, unless the end has begun. */
  synchronized void setBytesPerSecond(long bytes) {
    if (!stopped) {
      limiter.set(bytes);
    }
  }

  /** Gives up all merges, and returns when no thread is left. */
  void stop() {
    synchronized (this) {
      stopped = true;
      limiter.set(0); // who waits for it shall not hold up the end
    }
    scheduler.stop();
  }
}
