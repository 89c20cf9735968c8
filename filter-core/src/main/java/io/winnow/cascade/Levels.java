package io.winnow.cascade;

import io.winnow.flash.drive.Pool;
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.drive.Uninterrupted;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The levels of a cascade filter, in memory and on flash, and the merges between them. A {@link
 * View} is the set of levels at one moment; a merge replaces it by another.
 *
 * <p>The monitor guards the fields that change. An insert may have to take it, so no thread reads,
 * writes, closes or deletes a file, or replaces the manifest, while it holds the monitor of an open
 * filter. Replacing the manifest has a lock of its own: see {@link Catalog}. Lock order: lock for
 * inserts, lock for the manifest, monitor. A thread that holds the monitor may take the scheduler's
 * lock, never the other way round.
 */
final class Levels implements Merges.Listener, Closeable {
  final MergePolicy policy;
  private final CascadeDirectory directory;

  /** The manifest of the cascade filter's directory, which names the levels on flash. */
  final Catalog catalog;

  /**
   * Pool of a memory level that has been written and is filled again: its arrays are half the
   * memory budget, and filling them is cheaper than allocating them.
   */
  private final Pool<MemoryLevel> memoryLevels;

  final Merges merges;

  /**
   * The levels of the cascade filter that can be read; null after the filter was closed. It changes
   * under the monitor.
   */
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

  /** Opens the levels that the manifest names, and an empty memory level. It begins no merge. */
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
      active.release(); // the view holds them now, or opening failed
      levels.forEach(Shared::release);
    }
  }

  // ---- The present levels ----

  /**
   * Returns the present levels of the filter, without a hold on them. They may end at any time,
   * unless the caller {@linkplain #holdView holds} them or the monitor.
   *
   * @throws IllegalStateException if the filter is closed
   */
  View openView() {
    View now = view;
    if (now == null) {
      throw directory.files.closed();
    }
    return now;
  }

  boolean isOpen() {
    return view != null;
  }

  /**
   * Returns the present levels of the filter with a hold on them, which the caller must release.
   */
  View holdView() {
    while (true) {
      View now = openView();
      if (now.tryHold()) {
        return now;
      }
    }
  }

  /** Returns the log of the frozen memory level, or null if none is frozen. */
  synchronized RecordLog frozenLog() {
    return frozenLog;
  }

  // ---- Called by inserts ----

  /** Returns an empty memory level, with one hold, to become the active one in {@link #freeze}. */
  MemoryLevel newMemoryLevel() {
    MemoryLevel level = memoryLevels.take();
    level.clear();
    level.revive();
    return level;
  }

  private void keep(MemoryLevel ended) {
    memoryLevels.putBack(ended);
  }

  /**
   * Freezes the active memory level, so that a merge writes it to flash. No level may be frozen
   * yet.
   *
   * @param fresh the next active level
   * @param itsLog the log of the level that is frozen, or null
   * @param firstLogOfNext the first log with operations of the next level
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

  /** Begins failed merges of levels again. This happens each time a level is frozen. */
  private void tryAgain() {
    mergeFailure = null;
    plan();
  }

  /**
   * Begins failed merges of levels again, and waits until a condition holds. If a merge fails
   * meanwhile that was begun before, its failure may be old, so all are begun once more.
   */
  private void tryAgainAndAwait(boolean begunBefore, BooleanSupplier isOver) {
    tryAgain();
    Uninterrupted.await(this, isOver);
    if (mergeFailure != null && begunBefore) {
      tryAgain();
      Uninterrupted.await(this, isOver);
    }
  }

  /**
   * Waits until no memory level is frozen: the last one is on flash. Merges that failed before are
   * repeated, and so is one that was begun before and fails now.
   *
   * @throws IOException if the frozen level cannot be written
   */
  synchronized void awaitFlushed() throws IOException {
    if (view.frozen == null) {
      return;
    }
    long began = System.nanoTime();
    tryAgainAndAwait(
        merges.isMerging(view.frozen),
        () -> view.frozen == null || mergeFailure != null && !merges.isMerging(view.frozen));
    directory.counters.countWait(System.nanoTime() - began, true);
    if (view.frozen != null) {
      throw new IOException(
          String.format(
              "the memory level is full and cannot be written to %s: %s. Lookups still work;"
                  + " inserts succeed again when the cause is removed",
              directory.path, mergeFailure.getMessage()),
          mergeFailure);
    }
  }

  /**
   * Waits until no merge runs and none is due, and the merged files are deleted. Failed merges are
   * repeated as in {@link #awaitFlushed}.
   */
  synchronized void awaitMerges() throws IOException {
    openView();
    tryAgainAndAwait( // also merges due by a new fan-out
        !merges.running.isEmpty(),
        () -> merges.running.isEmpty() && cleaning == 0 || mergeFailure != null);
    if (mergeFailure != null) {
      throw new IOException("a merge failed: " + mergeFailure.getMessage(), mergeFailure);
    }
  }

  // ---- Merges ----

  /** Begins all merges of levels that can begin now. */
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
   * Replaces the levels that a merge read by the level that it wrote. These are the steps:
   *
   * <ol>
   *   <li>With the lock for the manifest and the monitor: make the next manifest. It names only
   *       files whose numbers are given out already. Merges that begin later take higher numbers; a
   *       crash leaves their files unnamed.
   *   <li>Without the monitor: write the manifest. Other merges wait for the lock. A level may be
   *       frozen meanwhile, except if this merge writes the frozen level; so the first log that the
   *       manifest names is right.
   *   <li>With the monitor: publish the levels, with the result, to readers.
   *   <li>Without any lock: close the frozen level's log, and delete the files that the manifest no
   *       longer names, if it is durable. Until here all files existed, whichever manifest a crash
   *       or a power failure would have left.
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
        next = catalog.with(levels, firstLog, doubt).writtenBy(policy.memoryEntries, policy.fanOut);
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
      directory.counters.report(to -> to.pageLost(doubt.share(), merge.damage));
    }
    try {
      synchronized (this) {
        plan();
        notifyAll();
      }
    } finally {
      before.release();
      if (result != null) {
        result.release(); // the view holds it
      }
      merges.releaseSources(merge);
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
      merges.releaseSources(merge);
    }
  }

  // ---- While it runs, and at the end ----

  /** Changes the fan-out, and assigns the ranks to the levels that their sizes imply. */
  synchronized void setFanOut(int times) {
    View now = openView();
    policy.fanOut = times;
    now.levels.forEach(level -> level.rank = policy.rankOf(level.entries()));
    merges.retime(now, policy);
  }

  /**
   * Waits when a filter is closed, if there are more than two levels per rank, until there is one
   * level less. Sessions may be shorter than any merge; this bounds the number of their levels.
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

  /**
   * Abandons the merges of a cascade filter, and releases its levels and the frozen level's log.
   */
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
