package io.winnow.cascade;

import java.io.Closeable;
import java.io.IOException;

/**
 * The inserting side: operations go into the log, if there is one, and into the active level, which
 * is frozen when it is full, or when its log is: repeats, and deletes of what is in memory, fill
 * the one and not the other. Guarded by the filter's lock for inserts, but for the number of
 * operations.
 */
final class Ingest implements Closeable {
  /** Operations that a log may have for each entry that a level in memory has room for. */
  private static final int LOGGED_PER_ENTRY = 2;

  private final Levels levels;
  private final Merges merges;
  private final CascadeDirectory directory;
  private final Durability durability;
  private final long levelEntries;
  private final WaitCounters waits;
  private final Pacing pacing;
  private OperationLog log;

  /** Operations of the active level that are in logs. */
  private long logged;

  private long nextLog = 1;
  private long untilPaced = Pacing.OPERATIONS;
  private long untilSynced;
  private volatile long operations;

  /**
   * @param levelEntries entries of a level in memory
   */
  Ingest(
      Levels levels,
      Merges merges,
      CascadeDirectory directory,
      Durability durability,
      long levelEntries,
      MergePolicy policy,
      WaitCounters waits) {
    this.levels = levels;
    this.merges = merges;
    this.directory = directory;
    this.durability = durability;
    this.levelEntries = levelEntries;
    this.waits = waits;
    this.pacing = new Pacing(policy, waits);
    this.untilSynced = durability.operations();
  }

  /**
   * Takes in what the logs have that an earlier opening left, and begins the next one. If that is
   * more than a level has room for, it could not be written: rather more memory than a filter that
   * cannot be opened and read.
   */
  void recover(LogRecovery logs) throws IOException {
    MemoryLevel active = levels.openView().active;
    for (int i = 0; i < logs.logs(); i++) {
      logs.replay(i, active::add);
    }
    logged = logs.operations();
    nextLog = logs.nextLog();
    log = newLog();
  }

  /** A new log, or null where there are none. */
  private OperationLog newLog() throws IOException {
    if (!durability.isLogged()) {
      return null;
    }
    OperationLog created = directory.createLog(nextLog);
    nextLog++;
    return created;
  }

  /** Inserts a key's slot, or a tombstone. If it throws, it did not. */
  void apply(long slot) throws IOException {
    View now = levels.openView();
    if (now.active.isFull() || logged / LOGGED_PER_ENTRY >= levelEntries) {
      freeze();
      now = levels.openView();
    }
    if (log != null) {
      log.append(slot);
      logged++;
      if (--untilSynced == 0) {
        syncAppended();
      }
    }
    now.active.add(slot);
    operations++;
    if (--untilPaced == 0) {
      untilPaced = pacing.pace(merges, operations);
    }
  }

  /** Inserts and deletes since the opening. For anybody. */
  long operations() {
    return operations;
  }

  private void freeze() throws IOException {
    levels.awaitFlushed(waits);
    if (log != null) {
      log.write();
    }
    MemoryLevel fresh = levels.newMemoryLevel();
    OperationLog full = log;
    try {
      log = newLog(); // from here on nothing fails: the full one is the frozen level's
    } catch (IOException | RuntimeException | Error e) {
      fresh.release(); // for the next attempt
      throw e;
    }
    logged = 0;
    levels.freeze(fresh, full, log != null ? log.number() : nextLog);
  }

  /** Makes the last operation safe, and all before it; if that fails, it is not logged. */
  private void syncAppended() throws IOException {
    untilSynced = 1; // again with the next one, if this one fails
    try {
      forceLogs();
    } catch (IOException e) {
      log.takeBack();
      logged--;
      throw e;
    }
    untilSynced = durability.operations();
  }

  /** Returns when everything that was applied is safe. */
  void sync() throws IOException {
    View now = levels.openView();
    if (log != null) {
      forceLogs();
      return;
    }
    if (!now.active.isEmpty()) {
      freeze();
    }
    levels.awaitFlushed(waits);
    levels.makeSafe();
  }

  private void forceLogs() throws IOException {
    OperationLog older = levels.frozenLog();
    if (older != null) {
      older.force();
    }
    levels.makeSafe(); // what is in no log any more
    log.force();
  }

  @Override
  public void close() throws IOException {
    if (log != null) {
      log.close();
    }
  }
}
