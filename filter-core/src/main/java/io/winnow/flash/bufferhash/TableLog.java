package io.winnow.flash.bufferhash;

import io.winnow.flash.drive.RecordLog;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The logs of a BufferHash's operations that are still in buffers: a series of {@link RecordLog}s.
 * A new one begins when the last one is large enough, so that logs can be deleted whose operations
 * are all in incarnations.
 *
 * <p>Operations are numbered through all logs. An incarnation has the number of the last operation
 * of its super table that it contains, so an opening applies each operation once. If the buffers of
 * a few keys keep many logs, these buffers are written.
 *
 * <p>Thread-safe; but only the thread that writes incarnations trims and deletes logs.
 */
final class TableLog implements Closeable {
  /**
   * Number of log files from which on buffers are written that keep the oldest one from being
   * deleted. Puts do not wait for these writes, so a slow drive may have more.
   */
  static final int MAX_LOGS = 8;

  private static final long MIN_FILE_BYTES = 1 << 20;

  private final OpenTable table;
  private final long fileBytes;

  /** Logs that have ended and are not yet known to be synced, oldest first. */
  private final List<RecordLog> ended = new ArrayList<>();

  /** Log to which operations are appended now; null if operations are not logged, or not yet. */
  private volatile RecordLog log;

  /** Number of the last operation in the BufferHash's logs. */
  private long lastOperation;

  /**
   * Number of the last operation in the BufferHash's logs that is durable together with all before
   * it.
   */
  private volatile long safeOperation;

  private long firstKeptLog;
  private volatile long firstLog;

  /**
   * Number of the first log whose operations were not yet applied when the table was opened.
   * Operations of earlier logs are in buffers or incarnations.
   */
  volatile long unknownLog;

  /**
   * Creates the series of a BufferHash's logs, to which nothing is logged before {@link #begin}.
   *
   * @param firstThere first log in the directory
   */
  TableLog(OpenTable table, long firstThere) {
    this.table = table;
    this.fileBytes =
        Math.max(
            MIN_FILE_BYTES, (long) table.superTables.length * table.geometry.bufferBytes() / 4);
    this.firstKeptLog = firstThere;
    this.firstLog = firstThere;
    this.unknownLog = firstThere;
  }

  /**
   * Begins to log the BufferHash's operations, in a new file.
   *
   * @param number number of the log, whose file is created and synced
   */
  synchronized void begin(long number, long nextOperation) throws IOException {
    lastOperation = nextOperation - 1;
    safeOperation = nextOperation - 1;
    log = create(number);
  }

  /** Returns whether the BufferHash's operations are logged. */
  boolean isLogging() {
    return log != null;
  }

  /** Creates the file of a BufferHash's log with this number. */
  private RecordLog create(long number) throws IOException {
    return RecordLog.create(
        table.directory.access,
        table.directory.path,
        table.geometry.id,
        number,
        lastOperation + 1,
        RecordLog.MAX_BLOCK_BYTES);
  }

  /** Returns the number of the log that takes operations now, or 0 if there is none. */
  long number() {
    RecordLog now = log;
    return now == null ? 0 : now.number;
  }

  /**
   * Appends an operation of the BufferHash to the log. If it throws, the operation is not logged.
   *
   * @return its number, or 0 if operations are not logged. It is in the log {@link #number}, as
   *     long as the caller keeps other threads out, or in the next one
   */
  long append(long hash, byte[] key, byte[] value) throws IOException {
    if (log == null) {
      return 0;
    }
    synchronized (this) {
      if (log.bytesWritten() >= fileBytes) {
        log.checkNotFailed();
        log.write();
        RecordLog next = create(log.number + 1);
        ended.add(log);
        log = next;
      }
      lastOperation =
          log.append(
              Records.bytes(key, value), (block, at) -> Records.put(block, at, hash, key, value));
      return lastOperation;
    }
  }

  /** Returns whether an operation must be synced before the call that made it returns. */
  boolean syncsAfter(long operation) {
    return operation - safeOperation >= table.options.durability.operations();
  }

  /** Syncs all operations that were logged before, as {@link RecordLog#force}, in all logs. */
  void force() throws IOException {
    List<RecordLog> older;
    RecordLog newest;
    synchronized (this) {
      older = List.copyOf(ended);
      newest = log;
    }
    try {
      for (RecordLog one : older) {
        one.forceWhole();
      }
    } catch (IOException | RuntimeException | Error e) {
      newest.fail(e);
      throw e;
    }
    newest.force();
    synchronized (this) {
      safeOperation = Math.max(safeOperation, newest.lastSyncedRecord());
      ended.removeAll(older);
    }
    for (RecordLog one : older) {
      one.close();
    }
  }

  // ---- Logs that are no longer needed ----

  /** Returns whether there may be so many logs that the oldest ones should be deleted. */
  boolean mayBeMany() {
    return number() - firstLog >= MAX_LOGS;
  }

  /** Computes the number of the first log with operations that are in no incarnation. */
  long firstNeeded() {
    RecordLog now = log;
    long first = now == null ? unknownLog : now.number; // read before the super tables
    for (SuperTable superTable : table.superTables) {
      first = Math.min(first, superTable.firstLog());
    }
    firstLog = first;
    return first;
  }

  /**
   * Deletes the logs with lower numbers than a given one, whose operations are all in durable
   * incarnations.
   */
  void delete(long before) {
    synchronized (this) {
      while (!ended.isEmpty() && ended.get(0).number < before) {
        ended.remove(0).retire();
      }
    }
    try {
      for (; firstKeptLog < before; firstKeptLog++) {
        table.directory.access.delete(RecordLog.path(table.directory.path, firstKeptLog));
      }
    } catch (IOException e) {
      table.counters.recordFailure(e); // the next opening deletes it
    }
  }

  /**
   * Returns the number of the log before which all should be deleted soon: of a later one than the
   * oldest if there are many logs, otherwise 0.
   */
  long firstToKeep() {
    boolean areMany = number() - firstLog >= MAX_LOGS && number() - firstNeeded() >= MAX_LOGS;
    return areMany ? firstLog + MAX_LOGS / 4 : 0;
  }

  // ---- Closing ----

  /** Syncs the newest log to its very end, when no operation will follow. */
  synchronized void end() throws IOException {
    if (log != null) {
      log.forceWhole();
    }
  }

  /** Closes the log files without a sync. Operations that were not written are lost. */
  @Override
  public synchronized void close() throws IOException {
    RecordLog now = log;
    try (now) {
      for (RecordLog old : ended) {
        old.close();
      }
      ended.clear();
    }
  }
}
