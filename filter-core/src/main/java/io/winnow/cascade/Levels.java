package io.winnow.cascade;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The levels of a filter, in memory and on flash, and the merges between them: which there are now,
 * as a {@link View}, and how one set of them takes the place of another.
 *
 * <p>Its monitor guards what changes, and is taken after the lock for inserts. While it is held,
 * the scheduler's and a log's may be taken, never the other way round.
 */
final class Levels implements Closeable {
  private final MergePolicy policy;
  private final CascadeDirectory directory;
  private final Catalog catalog;
  private final MemoryLevels memoryLevels;
  private final Merges merges;

  /** What can be read; null when closed. Changed under the monitor. */
  private volatile View view;

  private OperationLog frozenLog;
  private long activeFirstLog;
  private Throwable mergeFailure;
  private Throwable lastMergeFailure;
  private boolean closing;
  private long entriesFlushed;
  private long entriesMerged;

  Levels(
      CascadeDirectory directory,
      Manifest manifest,
      MergePolicy policy,
      MemoryLevels memoryLevels,
      Merges merges) {
    this.policy = policy;
    this.directory = directory;
    this.catalog = new Catalog(directory, manifest);
    this.memoryLevels = memoryLevels;
    this.merges = merges;
  }

  /** Opens the levels that the manifest names, with nothing in memory. Begins no merge. */
  synchronized void open() throws IOException {
    Manifest manifest = catalog.manifest();
    List<CascadeLevel> levels = new ArrayList<>();
    MemoryLevel active = memoryLevels.take();
    try {
      for (Manifest.LevelEntry entry : manifest.levels()) {
        levels.add(directory.openLevel(entry, policy.rankOf(entry.entries())));
      }
      activeFirstLog = manifest.firstLog();
      view = new View(active, null, levels);
    } finally {
      active.release(); // the view has them now, or nobody
      levels.forEach(Shared::release);
    }
  }

  // ---- What there is ----

  /**
   * The levels as they are now; they may end at any time for who neither {@linkplain #holdView
   * holds} them nor keeps the monitor.
   *
   * @throws IllegalStateException if the filter is closed
   */
  View openView() {
    View now = view;
    if (now == null) {
      throw new IllegalStateException(directory.path() + " is closed");
    }
    return now;
  }

  boolean isOpen() {
    return view != null;
  }

  /** The levels as they are now, for a reader, who releases them. */
  View holdView() {
    while (true) {
      View now = openView();
      if (now.tryHold()) {
        return now;
      }
    }
  }

  /** The log of the frozen level, or null. */
  synchronized OperationLog frozenLog() {
    return frozenLog;
  }

  synchronized long entriesFlushed() {
    return entriesFlushed;
  }

  synchronized long entriesMerged() {
    return entriesMerged;
  }

  synchronized Throwable lastMergeFailure() {
    return lastMergeFailure;
  }

  // ---- For who inserts ----

  /** A level to be filled, for {@link #freeze}. */
  MemoryLevel newMemoryLevel() {
    return memoryLevels.take();
  }

  /**
   * Gives the active level to the merges, and begins another; only when none is frozen.
   *
   * @param fresh the next active level
   * @param itsLog the log of the level that is frozen, or null
   * @param firstLogOfNext the first log that has operations of the next one
   */
  synchronized void freeze(MemoryLevel fresh, OperationLog itsLog, long firstLogOfNext) {
    View was = view;
    view = new View(fresh, was.active, was.levels);
    was.release();
    fresh.release(); // the view has it
    frozenLog = itsLog;
    activeFirstLog = firstLogOfNext;
    tryAgain();
  }

  /** What has failed is begun again, with every full level. */
  private void tryAgain() {
    mergeFailure = null;
    plan();
  }

  /**
   * Waits until no level is frozen. What failed before, or fails and was begun before, is tried
   * once more; then it throws.
   *
   * @param waits what counts the wait
   */
  synchronized void awaitFlushed(WaitCounters waits) throws IOException {
    if (view.frozen == null) {
      return;
    }
    long began = System.nanoTime();
    boolean begunBefore = merges.isMerging(view.frozen);
    tryAgain();
    await(this::isFlushedOrFailed);
    if (view.frozen != null && begunBefore) {
      tryAgain();
      await(this::isFlushedOrFailed);
    }
    waits.countStall(System.nanoTime() - began);
    if (view.frozen != null) {
      throw new IOException(
          "the level in memory is full, and cannot be written to "
              + directory.path()
              + ": "
              + mergeFailure.getMessage()
              + ". What is in the filter can be read; inserts succeed again when this is mended",
          mergeFailure);
    }
  }

  private boolean isFlushedOrFailed() {
    return view.frozen == null || mergeFailure != null && !merges.isMerging(view.frozen);
  }

  /** Waits until no merge is running and none is due; failures as {@link #awaitFlushed}. */
  synchronized void awaitMerges() throws IOException {
    openView();
    boolean begunBefore = !merges.running().isEmpty();
    tryAgain(); // and what a change of the fan-out has made due
    await(this::isMergedOrFailed);
    if (mergeFailure != null && begunBefore) {
      tryAgain();
      await(this::isMergedOrFailed);
    }
    if (mergeFailure != null) {
      throw new IOException("a merge failed: " + mergeFailure.getMessage(), mergeFailure);
    }
  }

  private boolean isMergedOrFailed() {
    return merges.running().isEmpty() || mergeFailure != null;
  }

  /** Waits, with the monitor, for something that merges change. An interrupt is kept for later. */
  private void await(BooleanSupplier condition) {
    boolean interrupted = false;
    while (!condition.getAsBoolean()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns when a power failure cannot bring back what was there before the last merges: what they
   * wrote is in no log that is made safe.
   */
  synchronized void makeSafe() throws IOException {
    if (!catalog.isSafe()) {
      catalog.makeSafe();
      deleteWhatIsMerged();
    }
  }

  // ---- Merges ----

  /** Begins the merges that can begin now. */
  synchronized void plan() {
    while (!closing && mergeFailure == null) {
      View now = view;
      List<CascadeLevel> idle = idle(now);
      MergePolicy.Step step =
          policy.next(
              now.frozen == null ? MergePolicy.NOTHING_FROZEN : now.frozen.entries(),
              idle.stream().map(l -> new MergePolicy.Level(l.rank(), l.entries())).toList(),
              merges.lowestRank());
      if (step == null) {
        return;
      }
      if (step.isMerge()) {
        List<SlotSource> sources = new ArrayList<>();
        if (step.withFrozen()) {
          sources.add(now.frozen);
        }
        sources.addAll(idle.subList(0, step.levels()));
        SlotSource oldest = sources.get(sources.size() - 1);
        boolean last = now.levels.isEmpty() || oldest == now.levels.get(now.levels.size() - 1);
        long operations = policy.operationsFor(step.rank(), now.active.entries());
        merges.begin(sources, last, step.rank(), operations, catalog.takeFileNumber());
      } else {
        idle.get(0).setRank(step.rank());
      }
    }
  }

  /** The newest levels, up to the first one that is in a merge. */
  private List<CascadeLevel> idle(View now) {
    List<CascadeLevel> idle = new ArrayList<>();
    for (CascadeLevel level : now.levels) {
      if (merges.isMerging(level)) {
        break;
      }
      idle.add(level);
    }
    return idle;
  }

  /**
   * A merge is written: makes its result, if anything is left, take the place of its sources.
   *
   * @throws IOException if it does not, and all is as it was
   */
  synchronized void complete(Merge merge, CascadeLevel level) throws IOException {
    adopt(merge, level);
    merges.end(merge);
    plan();
    notifyAll();
  }

  /** A merge failed, and its sources stay. */
  synchronized void failed(Merge merge, Throwable reason) {
    merges.end(merge);
    if (!closing) {
      mergeFailure = reason;
      lastMergeFailure = reason;
    }
    notifyAll();
  }

  /**
   * Switches the manifest first, and, when that is done, what readers see. From there on nothing
   * fails.
   */
  private void adopt(Merge merge, CascadeLevel level) throws IOException {
    View was = view;
    boolean flushed = was.frozen != null && merge.sources().contains(was.frozen);
    List<CascadeLevel> levels = was.levelsAfter(merge, level);
    View next = new View(was.active, flushed ? null : was.frozen, levels);
    try {
      catalog.switchTo(levels, flushed ? activeFirstLog : catalog.manifest().firstLog());
    } catch (IOException | RuntimeException | Error e) {
      next.release();
      throw e;
    }
    merges.keep(merge);
    view = next;
    was.release();
    if (level != null) {
      level.release(); // the view has it
    }
    entriesMerged += merge.entriesOut();
    if (flushed) {
      entriesFlushed += was.frozen.entries();
      if (frozenLog != null) {
        frozenLog.retire();
        frozenLog = null;
      }
    }
    if (catalog.isSafe()) {
      deleteWhatIsMerged();
    } else {
      lastMergeFailure =
          new IOException("fsync of " + directory.path() + " failed: old files are kept");
    }
  }

  private void deleteWhatIsMerged() {
    IOException failure = catalog.deleteWhatIsMerged();
    lastMergeFailure = failure != null ? failure : lastMergeFailure;
  }

  // ---- While it runs, and at the end ----

  /** Changes the fan-out; levels get the ranks that they have by it. */
  synchronized void setFanOut(int times) {
    policy.setFanOut(times);
    openView().levels.forEach(level -> level.setRank(policy.rankOf(level.entries())));
  }

  /** Gives up the merges, and lets go of the levels and of the frozen one's log. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      closing = true;
    }
    merges.stop();
    synchronized (this) {
      View last = view;
      view = null;
      memoryLevels.close();
      if (last != null) {
        last.release();
      }
      if (frozenLog != null) {
        frozenLog.close();
      }
    }
  }
}
