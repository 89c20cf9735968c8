package io.winnow.cascade;

import io.winnow.flash.store.Pool;
import io.winnow.flash.store.RecordLog;
import io.winnow.flash.store.Uninterrupted;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

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

  Levels(CascadeDirectory directory, Manifest manifest, MergePolicy policy, MemoryShares memory) {
    this.policy = policy;
    this.directory = directory;
    this.catalog = new Catalog(directory, manifest);
    this.memoryLevels =
        new Pool<>(
            1,
            () -> new MemoryLevel(manifest.shape, policy.memoryEntries, this::keep),
            level -> {});
    this.merges = new Merges(directory, memory, this);
  }

  /** Opens the levels that the manifest names, with nothing in memory. Begins no merge. */
  synchronized void open() throws IOException {
    Manifest manifest = catalog.manifest;
    List<CascadeLevel> levels = new ArrayList<>();
    MemoryLevel active = newMemoryLevel();
    try {
      for (Manifest.LevelEntry entry : manifest.levels) {
        CascadeLevel level = directory.openLevel(entry);
        level.rank = policy.rankOf(entry.entries);
        levels.add(level);
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

  /** Tries again what has failed; and once more what fails now, if it was begun before. */
  private void tryAgainAndAwait(boolean begunBefore, BooleanSupplier isOver) {
    tryAgain();
    Uninterrupted.await(this, isOver);
    if (mergeFailure != null && begunBefore) {
      tryAgain();
      Uninterrupted.await(this, isOver);
    }
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
    tryAgainAndAwait(begunBefore, this::isFlushedOrFailed);
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
    tryAgainAndAwait(begunBefore, this::isMergedOrFailed); // and what a new fan-out has made due
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
              idle,
              merges.lowestRank());
      if (step == null) {
        return;
      }
      if (step.isMerge()) {
        try {
          merges.begin(step, now, idle, policy, catalog.nextFile++);
        } catch (IOException noRoom) {
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
    View before;
    RecordLog log = null;
    Doubt doubt;
    synchronized (catalog) {
      List<CascadeLevel> levels;
      Manifest next;
      synchronized (this) {
        doubt = view.doubt.with(merge.doubt);
        if (doubt.isTooMuch()) {
          throw merge.damage;
        }
        levels = view.with(result, merge.sources);
        long firstLog = view.hasFrozen(merge.sources) ? activeFirstLog : catalog.manifest.firstLog;
        next = catalog.with(levels, firstLog, doubt).by(policy.memoryEntries, policy.fanOut);
      }
      catalog.switchTo(next);
      merge.kept = true;
      synchronized (this) {
        before = view;
        boolean flushes = before.hasFrozen(merge.sources);
        view = new View(before.active, flushes ? null : before.frozen, levels, doubt);
        if (result != null) { // the fan-out may have changed
          result.rank = Math.max(merge.rank, policy.rankOf(result.entries()));
        }
        if (flushes) {
          log = frozenLog;
          frozenLog = null;
          directory.counters.counts.add(CascadeCount.ENTRIES_FLUSHED, before.frozen.entries());
        }
        directory.counters.counts.add(CascadeCount.ENTRIES_MERGED, merge.entriesOut);
        cleaning++;
        merges.end(merge);
      }
    }
    if (merge.damage != null) {
      directory.counters.lastMergeFailure = merge.damage; // it went on without a page
      directory.counters.tell(to -> to.pageLost(doubt.share(), merge.damage));
    }
    try {
      synchronized (this) {
        plan();
        notifyAll();
      }
    } finally {
      before.release();
      if (result != null) {
        result.release(); // the view has it
      }
      merges.letGo(merge);
      if (log != null) {
        log.retire();
      }
      catalog.deleteUnnamed();
      synchronized (this) {
        cleaning--;
        notifyAll();
      }
    }
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
    policy.fanOut = times;
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
