package io.winnow.cascade;

import io.winnow.flash.store.Pool;
import io.winnow.flash.store.RecordLog;
import io.winnow.flash.store.Uninterrupted;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
final class Levels implements Merges.Listener, Closeable {
  private final MergePolicy policy;
  private final CascadeDirectory directory;

  /** The levels on flash. */
  final Catalog catalog;

  /**
   * Keeps a level in memory that has ended for the next time: their arrays are half the memory
   * budget each, which is better filled again than allocated again.
   */
  private final Pool<MemoryLevel> memoryLevels;

  final Merges merges;

  /** What can be read; null when closed. Changed under the monitor. */
  private volatile View view;

  private RecordLog frozenLog;
  private long activeFirstLog;
  private Throwable mergeFailure;
  private boolean closing;
  private int cleaning;

  Levels(
      CascadeDirectory directory,
      Manifest manifest,
      MergePolicy policy,
      MemoryShares memory,
      String threadName) {
    this.policy = policy;
    this.directory = directory;
    this.catalog = new Catalog(directory, manifest);
    this.memoryLevels =
        new Pool<>(
            1,
            () -> new MemoryLevel(manifest.shape, policy.memoryEntries, this::keep),
            level -> {});
    this.merges = new Merges(directory, memory, threadName, this);
  }

  /** Opens the levels that the manifest names, with nothing in memory. Begins no merge. */
  synchronized void open() throws IOException {
    Manifest manifest = catalog.manifest;
    List<CascadeLevel> levels = new ArrayList<>();
    MemoryLevel active = newMemoryLevel();
    try {
      for (Manifest.LevelEntry entry : manifest.levels) {
        levels.add(directory.openLevel(entry, policy.rankOf(entry.entries)));
      }
      activeFirstLog = manifest.firstLog;
      view = new View(active, null, levels, manifest.doubt);
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
      throw new IllegalStateException(directory.path + " is closed");
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
  synchronized RecordLog frozenLog() {
    return frozenLog;
  }

  // ---- For who inserts ----

  /** An empty level, held once, for {@link #freeze}. */
  MemoryLevel newMemoryLevel() {
    MemoryLevel level = memoryLevels.take();
    level.clear();
    level.revive();
    return level;
  }

  private void keep(MemoryLevel ended) {
    memoryLevels.give(ended);
  }

  /**
   * Gives the active level to the merges, and begins another; only when none is frozen.
   *
   * @param fresh the next active level
   * @param itsLog the log of the level that is frozen, or null
   * @param firstLogOfNext the first log that has operations of the next one
   */
  synchronized void freeze(MemoryLevel fresh, RecordLog itsLog, long firstLogOfNext) {
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
    Uninterrupted.await(this, this::isFlushedOrFailed);
    if (view.frozen != null && begunBefore) {
      tryAgain();
      Uninterrupted.await(this, this::isFlushedOrFailed);
    }
    directory.counters.countWait(System.nanoTime() - began, true);
    if (view.frozen != null) {
      throw new IOException(
          "the level in memory is full, and cannot be written to "
              + directory.path
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
    boolean begunBefore = !merges.running.isEmpty();
    tryAgain(); // and what a change of the fan-out has made due
    Uninterrupted.await(this, this::isMergedOrFailed);
    if (mergeFailure != null && begunBefore) {
      tryAgain();
      Uninterrupted.await(this, this::isMergedOrFailed);
    }
    if (mergeFailure != null) {
      throw new IOException("a merge failed: " + mergeFailure.getMessage(), mergeFailure);
    }
  }

  private boolean isMergedOrFailed() {
    return merges.running.isEmpty() && cleaning == 0 || mergeFailure != null;
  }

  // ---- Merges ----

  /** Begins the merges that can begin now. */
  synchronized void plan() {
    while (!closing && mergeFailure == null) {
      View now = view;
      List<CascadeLevel> idle = merges.idle(now.levels);
      MergePolicy.Step step =
          policy.next(
              now.frozen == null ? MergePolicy.NOTHING_FROZEN : now.frozen.entries(),
              idle.stream()
                  .map(l -> new MergePolicy.Level(l.rank, l.entries()))
                  .collect(Collectors.toList()),
              merges.lowestRank());
      if (step == null) {
        return;
      }
      if (step.isMerge()) {
        IOException noRoom = merges.begin(step, now, idle, policy, catalog.nextFile++);
        if (noRoom != null) {
          mergeFailure = noRoom;
          directory.counters.lastMergeFailure = noRoom;
          notifyAll();
        }
      } else {
        idle.get(0).rank = step.rank;
      }
    }
  }

  /**
   * What is to be after a merge: for readers, and in the manifest. And what was before it: a view,
   * and the frozen level's log, if that level is written now.
   */
  private static final class Change {
    final View view;
    final Manifest manifest;
    View before;
    RecordLog log;

    Change(View view, Manifest manifest) {
      this.view = view;
      this.manifest = manifest;
    }
  }

  /**
   * What a merge has written takes its sources' place in these steps:
   *
   * <ol>
   *   <li>With the lock for switches, and the monitor: the manifest after it is made up. Its next
   *       file is beyond all that it names, since these have their numbers. Merges that begin later
   *       take others; a crash leaves their files unnamed.
   *   <li>Without the monitor: the manifest is switched. Meanwhile a level may be frozen, and no
   *       more than that: other merges wait for their turn to switch. If this merge takes in the
   *       frozen level, not even that, and so the log that the manifest begins with is right.
   *   <li>With the monitor: the levels as they are now, with the result, are what readers see.
   *   <li>Without any lock: the frozen level's log is closed, and what is named no more is deleted,
   *       if the switch was safe. Until here all of it was there, whichever manifest a crash or a
   *       power failure would have left.
   * </ol>
   */
  @Override
  public void complete(Merge merge, CascadeLevel result) throws IOException {
    Change change;
    List<Path> files;
    synchronized (catalog) {
      change = prepare(merge, result);
      try {
        catalog.switchTo(change.manifest);
      } catch (IOException | RuntimeException | Error e) {
        change.view.release();
        throw e;
      }
      merge.kept = true;
      files = catalog.takeUnnamed();
      install(merge, result, change);
    }
    if (merge.damage() != null) {
      directory.counters.countDoubt(change.view.doubt.share(), merge.damage());
    }
    try {
      synchronized (this) {
        plan();
        notifyAll();
      }
    } finally {
      change.before.release();
      if (result != null) {
        result.release(); // the view has it
      }
      merges.letGo(merge);
      if (change.log != null) {
        change.log.retire();
      }
      catalog.delete(files);
      synchronized (this) {
        cleaning--;
        notifyAll();
      }
    }
  }

  private synchronized Change prepare(Merge merge, CascadeLevel result) throws IOException {
    Doubt doubt = view.doubt.with(merge.doubt());
    if (doubt.isTooMuch()) {
      throw merge.damage();
    }
    View next = view.after(merge, result, doubt);
    long firstLog = view.flushes(merge) ? activeFirstLog : catalog.manifest.firstLog;
    Manifest after = catalog.with(next.levels, firstLog, doubt);
    return new Change(next, after.by(policy.memoryEntries, policy.fanOut()));
  }

  private synchronized void install(Merge merge, CascadeLevel result, Change change) {
    View was = view;
    View next = change.view;
    if (next.active != was.active) { // a level was frozen meanwhile
      next = new View(was.active, was.frozen, change.view.levels, change.view.doubt);
      change.view.release();
    }
    view = next;
    if (result != null) { // the fan-out may have changed
      result.rank = Math.max(merge.rank, policy.rankOf(result.entries()));
    }
    boolean flushes = was.flushes(merge);
    change.before = was;
    change.log = flushes ? frozenLog : null;
    frozenLog = flushes ? null : frozenLog;
    directory.counters.entriesMerged += merge.entriesOut();
    directory.counters.entriesFlushed += flushes ? was.frozen.entries() : 0;
    cleaning++;
    merges.end(merge);
  }

  @Override
  public void failed(Merge merge, Throwable reason) {
    boolean ended;
    synchronized (this) {
      ended = merges.end(merge);
      if (!closing) {
        mergeFailure = reason;
        directory.counters.lastMergeFailure = reason;
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
    now.levels.forEach(level -> level.rank = policy.rankOf(level.entries()));
    merges.retime(now, policy);
  }

  /**
   * Sessions may be shorter than any merge. The end of one that leaves more than two levels of a
   * rank waits until there is a level less than now, so that their number stays bounded.
   */
  private void awaitFewer() {
    List<CascadeLevel> last = view == null ? List.of() : view.levels;
    if (last.isEmpty() || last.size() <= 2 * last.get(last.size() - 1).rank) {
      return;
    }
    merges.setBytesPerSecond(0);
    Uninterrupted.await(
        this,
        () -> view.levels.size() < last.size() || merges.running.isEmpty() || mergeFailure != null);
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
