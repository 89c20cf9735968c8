package io.winnow.cascade;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The levels of a filter, in memory and on flash, and the merges between them: which there are now,
 * as a {@link View}, and how one set of them takes the place of another.
 *
 * <p>Its monitor guards what changes. An insert may have to take it, so nobody reads, writes,
 * switches, closes or deletes a file with it while the filter is open. The manifest is switched
 * with a lock for that alone. Order: lock for inserts, lock for switches, monitor; with the monitor
 * the scheduler's may be taken, never the other way round.
 *
 * <p>What a merge has written takes its sources' place in these steps:
 *
 * <ol>
 *   <li>With the lock for switches, and the monitor: the manifest after it is made up. Its next
 *       file is beyond all that it names, since these have their numbers. Merges that begin later
 *       take others; a crash leaves their files unnamed.
 *   <li>Without the monitor: the manifest is switched. Meanwhile a level may be frozen, and no more
 *       than that: other merges wait for their turn to switch. If this merge takes in the frozen
 *       level, not even that, and so the log that the manifest begins with is right.
 *   <li>With the monitor: the levels as they are now, with the result, are what readers see.
 *   <li>Without any lock: the frozen level's log is closed, and what is named no more is deleted,
 *       if the switch was safe. Until here all of it was there, whichever manifest a crash or a
 *       power failure would have left.
 * </ol>
 *
 * <p>A sync asks for the log of the frozen level first, and makes it safe; if there is none any
 * more, or it is closed, step 3 was done, and so {@link Catalog#isSafe} tells of that switch.
 */
final class Levels implements Closeable {
  private final MergePolicy policy;
  private final CascadeDirectory directory;
  private final Catalog catalog;
  private final MemoryLevels memoryLevels;
  private final Merges merges;

  /** The lock for switches. */
  private final Object switching = new Object();

  /** What can be read; null when closed. Changed under the monitor. */
  private volatile View view;

  private OperationLog frozenLog;
  private long activeFirstLog;
  private Throwable mergeFailure;
  private Throwable lastMergeFailure;
  private boolean closing;
  private int cleaning;
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

  /**
   * Returns when a power failure cannot bring back what was there before the last merges: what they
   * wrote is in no log that is made safe.
   */
  void makeSafe() throws IOException {
    if (catalog.isSafe()) {
      return;
    }
    List<Path> files;
    synchronized (switching) {
      catalog.makeSafe();
      files = catalog.takeUnnamed();
    }
    delete(files);
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
  void complete(Merge merge, CascadeLevel level) throws IOException {
    View was;
    OperationLog flushedLog;
    List<Path> files;
    synchronized (switching) {
      View next = switchManifest(merge, level);
      synchronized (this) {
        was = view;
        if (next.active != was.active) { // a level was frozen meanwhile
          View latest = new View(was.active, was.frozen, next.levels);
          next.release();
          next = latest;
        }
        view = next;
        flushedLog = flushes(merge, was) ? frozenLog : null;
        frozenLog = flushedLog != null ? null : frozenLog;
        count(merge, was);
        files = catalog.takeUnnamed();
        cleaning++;
        merges.end(merge);
      }
    }
    try {
      planAndTell();
    } finally {
      clean(merge, level, was, flushedLog, files);
    }
  }

  /** Returns what readers are to see after the switch. */
  private View switchManifest(Merge merge, CascadeLevel level) throws IOException {
    View next;
    Manifest manifest;
    synchronized (this) {
      boolean flushes = flushes(merge, view);
      List<CascadeLevel> levels = view.levelsAfter(merge, level);
      next = new View(view.active, flushes ? null : view.frozen, levels);
      manifest = catalog.with(levels, flushes ? activeFirstLog : catalog.manifest().firstLog());
    }
    try {
      catalog.switchTo(manifest);
    } catch (IOException | RuntimeException | Error e) {
      next.release();
      throw e;
    }
    merges.keep(merge);
    return next;
  }

  private static boolean flushes(Merge merge, View now) {
    return now.frozen != null && merge.sources().contains(now.frozen);
  }

  private void count(Merge merge, View was) {
    entriesMerged += merge.entriesOut();
    entriesFlushed += flushes(merge, was) ? was.frozen.entries() : 0;
    if (!catalog.isSafe()) {
      lastMergeFailure =
          new IOException("fsync of " + directory.path() + " failed: old files are kept");
    }
  }

  private synchronized void planAndTell() {
    plan();
    notifyAll();
  }

  /** Lets go of what a merge took in, and deletes it; without locks, since that takes time. */
  private void clean(
      Merge merge, CascadeLevel level, View was, OperationLog flushedLog, List<Path> files) {
    was.release();
    if (level != null) {
      level.release(); // the view has it
    }
    merges.letGo(merge);
    if (flushedLog != null) {
      flushedLog.retire();
    }
    delete(files);
    synchronized (this) {
      cleaning--;
      notifyAll();
    }
  }

  /** What cannot be deleted now is a leftover, for the next opening. */
  private void delete(List<Path> files) {
    for (Path file : files) {
      try {
        directory.delete(file);
      } catch (IOException e) {
        synchronized (this) {
          lastMergeFailure = e;
        }
      }
    }
  }

  /** A merge failed, and its sources stay. */
  void failed(Merge merge, Throwable reason) {
    boolean ended;
    synchronized (this) {
      ended = merges.end(merge);
      if (!closing) {
        mergeFailure = reason;
        lastMergeFailure = reason;
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
    policy.setFanOut(times);
    openView().levels.forEach(level -> level.setRank(policy.rankOf(level.entries())));
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
