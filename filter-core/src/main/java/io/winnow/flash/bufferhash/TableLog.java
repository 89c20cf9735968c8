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
 * table's operations, so that an opening takes in each operation once.
 *
 * <p>Thread-safe, as they are.
 */
final class TableLog implements Closeable {
  private final OpenTable table;
  private final long fileBytes;

  /** Logs that were ended and are not safe yet, oldest first. */
  private final List<RecordLog> ended = new ArrayList<>();

  private volatile RecordLog log;

  /** The last operation, and the last one that is safe with all before it. */
  private long lastOperation;

  private volatile long safeOperation;

  /** Begins the log with this number; the file is safe, its content is not. */
  TableLog(OpenTable table, long number, long nextOperation, long fileBytes) throws IOException {
    this.table = table;
    this.fileBytes = fileBytes;
    this.lastOperation = nextOperation - 1;
    this.safeOperation = nextOperation - 1;
    this.log = create(number);
  }

  private RecordLog create(long number) throws IOException {
    return RecordLog.create(
        table.options.access,
        table.directory,
        table.geometry.id,
        number,
        lastOperation + 1,
        RecordLog.MOST_BLOCK_BYTES);
  }

  /** How much was written to the log that takes operations now. */
  long bytesWritten() {
    return log.bytesWritten();
  }

  /** The log that takes operations now. */
  long number() {
    return log.number();
  }

  /**
   * Logs an operation. If it throws, the operation is not logged.
   *
   * @return its number; it is in the log that {@link #number} is while the caller keeps others out,
   *     or in the next one
   */
  synchronized long append(long hash, byte[] key, byte[] value) throws IOException {
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

  /** Whether the operation with this number may not return before it is safe. */
  boolean syncsAfter(long operation) {
    return operation - safeOperation >= table.options.durability.operations();
  }

  /**
   * Returns when all that was logged before is safe from a power failure. Others append meanwhile,
   * and who comes meanwhile waits for the next fsync, which is for all of them.
   */
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
      safeOperation = Math.max(safeOperation, newest.lastSafeRecord());
      ended.removeAll(older);
    }
    for (RecordLog one : older) {
      one.close();
    }
  }

  /** All operations of the logs before this one are in incarnations, which are safe. */
  synchronized void retire(long before) {
    while (!ended.isEmpty() && ended.get(0).number() < before) {
      ended.remove(0).retire();
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
