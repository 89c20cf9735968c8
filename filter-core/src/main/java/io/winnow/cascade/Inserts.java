package io.winnow.cascade;

import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.drive.Opening;
import io.winnow.flash.drive.ReadThreads;
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.store.Durability;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The insert path of a cascade filter, from a key to the log and the active memory level.
 * Operations go to the log, if there is one, and to the active memory level. The level is frozen
 * when it is full, or when its log is: repeated inserts, and deletes of keys in memory, lengthen
 * only the log. Threads take turns, or share a turn where they share a sync.
 */
final class Inserts implements Closeable {
  /** Maximum of operations that are applied in one turn of the insert lock, and so in one sync. */
  private static final int MAX_PER_TURN = 256;

  /** Maximum of log files that stay from one opening of a filter to the next. */
  private static final int MAX_LOGS = 64;

  /**
   * Maximum of inserts and deletes that a thread applies together, after one search for room in
   * memory, if the filter syncs too seldom for threads to share syncs. To find room for more would
   * take longer than to take the insert lock again.
   */
  private static final int MAX_PER_TURN_UNSYNCED = 16;

  /**
   * Lock of the thread that inserts, taken before the locks of the levels. It guards the fields
   * that are not final.
   */
  private final ReentrantLock turns = new ReentrantLock();

  /**
   * Groups operations whose threads share a sync; null if operations are synced too seldom for it.
   */
  private final GroupCommit group;

  private final Levels levels;
  private final CascadeDirectory directory;
  private final int maxPerTurn;
  private final long levelEntries;
  private final Pacing pacing;
  private RecordLog log;
  private long filterId;

  /** Number of log records with operations of the active memory level. */
  private long logged;

  private long nextLog = 1;
  private long untilPaced = Pacing.OPERATIONS;
  private long untilSynced;

  Inserts(Levels levels, CascadeDirectory directory) {
    Durability durability = directory.options.durability;
    this.levels = levels;
    this.directory = directory;
    this.levelEntries = levels.policy.memoryEntries;
    this.pacing = new Pacing(levels.policy, directory.counters);
    this.untilSynced = durability.operations();
    this.group = GroupCommit.isFor(durability) ? new GroupCommit(this::commit) : null;
    this.maxPerTurn = group != null ? MAX_PER_TURN : MAX_PER_TURN_UNSYNCED;
  }

  /**
   * Adds the operations in the logs of earlier processes to the active memory level, and begins the
   * next log. If they are more than a memory level has room for, or in too many logs, all of them
   * are written to flash, and the manifest is replaced once. If they cannot be written, the rest
   * stays in memory: a filter that takes more memory is better than one that cannot be opened.
   */
  void recover(Manifest manifest, LogRecovery logs) throws IOException {
    withoutInserts(
        () -> {
          filterId = manifest.id;
          nextLog = logs.nextLog();
          AtomicBoolean flushes =
              new AtomicBoolean(logs.records() > levelEntries || logs.logs.size() > MAX_LOGS);
          if (flushes.get()) {
            levels.catalog.writeFrom(nextLog);
          }
          logs.replay(
              (number, block, at) -> {
                if (flushes.get() && levels.openView().active.isFull()) {
                  flushes.set(flushReplayed(manifest.firstLog));
                }
                levels.openView().active.add(block.getLong(at));
                logged++;
              });
          if (flushes.get()) {
            flushReplayed(nextLog);
          }
          levels.catalog.sync();
          log = newLog(logs.recordsBefore());
        });
  }

  /**
   * Writes the active memory level to flash, which has operations that are replayed from logs.
   *
   * @param firstLogOfNext the first log with operations of the next level
   * @return false if the drive does not take it, so that it stays in memory
   */
  private boolean flushReplayed(long firstLogOfNext) {
    levels.freeze(levels.newMemoryLevel(), null, firstLogOfNext);
    logged = 0;
    try {
      levels.awaitFlushed();
      return true;
    } catch (IOException e) {
      if (!(e.getCause() instanceof IOException)) {
        ReadThreads.rethrow(e.getCause()); // not the drive's: no memory, for example
      }
      return false; // a full drive can still be read
    }
  }

  /**
   * Begins the next log of a cascade filter's inserts and deletes.
   *
   * @param recordsBefore number of records in all logs before it
   * @return null if operations are not logged
   */
  private RecordLog newLog(long recordsBefore) throws IOException {
    if (!directory.options.durability.isLogged()) {
      return null;
    }
    RecordLog created = directory.createLog(filterId, nextLog, recordsBefore);
    nextLog++;
    return created;
  }

  /** An action on a cascade filter that runs while no thread inserts. */
  interface Turn {
    void take() throws IOException;
  }

  /** Runs an action while no thread inserts into the cascade filter. */
  void withoutInserts(Turn turn) throws IOException {
    turns.lock();
    try {
      turn.take();
    } finally {
      turns.unlock();
    }
  }

  /**
   * Applies an insert or delete to the log and the active memory level. If it throws, the operation
   * is not applied.
   */
  void apply(long slot) throws IOException {
    if (group != null) {
      group.commit(slot);
      return;
    }
    turns.lock();
    try {
      applyNow(slot);
    } finally {
      turns.unlock();
    }
  }

  /**
   * Inserts many keys by their hashes, some each time that it takes the insert lock.
   *
   * @throws IOException with a message that says how many keys are inserted
   */
  void apply(long[] keyHashes, int from, int count) throws IOException {
    levels.openView();
    long[] some = new long[Math.min(MAX_PER_TURN, count)];
    int[] in = new int[1];
    for (int done = 0; done < count; done += in[0]) {
      int size = Math.min(some.length, count - done);
      for (int i = 0; i < size; i++) {
        some[i] = directory.shape.slotOf(keyHashes[from + done + i]);
      }
      try {
        commit(size == some.length ? some : Arrays.copyOf(some, size), in);
      } catch (IOException | OutOfMemoryError e) {
        String reason = " of " + count + " keys are inserted: " + e.getMessage();
        throw new IOException("the first " + (done + in[0]) + reason, e);
      }
    }
  }

  /**
   * Applies inserts and deletes in one turn of the insert lock.
   *
   * @param in receives in element 0 the number of applied operations, also if it throws
   */
  private void commit(long[] slots, int[] in) throws IOException {
    int done = 0;
    turns.lock();
    try {
      while (done < slots.length) {
        long most = Math.max(1, Math.min(maxPerTurn, untilPaced)); // stops where a pause is due
        done += applyTogether(slots, done, (int) Math.min(slots.length, done + most));
      }
    } finally {
      in[0] = done;
      turns.unlock();
    }
  }

  /** Applies one insert or delete; the caller holds the insert lock. */
  private void applyNow(long slot) throws IOException {
    MemoryLevel active = ready(1);
    active.makeRoom(slot); // after this, adding to memory cannot fail
    if (log != null) {
      boolean syncs = untilSynced <= 1;
      if (syncs) {
        syncOlder(); // if this fails, the operation is not in the log yet
      }
      log.append(slot);
      untilSynced--;
      if (syncs) {
        syncAppended(1);
      }
      logged++;
    }
    active.add(slot);
    directory.counters.counts.count(CascadeCount.OPERATIONS);
  }

  /**
   * Applies as many inserts and deletes as the active memory level has room for at once, then syncs
   * if a sync is due.
   *
   * @return the number of applied operations
   */
  private int applyTogether(long[] slots, int from, int to) throws IOException {
    MemoryLevel active = ready(to - from);
    long room = Math.max(1, levelEntries - active.entries());
    int count = 0;
    while (from + count < to && count < room && active.makeRoom(slots, from, count)) {
      count++; // after this, adding the slot to memory cannot fail
    }
    if (log != null) {
      boolean syncs = untilSynced <= count;
      if (syncs) {
        syncOlder(); // if this fails, the operations are not in the log yet
      }
      log.append(slots, from, count); // a sync of another thread has all of them, or none
      untilSynced -= count;
      if (syncs) {
        syncAppended(count);
      }
      logged += count;
    }
    for (int i = from; i < from + count; i++) {
      active.add(slots[i]);
    }
    directory.counters.counts.add(CascadeCount.OPERATIONS, count);
    return count;
  }

  /**
   * Returns the active memory level, with room for a slot, after the waits for merges that are due
   * before this number of operations.
   */
  private MemoryLevel ready(int count) throws IOException {
    MemoryLevel active = levels.openView().active;
    untilPaced -= count;
    if (untilPaced <= 0) {
      untilPaced =
          pacing.pace(levels.merges, directory.counters.counts.sum(CascadeCount.OPERATIONS));
    }
    if (active.isFull() || logged / CascadeDirectory.LOGGED_PER_ENTRY >= levelEntries) {
      freeze();
      active = levels.openView().active;
    }
    return active;
  }

  /** Freezes the active memory level and its log, and begins new ones. */
  private void freeze() throws IOException {
    levels.awaitFlushed();
    levels.catalog.sync(); // otherwise files that cannot be deleted would accumulate
    if (log != null) {
      log.write();
    }
    MemoryLevel fresh = levels.newMemoryLevel();
    RecordLog full = log;
    // After this nothing fails: the full log goes to the frozen level.
    log = Opening.orClose(fresh::release, () -> newLog(full == null ? 0 : full.appended()));
    logged = 0;
    levels.freeze(fresh, full, log != null ? log.number : nextLog);
  }

  /**
   * Syncs the log, to which a given number of operations were just appended. If that fails, these
   * are removed from the log.
   */
  private void syncAppended(int count) throws IOException {
    untilSynced = 1; // if this sync fails, the next operation repeats it
    try {
      log.force();
      checkOwned(log);
    } catch (IOException | RuntimeException | Error e) {
      log.removeLast(count);
      throw e;
    }
    untilSynced = directory.options.durability.operations();
  }

  /**
   * Syncs all operations that are not in the newest log: the log of the frozen memory level, and
   * the manifest.
   */
  private void syncOlder() throws IOException {
    RecordLog older = levels.frozenLog();
    if (older != null) {
      older.forceWhole();
    }
    levels.catalog.sync();
  }

  /** Checks that the directory still belongs to this filter; otherwise ends the given log. */
  private void checkOwned(RecordLog written) throws IOException {
    try {
      directory.files.checkOwned();
    } catch (IOException e) {
      written.abandon(e);
      throw e;
    } catch (RuntimeException | Error e) {
      written.fail(e);
      throw e;
    }
  }

  /** Waits until all earlier inserts and deletes are durable. Other threads insert meanwhile. */
  void sync() throws IOException {
    RecordLog newest;
    turns.lock();
    try {
      levels.openView();
      if (log == null) {
        flush(); // there is no log to sync
      }
      newest = log;
    } finally {
      turns.unlock();
    }
    syncOlder(); // otherwise an opening would refuse the newest log because the one before is
    // missing
    if (newest == null) {
      directory.files.checkOwned();
      return;
    }
    newest.force();
    levels.catalog.sync(); // the log may be closed by now, with its operations in a level
    checkOwned(newest);
  }

  /** Writes the active memory level to flash and waits for the end of the write. */
  private void flush() throws IOException {
    if (!levels.openView().active.isEmpty()) {
      freeze();
    }
    levels.awaitFlushed();
  }

  /**
   * Writes all inserts and deletes to flash, and creates a directory with links to the levels.
   * Inserts wait.
   */
  void snapshot(Path target) throws IOException {
    withoutInserts(
        () -> {
          flush();
          synchronized (levels.catalog) {
            directory.linkTo(target, levels.catalog.manifest);
          }
        });
  }

  /** Syncs the logs of a cascade filter to their ends, when no insert or delete will follow. */
  void endLogs() throws IOException {
    syncOlder();
    if (log != null) {
      log.forceWhole();
    }
  }

  @Override
  public void close() throws IOException {
    if (log != null) {
      log.close();
    }
  }
}
