package io.winnow.flash.bufferhash;

import io.winnow.flash.store.RecordLog;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The log of what is in buffers, as a row of {@link RecordLog}s: one is begun when the one before
 * is large enough, so that those can go whose operations are all in incarnations.
 *
 * <p>Operations are numbered through all logs. An incarnation says up to which one it has its super
 * table's operations, so that an opening takes in each operation once. Where few keys keep many
 * logs, their buffers are written.
 *
 * <p>Thread-safe, as they are; but logs are trimmed and deleted by the thread that writes
 * incarnations.
 */
final class TableLog implements Closeable {
  /** With more logs, buffers are written that keep the oldest from being deleted. */
  static final int MOST_LOGS = 8;

  private static final long MIN_FILE_BYTES = 1 << 20;

  private final OpenTable table;
  private final WriteQueue queue;
  private final long fileBytes;

  /** Logs that were ended and are not safe yet, oldest first. */
  private final List<RecordLog> ended = new ArrayList<>();

  /** The log that takes operations now; null if nothing is logged, or nothing yet. */
  private volatile RecordLog log;

  /** The last operation, and the last one that is safe with all before it. */
  private long lastOperation;

  private volatile long safeOperation;

  private long firstKeptLog;
  private volatile long firstLog;

  /**
   * While nothing is logged: no super table knows yet what is in this log, and later ones. What
   * logs before it have is in buffers, or in incarnations.
   */
  volatile long unknownLog;

  /** The first log in the directory is {@code firstThere}, and none was taken in yet. */
  TableLog(OpenTable table, WriteQueue queue, long firstThere) {
    this.table = table;
    this.queue = queue;
    this.fileBytes =
        Math.max(
            MIN_FILE_BYTES, (long) table.superTables.length * table.geometry.bufferBytes() / 4);
    this.firstKeptLog = firstThere;
    this.firstLog = firstThere;
    this.unknownLog = firstThere;
  }

  /** From now on operations are logged, in the log with this number; the file is safe. */
  synchronized void begin(long number, long nextOperation) throws IOException {
    lastOperation = nextOperation - 1;
    safeOperation = nextOperation - 1;
    log = create(number);
  }

  boolean isLogging() {
    return log != null;
  }

  private RecordLog create(long number) throws IOException {
    return RecordLog.create(
        table.options.access,
        table.directory,
        table.geometry.id,
        number,
        lastOperation + 1,
        RecordLog.MAX_BLOCK_BYTES);
  }

  /** The log that takes operations now; 0 if there is none. */
  long number() {
    RecordLog now = log;
    return now == null ? 0 : now.number();
  }

  /**
   * Logs an operation. If it throws, the operation is not logged.
   *
   * @return its number, or 0 where nothing is logged; it is in the log that {@link #number} is
   *     while the caller keeps others out, or in the next one
   */
  long append(long hash, byte[] key, byte[] value) throws IOException {
    if (log == null) {
      return 0;
    }
    synchronized (this) {
      if (log.bytesWritten() >= fileBytes) {
        log.checkNotFailed();
        log.write();
        RecordLog next = create(log.number() + 1);
        ended.add(log);
        log = next;
      }
      lastOperation =
          log.append(
              Records.bytes(key, value), (block, at) -> Records.put(block, at, hash, key, value));
      return lastOperation;
    }
  }

  /** Whether the operation with this number may not return before it is safe. */
  boolean syncsAfter(long operation) {
    return operation - safeOperation >= table.options.durability.operations();
  }

  /** As {@link RecordLog#force}, of all logs. */
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

  // ---- Logs that are needed no more ----

  /** Tells the thread that writes incarnations if there are many logs. */
  void note() {
    if (number() - firstLog >= MOST_LOGS) {
      queue.wake();
    }
  }

  /** The first log with operations that are in no incarnation, found anew. */
  long firstNeeded() {
    RecordLog now = log;
    long first = now == null ? unknownLog : now.number(); // before the super tables are asked
    for (SuperTable superTable : table.superTables) {
      first = Math.min(first, superTable.firstLog());
    }
    firstLog = first;
    return first;
  }

  /**
   * Deletes the logs before this one: all of their operations are in incarnations that are safe.
   */
  void delete(long before) {
    synchronized (this) {
      while (!ended.isEmpty() && ended.get(0).number() < before) {
        ended.remove(0).retire();
      }
    }
    try {
      for (; firstKeptLog < before; firstKeptLog++) {
        table.options.access.delete(RecordLog.path(table.directory, firstKeptLog));
      }
    } catch (IOException e) {
      table.counters.recordFailure(e); // the next opening deletes it
    }
  }

  /** Lets buffers be written that hold on to the oldest logs, if there are many. */
  void trim() {
    if (number() - firstLog < MOST_LOGS || number() - firstNeeded() < MOST_LOGS) {
      return;
    }
    long old = firstLog + MOST_LOGS / 4;
    for (SuperTable superTable : table.superTables) {
      synchronized (superTable) {
        if (superTable.activeLog < old && !queue.freeze(superTable) && !superTable.isFrozen()) {
          return; // no spare buffer: when some are written it goes on
        }
      }
    }
  }

  // ---- Its end ----

  /** Makes the log safe to its very end: no operation comes any more. */
  synchronized void end() throws IOException {
    if (log != null) {
      log.forceWhole();
    }
  }

  /** What was not handed to the operating system is gone: sync before. */
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
