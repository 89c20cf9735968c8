package io.winnow.cascade;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * The levels of a filter, in memory and on flash, and the merges between them: which there are now,
 * as a {@link View}, and how one set of them takes the place of another.
 *
 * <p>Its monitor guards what changes. An insert may have to take it, so nobody reads, writes,
 * switches, closes or deletes a file with it while the filter is open. The manifest is switched
 * with a lock for that alone, as {@link Catalog} says. Order: lock for inserts, lock for switches,
 * monitor; with the monitor the scheduler's may be taken, never the other way round.
 */
final class Levels implements Closeable {
  private final MergePolicy policy;
  private final CascadeDirectory directory;
  private final Catalog catalog;
  private final MemoryLevel.Pool memoryLevels;
  private final Merges merges;
  private final Counters counters;

  /** What can be read; null when closed. Changed under the monitor. */
  private volatile View view;

  private OperationLog frozenLog;
  private long activeFirstLog;
  private Throwable mergeFailure;
  private boolean closing;
  private int cleaning;

  Levels(
      CascadeDirectory directory,
      Manifest manifest,
      MergePolicy policy,
      Merges merges,
      Counters counters) {
    this.policy = policy;
    this.directory = directory;
    this.counters = counters;
    this.catalog = new Catalog(directory, manifest, this, merges, counters);
    this.memoryLevels = new MemoryLevel.Pool(manifest.shape(), policy.memoryEntries());
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
      view = new View(active, null, levels, manifest.doubt());
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

  /** What is on flash. */
  Catalog catalog() {
    return catalog;
  }

  /** The log of the frozen level, or null. */
  synchronized OperationLog frozenLog() {
    return frozenLog;
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
    view = new View(fresh, was.active, was.levels, was.doubt);
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
   */
  synchronized void awaitFlushed() throws IOException {
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
    counters.countStall(System.nanoTime() - began);
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

  /**
   * Waits until no merge is running and none is due, and what they took in is deleted; failures as
   * {@link #awaitFlushed}.
   */
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
    return merges.running().isEmpty() && cleaning == 0 || mergeFailure != null;
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

  // ---- Merges ----

  /** Begins the merges that can begin now. */
  synchronized void plan() {
    while (!closing && mergeFailure == null) {
      View now = view;
      List<CascadeLevel> idle = now.idle(merges);
      MergePolicy.Step step =
          policy.next(
              now.frozen == null ? MergePolicy.NOTHING_FROZEN : now.frozen.entries(),
              idle.stream()
                  .map(l -> new MergePolicy.Level(l.rank(), l.entries()))
                  .collect(Collectors.toList()),
              merges.lowestRank());
      if (step == null) {
        return;
      }
      if (step.isMerge()) {
        IOException noRoom = merges.begin(step, now, idle, policy, catalog.takeFileNumber());
        if (noRoom != null) {
          mergeFailure = noRoom;
          counters.countMergeFailure(noRoom);
          notifyAll();
        }
      } else {
        idle.get(0).setRank(step.rank());
      }
    }
  }

  /** What is to be after a merge: for readers, and in the manifest. */
  static final class Change {
    private final Merge merge;
    private final CascadeLevel result;
    private final View view;
    private final Manifest manifest;

    Change(Merge merge, CascadeLevel result, View view, Manifest manifest) {
      this.merge = merge;
      this.result = result;
      this.view = view;
      this.manifest = manifest;
    }

    Merge merge() {
      return merge;
    }

    CascadeLevel result() {
      return result;
    }

    View view() {
      return view;
    }

    Manifest manifest() {
      return manifest;
    }
  }

  /**
   * What was before a change: a view, and the frozen level's log, if that level is written now; and
   * the share that is in doubt after it.
   */
  static final class Before {
    private final View view;
    private final OperationLog log;
    private final double share;

    Before(View view, OperationLog log, double share) {
      this.view = view;
      this.log = log;
      this.share = share;
    }

    View view() {
      return view;
    }

    OperationLog log() {
      return log;
    }

    double share() {
      return share;
    }
  }

  /** Step 1 of a switch. */
  synchronized Change prepare(Merge merge, CascadeLevel result) throws IOException {
    Doubt doubt = view.doubt.with(merge.doubt());
    if (doubt.isTooMuch()) {
      throw merge.damage();
    }
    View next = view.after(merge, result, doubt);
    long firstLog = view.flushes(merge) ? activeFirstLog : catalog.manifest().firstLog();
    Manifest after = catalog.with(next.levels, firstLog, doubt);
    return new Change(merge, result, next, after.by(policy.memoryEntries(), policy.fanOut()));
  }

  /** Step 3 of a switch. */
  synchronized Before install(Change change) {
    View was = view;
    View next = change.view();
    if (next.active != was.active) { // a level was frozen meanwhile
      next = new View(was.active, was.frozen, change.view().levels, change.view().doubt);
      change.view().release();
    }
    view = next;
    CascadeLevel result = change.result();
    if (result != null) { // the fan-out may have changed
      result.setRank(Math.max(change.merge().rank(), policy.rankOf(result.entries())));
    }
    boolean flushes = was.flushes(change.merge());
    Before before = new Before(was, flushes ? frozenLog : null, next.doubt.share());
    frozenLog = flushes ? null : frozenLog;
    counters.countMerge(change.merge().entriesOut(), flushes ? was.frozen.entries() : 0);
    cleaning++;
    merges.end(change.merge());
    return before;
  }

  synchronized void planAndTell() {
    plan();
    notifyAll();
  }

  /** Step 4 of a switch is done. */
  synchronized void cleaned() {
    cleaning--;
    notifyAll();
  }

  /** A merge failed, and its sources stay. */
  void failed(Merge merge, Throwable reason) {
    boolean ended;
    synchronized (this) {
      ended = merges.end(merge);
      if (!closing) {
        mergeFailure = reason;
        counters.countMergeFailure(reason);
      }
      notifyAll();
    }
    if (ended) {
      merges.letGo(merge);
    }
  }

  // ---- While it runs, and at the end ----

  /** Changes the fan-out; levels get the ranks that they have by it. */
  synchronized void setFanOut(int times) {
    View now = openView();
    policy.setFanOut(times);
    now.levels.forEach(level -> level.setRank(policy.rankOf(level.entries())));
    merges.retime(now, policy);
  }

  /**
   * Sessions may be shorter than any merge. The end of one that leaves more than two levels of a
   * rank waits until there is a level less than now, so that their number stays bounded.
   */
  private void awaitFewer() {
    List<CascadeLevel> last = view == null ? List.of() : view.levels;
    if (last.isEmpty() || last.size() <= 2 * last.get(last.size() - 1).rank()) {
      return;
    }
    merges.setBytesPerSecond(0);
    await(
        () ->
            view.levels.size() < last.size() || merges.running().isEmpty() || mergeFailure != null);
  }

  /** Gives up the merges, and lets go of the levels and of the frozen one's log. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      awaitFewer();
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
