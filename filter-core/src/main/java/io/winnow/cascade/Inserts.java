package io.winnow.cascade;

import io.winnow.flash.store.Durability;
import io.winnow.flash.store.LogRecovery;
import io.winnow.flash.store.RecordLog;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The inserting side: operations go into the log, if there is one, and into the active level, which
 * is frozen when it is full, or when its log is: repeats, and deletes of what is in memory, fill
 * the one and not the other. Threads take turns, or share a turn where they share a sync.
 */
final class Inserts implements Closeable {
  /** Operations of a turn, and so under one sync. */
  private static final int MOST_TOGETHER = 256;

  /** As many at once where few are synced: to find room for more takes longer than they do. */
  private static final int MOST_UNSYNCED = 16;

  /** For who inserts; taken before the locks of the levels. It guards what is not final. */
  private final ReentrantLock turns = new ReentrantLock();

  /** Where operations are synced so often that threads share syncs; null else. */
  private final GroupCommit group;

  private final Levels levels;
  private final CascadeDirectory directory;
  private final int mostAtOnce;
  private final long levelEntries;
  private final Pacing pacing;
  private RecordLog log;
  private long filterId;

  /** Operations of the active level that are in logs. */
  private long logged;

  private long nextLog = 1;
  private long untilPaced = Pacing.OPERATIONS;
  private long untilSynced;

  Inserts(Levels levels, CascadeDirectory directory, MergePolicy policy) {
    Durability durability = directory.options.durability;
    this.levels = levels;
    this.directory = directory;
    this.levelEntries = policy.memoryEntries;
    this.pacing = new Pacing(policy, directory.counters);
    this.untilSynced = durability.operations();
    this.group = GroupCommit.isFor(durability) ? new GroupCommit(this::commit) : null;
    this.mostAtOnce = group != null ? MOST_TOGETHER : MOST_UNSYNCED;
  }

  /**
   * Takes in what the logs have that an earlier opening left, and begins the next one. If that is
   * more than a level has room for, it could not be written: rather more memory than a filter that
   * cannot be opened and read.
   */
  void recover(Manifest manifest, LogRecovery logs) throws IOException {
    turns.lock();
    try {
      MemoryLevel active = levels.openView().active;
      for (int i = 0; i < logs.logs().size(); i++) {
        logs.replay(i, (number, block, at) -> active.add(block.getLong(at)));
      }
      logged = logs.records();
      nextLog = logs.nextLog();
      filterId = manifest.id;
      log = newLog(logs.recordsBefore());
    } finally {
      turns.unlock();
    }
  }

  /** Begins a log, after one with so many records; null if operations are not logged. */
  private RecordLog newLog(long recordsBefore) throws IOException {
    if (!directory.options.durability.isLogged()) {
      return null;
    }
    RecordLog created = directory.createLog(filterId, nextLog, recordsBefore);
    nextLog++;
    return created;
  }

  /** What is done while nobody inserts. */
  interface Turn {
    void take() throws IOException;
  }

  void withoutInserts(Turn turn) throws IOException {
    turns.lock();
    try {
      turn.take();
    } finally {
      turns.unlock();
    }
  }

  /** Inserts a key's slot, or a tombstone. If it throws, it did not. */
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
   * Inserts {@code count} keys by their hashes, a few each turn.
   *
   * @throws IOException which says how many are in
   */
  void apply(long[] keyHashes, int from, int count) throws IOException {
    levels.openView();
    long[] some = new long[Math.min(MOST_TOGETHER, count)];
    int[] in = new int[1];
    for (int done = 0; done < count; done += in[0]) {
      int size = Math.min(some.length, count - done);
      for (int i = 0; i < size; i++) {
        some[i] = directory.shape.slotOf(keyHashes[from + done + i]);
      }
      try {
        commit(size == some.length ? some : Arrays.copyOf(some, size), in);
      } catch (IOException | OutOfMemoryError e) {
        String reason = " of " + count + " keys are in: " + e.getMessage();
        throw new IOException("the first " + (done + in[0]) + reason, e);
      }
    }
  }

  /** Inserts some in one turn, and says how many are in, also if it throws. */
  private void commit(long[] slots, int[] in) throws IOException {
    int done = 0;
    turns.lock();
    try {
      while (done < slots.length) {
        long most = Math.max(1, Math.min(mostAtOnce, untilPaced)); // no pause is jumped over
        done += applyTogether(slots, done, (int) Math.min(slots.length, done + most));
      }
    } finally {
      in[0] = done;
      turns.unlock();
    }
  }

  private void applyNow(long slot) throws IOException {
    MemoryLevel active = ready(1);
    active.makeRoom(slot); // from here on memory does not fail
    if (log != null) {
      boolean syncs = untilSynced <= 1;
      if (syncs) {
        makeOlderSafe(); // what fails here leaves nothing in the log
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

  /** As many as there is room for at once, and then the sync that is due, if any. */
  private int applyTogether(long[] slots, int from, int to) throws IOException {
    MemoryLevel active = ready(to - from);
    long room = Math.max(1, levelEntries - active.entries());
    int count = 0;
    while (from + count < to && count < room && active.makeRoom(slots, from, count)) {
      count++; // from here on memory does not fail for it
    }
    if (log != null) {
      boolean syncs = untilSynced <= count;
      if (syncs) {
        makeOlderSafe(); // what fails here leaves nothing in the log
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

  /** The active level, which has room, after the waits that are due before so many operations. */
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

  private void freeze() throws IOException {
    levels.awaitFlushed();
    levels.catalog.makeSafe(); // or else files would pile up that cannot be deleted
    if (log != null) {
      log.write();
    }
    MemoryLevel fresh = levels.newMemoryLevel();
    RecordLog full = log;
    try {
      // From here on nothing fails: the full one is the frozen level's.
      log = newLog(full == null ? 0 : full.appended());
    } catch (IOException | RuntimeException | Error e) {
      fresh.release(); // for the next attempt
      throw e;
    }
    logged = 0;
    levels.freeze(fresh, full, log != null ? log.number() : nextLog);
  }

  /** Makes the last operations safe, and all before them; if that fails, they are not logged. */
  private void syncAppended(int count) throws IOException {
    untilSynced = 1; // again with the next one, if this one fails
    try {
      log.force();
      checkOwned(log);
    } catch (IOException | RuntimeException | Error e) {
      log.takeBack(count);
      throw e;
    }
    untilSynced = directory.options.durability.operations();
  }

  /** Makes safe what is not in the newest log, or in no log any more. */
  private void makeOlderSafe() throws IOException {
    RecordLog older = levels.frozenLog();
    if (older != null) {
      older.forceWhole();
    }
    levels.catalog.makeSafe();
  }

  private void checkOwned(RecordLog written) throws IOException {
    try {
      directory.checkOwned();
    } catch (IOException e) {
      written.giveUp(e);
      throw e;
    } catch (RuntimeException | Error e) {
      written.fail(e);
      throw e;
    }
  }

  /** Returns when everything that was applied before is safe. Others insert meanwhile. */
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
    makeOlderSafe(); // else an opening would refuse the newest one without it
    if (newest == null) {
      directory.checkOwned();
      return;
    }
    newest.force();
    levels.catalog.makeSafe(); // it may be closed by now, with all of it in a level
    checkOwned(newest);
  }

  private void flush() throws IOException {
    if (!levels.openView().active.isEmpty()) {
      freeze();
    }
    levels.awaitFlushed();
  }

  /** Writes all to flash, and makes a directory of links to it. Inserts wait. */
  void snapshot(Path target) throws IOException {
    withoutInserts(
        () -> {
          flush();
          synchronized (levels.catalog) {
            directory.linkTo(target, levels.catalog.manifest);
          }
        });
  }

  /** Makes the logs safe to their very ends: no operation comes any more. */
  void endLogs() throws IOException {
    makeOlderSafe();
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
