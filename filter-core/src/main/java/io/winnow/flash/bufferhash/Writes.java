package io.winnow.flash.bufferhash;

import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.LogRecovery;
import io.winnow.flash.store.RecordLog;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;

/**
 * The way of an entry to flash: the log, its super table's buffer, and the thread that writes
 * buffers. What logs have is taken in when it begins.
 */
final class Writes implements Closeable {
  private static final long MIN_LOG_BYTES = 1 << 20;

  private final OpenTable table;
  private final Geometry geometry;
  private final SuperTables superTables;
  private final WriteQueue queue;
  private final LogTrimmer logs;

  /** Null if all is evicted. */
  private final Retention retention;

  private final IncarnationWriter writer;

  /** Null if nothing is logged; set once, before there are others. */
  private TableLog log;

  private volatile boolean closed;

  private Writes(OpenTable table, long firstLog, long lastSequence) {
    this.table = table;
    this.geometry = table.geometry;
    this.superTables = table.superTables;
    this.queue = new WriteQueue(table);
    this.logs = new LogTrimmer(table, queue, firstLog);
    this.retention = table.options.eviction.priority == null ? null : new Retention(table, logs);
    this.writer = new IncarnationWriter(table, queue, logs, retention, lastSequence);
  }

  /** Finds what is on flash and in logs. Nothing is changed before all of it was looked at. */
  static Writes open(OpenTable table) throws IOException {
    FileAccess access = table.options.access;
    LogRecovery found = surveyLogs(table);
    long lastSequence = Recovery.run(table, true);
    BufferHashDirectory.clean(access, table.directory);
    table.file.markAgain(); // logs that it does not need are deleted now
    found.repair();
    deleteLogsBefore(found.firstLog(), access, table.directory);
    Writes writes = new Writes(table, found.firstLog(), lastSequence);
    try {
      writes.begin(found);
      return writes;
    } catch (IOException | RuntimeException | Error e) {
      try {
        writes.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** Looks through all logs that count, from the mark's first one on. */
  static LogRecovery surveyLogs(OpenTable table) throws IOException {
    FileAccess access = table.options.access;
    Path directory = table.directory;
    TableFile.Mark mark = table.file.mark();
    long first = mark.firstLog;
    if (mark.alone) { // the other mark may have said so, and then earlier ones were deleted
      first =
          access.list(directory).stream()
              .mapToLong(RecordLog::numberOf)
              .filter(number -> number >= mark.firstLog)
              .min()
              .orElse(first);
    }
    LogRecovery logs =
        new LogRecovery(
            access,
            directory,
            table.geometry.id,
            first,
            (block, at, end) -> Records.checkedBytes(block, at, end, table.geometry),
            BufferHashDirectory.WHAT_TO_DO);
    boolean closed = mark.closedLog >= first;
    logs.survey(
        LogRecovery.newest(access, directory),
        closed ? Map.of(mark.closedLog, mark.closedBytes) : Map.of());
    return logs;
  }

  private static void deleteLogsBefore(long first, FileAccess access, Path directory)
      throws IOException {
    for (String name : access.list(directory)) {
      long number = RecordLog.numberOf(name);
      if (number > 0 && number < first) {
        access.delete(directory.resolve(name));
      }
    }
  }

  private void begin(LogRecovery found) throws IOException {
    BufferHashOptions options = table.options;
    writer.start();
    for (int i = 0; i < found.logs().size(); i++) {
      long number = found.firstLog() + i;
      found.replay(i, (operation, block, at) -> replay(operation, number, block, at));
      logs.replayed(number + 1);
    }
    if (table.counters.retained.sum() > 0) {
      makeSafe(); // its copy on flash went, and no log has it
    }
    if (options.durability.isLogged()) {
      log =
          new TableLog(
              options.access,
              table.directory,
              geometry.id,
              found.nextLog(),
              Math.max(found.nextRecord(), superTables.lastOperation() + 1),
              Math.max(MIN_LOG_BYTES, (long) geometry.superTables * table.layout.bufferBytes() / 4),
              options.durability);
      logs.logTo(log);
    }
  }

  private void replay(long operation, long logNumber, ByteBuffer block, int at) throws IOException {
    long hash = Records.hash(block, at);
    byte[] key = Records.key(block, at, geometry);
    byte[] value = Records.isDelete(block, at) ? null : Records.value(block, at);
    SuperTable superTable = superTables.of(hash);
    while (true) {
      synchronized (superTable) {
        if (superTable.hasOperation(operation)) {
          return;
        }
        if (superTable.hasRoom(Records.bytes(key, value))) {
          superTable.put(hash, key, value, operation, logNumber);
          return;
        }
        if (queue.freeze(superTable)) {
          continue;
        }
      }
      queue.awaitRoom(superTable);
    }
  }

  // ---- Puts and deletes ----

  /** Puts a value, or deletes the key if it is null. */
  void apply(long hash, byte[] key, byte[] value) throws IOException {
    SuperTable superTable = superTables.of(hash);
    int bytes = Records.bytes(key, value);
    long operation = 0;
    while (true) {
      synchronized (superTable) {
        checkOpen();
        if (superTable.hasRoom(bytes)) {
          long number = log == null ? 0 : log.number();
          operation = log == null ? 0 : log.append(hash, key, value);
          superTable.put(hash, key, value, operation, number);
          break;
        }
        if (queue.freeze(superTable)) {
          continue;
        }
      }
      queue.awaitRoom(superTable);
    }
    if (log != null) {
      logs.note(log.number());
      if (log.syncsAfter(operation)) {
        log.force();
      }
    }
  }

  /** Returns when all that was put and deleted before is safe. */
  void makeSafe() throws IOException {
    if (log != null) {
      log.force();
      return;
    }
    writeBuffers();
    if (retention != null) {
      retention.drain(true); // what was retained meanwhile is in buffers again
      try {
        writeBuffers();
      } finally {
        retention.drain(false);
      }
    }
  }

  private void writeBuffers() throws IOException {
    for (SuperTable superTable : superTables.all) {
      while (!isHandedOver(superTable)) {
        queue.awaitRoom(superTable);
      }
    }
    for (SuperTable superTable : superTables.all) {
      queue.awaitWritten(superTable);
    }
  }

  private boolean isHandedOver(SuperTable superTable) {
    synchronized (superTable) {
      return superTable.isBufferEmpty() || queue.freeze(superTable);
    }
  }

  /** Waits until all buffers that are full are written, but for those that cannot be. */
  void awaitIdle() {
    queue.awaitIdle();
  }

  // ---- The end ----

  /** Takes nothing in any more; false if that was so before. */
  synchronized boolean beginClose() {
    boolean first = !closed;
    closed = true; // a put that has a super table's monitor is done before its buffer is frozen
    return first;
  }

  /** Writes down that all is safe and where the last log ends; nothing is written any more. */
  void markClosed() {
    writer.end();
    try {
      long bytes = log == null ? 0 : log.bytesWritten();
      writer.markClosed(bytes == 0 ? 0 : log.number(), bytes);
    } catch (IOException e) {
      // all is safe; the next opening looks at more, as after a crash
    }
  }

  long forgetLost() throws IOException {
    checkOpen();
    return writer.forgetLost();
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException(table.directory + " is closed");
    }
  }

  @Override
  public void close() throws IOException {
    TableLog ended = log;
    try (ended) {
      writer.close();
    }
  }
}
