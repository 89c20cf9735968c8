package io.winnow.cascade;

import io.winnow.flash.PageStore;
import java.io.IOException;
import java.util.ArrayList;
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

  /** For logs and manifests. */
  private final long reservedBytes;

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
    this.reservedBytes =
        (1 << 20) + (options.durability().isLogged() ? Ingest.logBytes(memory.levelEntries()) : 0);
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
   * @param idle the levels that may take part, newest first
   * @param number its file's
   * @return why there is no room for it, or null
   */
  IOException begin(
      MergePolicy.Step step, View now, List<CascadeLevel> idle, MergePolicy policy, long number) {
    List<SlotSource> sources = new ArrayList<>();
    if (step.withFrozen()) {
      sources.add(now.frozen);
    }
    sources.addAll(idle.subList(0, step.levels()));
    IOException noRoom = noRoom(sources);
    if (noRoom != null) {
      return noRoom;
    }
    SlotSource oldest = sources.get(sources.size() - 1);
    boolean last = now.levels.isEmpty() || oldest == now.levels.get(now.levels.size() - 1);
    long within = policy.operationsFor(step.rank(), now.active.entries());
    Merge merge =
        new Merge(
            shape,
            sources,
            last,
            step.rank(),
            directory.pageBytes(),
            chunkBytesFor(sources),
            operations.getAsLong() + within,
            new Output(number, directory.newId()),
            limiter);
    sources.forEach(source -> ((Shared) source).hold());
    scheduler.submit(merge);
    return null;
  }

  /**
   * A range of slots has sections of each source in proportion to its size. With levels in order
   * all of them come to about twice the largest one's; those out of order take no more memory.
   */
  private int chunkBytesFor(List<SlotSource> sources) {
    double largest = sources.stream().mapToLong(SlotSource::entries).max().orElse(0);
    double total = sources.stream().mapToLong(SlotSource::entries).sum();
    double share = Math.min(1, 2 * largest / Math.max(total, 1));
    return (int) Math.max(share * memory.chunkBytes(scheduler.threads()), directory.pageBytes());
  }

  /**
   * Gives the merges that run the ranks and the time that they have by another fan-out: what comes
   * meanwhile must find a place below them. Who inserts pays for it little by little ({@link
   * Pacing}), and does not wait for one of them in the end.
   */
  void retime(View now, MergePolicy policy) {
    for (Merge merge : running()) {
      if (now.flushes(merge)) {
        continue; // into the first level, whatever the fan-out
      }
      int rank = Math.max(2, policy.rankOf(merge.totalEntries()));
      long newer = 0;
      for (CascadeLevel level : now.levels) {
        if (merge.sources().contains(level)) {
          break;
        }
        newer += level.rank() < rank ? level.entries() : 0;
      }
      long active = now.active.entries();
      long room = policy.operationsFor(rank, active) - newer;
      long within = Math.max(room, policy.operationsFor(1, active));
      merge.setDue(rank, operations.getAsLong() + within);
    }
    scheduler.reorder();
  }

  /**
   * Why there is no room on the drive for a merge, beside the others that run and the logs; null if
   * there is.
   */
  private IOException noRoom(List<SlotSource> sources) {
    long free = directory.usableBytes();
    long needed = reservedBytes + Merge.bytesFor(shape, sources, directory.pageBytes());
    for (Merge merge : running()) {
      needed += merge.bytesToCome();
    }
    return needed <= free
        ? null
        : new IOException(
            "No space left for a merge: it may take "
                + needed
                + " bytes, with others that run and logs, and the drive of "
                + directory.path()
                + " has "
                + free);
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

  /** A merge is over, and what came of it is known to all. False if that was said before. */
  boolean end(Merge merge) {
    return scheduler.remove(merge);
  }

  /** Lets go of the sources of a merge that is over: their files may be closed. Without locks. */
  void letGo(Merge merge) {
    merge.sources().forEach(source -> ((Shared) source).release());
  }

  // ---- What merges come to, in their threads ----

  private final class Listener implements MergeScheduler.Listener {
    @Override
    public void complete(Merge merge) throws IOException {
      CascadeLevel level = null;
      if (merge.store() != null) {
        int[] fences = merge.seal();
        Merge.Output output = merge.output();
        level =
            directory.level(
                output.number(),
                output.id(),
                merge.rank(),
                merge.entriesOut(),
                fences,
                merge.store());
      }
      try {
        levels.catalog().complete(merge, level);
      } catch (IOException | RuntimeException | Error e) {
        if (level != null && !((Output) merge.output()).kept) {
          level.release();
        }
        throw e;
      }
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
    private final long id;
    private boolean kept;

    Output(long number, long id) {
      this.number = number;
      this.id = id;
    }

    @Override
    public long number() {
      return number;
    }

    @Override
    public long id() {
      return id;
    }

    @Override
    public PageStore create() throws IOException {
      return directory.createLevelFile(number, id);
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

  /** Time that a slot of a merge takes, with all threads at it; the limit may be new. */
  double nanosPerSlot(Merge merge) {
    long limit = limiter.get();
    return Math.max(scheduler.nanosPerSlot(), limit == 0 ? 0 : bytesPerSlot(merge) * 1e9 / limit);
  }

  /** What a merge reads and writes for each slot that it takes in, at most. */
  private double bytesPerSlot(Merge merge) {
    long slots = Math.max(1, merge.totalEntries());
    double read = 0;
    for (SlotSource source : merge.sources()) {
      read +=
          source instanceof CascadeLevel ? (double) source.sections() * directory.pageBytes() : 0;
    }
    return read / slots + SlotCoding.bitsPerSlot(shape.bits(), slots, shape.minRemainderBits()) / 8;
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
