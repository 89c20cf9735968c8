package io.winnow.flash.bufferhash;

import io.winnow.flash.store.RecordLog;
import java.io.IOException;

/**
 * Which logs are still needed, and the end of those that are not: a log goes once all of its
 * operations are in incarnations. Where few keys keep many logs, their buffers are written.
 *
 * <p>Used by the thread that writes incarnations, but for {@link #note}.
 */
final class LogTrimmer {
  /** With more logs, buffers are written that keep the oldest from being deleted. */
  static final int MOST_LOGS = 8;

  private final OpenTable table;
  private final WriteQueue queue;

  private long firstKeptLog;
  private volatile long firstLog;

  /**
   * While nothing is logged: no super table knows yet what is in this log, and later ones. What
   * logs before it have is in buffers, or in incarnations.
   */
  volatile long unknownLog;

  /** The log of now; null if nothing is logged. Set before there is anything to write. */
  volatile TableLog log;

  /** The first log in the directory is {@code firstThere}, and none was taken in yet. */
  LogTrimmer(OpenTable table, WriteQueue queue, long firstThere) {
    this.table = table;
    this.queue = queue;
    this.firstKeptLog = firstThere;
    this.firstLog = firstThere;
    this.unknownLog = firstThere;
  }

  /** Tells that the log with this number takes operations now. */
  void note(long number) {
    if (number - firstLog >= MOST_LOGS) {
      queue.wake();
    }
  }

  /** The first log with operations that are in no incarnation, found anew. */
  long firstNeeded() {
    TableLog now = log;
    long first = now == null ? unknownLog : now.number(); // before the super tables are asked
    for (SuperTable superTable : table.superTables) {
      first = Math.min(first, superTable.firstLog());
    }
    firstLog = first;
    return first;
  }

  /** Deletes the logs before this one. */
  void delete(long below) {
    TableLog now = log;
    if (now != null) {
      now.retire(below);
    }
    try {
      for (; firstKeptLog < below; firstKeptLog++) {
        table.options.access.delete(RecordLog.path(table.directory, firstKeptLog));
      }
    } catch (IOException e) {
      table.counters.lastFailure.set(e); // the next opening deletes it
    }
  }

  /** Lets buffers be written that hold on to the oldest logs, if there are many. */
  void trim() {
    TableLog now = log;
    if (now == null
        || now.number() - firstLog < MOST_LOGS
        || now.number() - firstNeeded() < MOST_LOGS) {
      return;
    }
    long old = firstLog + MOST_LOGS / 4;
    for (SuperTable superTable : table.superTables) {
      synchronized (superTable) {
        if (superTable.activeLog < old
            && !queue.freeze(superTable)
            && !superTable.isFrozen()) {
          return; // no spare buffer: when some are written it goes on
        }
      }
    }
  }
}
