package io.winnow.flash.bufferhash;

import io.winnow.flash.store.FlashDirectory;
import io.winnow.flash.store.LogRecovery;
import io.winnow.flash.store.RecordLog;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The way of an entry to flash: the log, its super table's buffer, and the thread that writes
 * buffers. What logs have is taken in when it begins.
 */
final class Writes implements Closeable {
  private final OpenTable table;
  final WriteQueue queue;
  private final TableLog logs;

  /** Null if all is evicted. */
  private final Retention retention;

  final IncarnationWriter writer;

  private Writes(OpenTable table, long firstLog, long lastSequence) {
    this.table = table;
    this.queue = new WriteQueue(table);
    this.logs = new TableLog(table, queue, firstLog);
    this.retention = table.options.eviction.priority == null ? null : new Retention(table, logs);
    this.writer = new IncarnationWriter(table, queue, logs, retention, lastSequence);
  }

  /**
   * Takes in what is on flash. Nothing is changed before all of it, and the logs, were looked at.
   */
  static Writes of(OpenTable table, LogRecovery found) throws IOException {
    long lastSequence = Recovery.run(table, true);
    table.file.markOpened(lastSequence, found.firstLog(), found(table));
    found.repair();
    BufferHashDirectory.clean(table.options.access, table.directory, found.firstLog());
    return new Writes(table, found.firstLog(), lastSequence);
  }

  /** The newest incarnations that the last mark did not say are safe, oldest first. */
  private static Map<Integer, Long> found(OpenTable table) {
    Map<Integer, Long> found = new LinkedHashMap<>();
    Arrays.stream(table.superTables)
        .filter(superTable -> superTable.newestSequence() > table.file.last.safe)
        .sorted(Comparator.comparingLong(SuperTable::newestSequence))
        .forEach(superTable -> found.put(superTable.number, superTable.newestSequence()));
    return found;
  }

  /** Looks through all logs that count, from the mark's first one on. */
  static LogRecovery surveyLogs(OpenTable table) throws IOException {
    TableFile.Mark mark = table.file.last;
    long first = mark.firstLog;
    if (mark.alone) { // the other mark may have said so, and then earlier ones were deleted
      first =
          FlashDirectory.names(table.directory).stream()
              .mapToLong(RecordLog::numberOf)
              .filter(number -> number >= mark.firstLog)
              .min()
              .orElse(first);
    }
    LogRecovery logs =
        new LogRecovery(
            table.options.access,
            table.directory,
            table.geometry.id,
            first,
            false, // operations are numbered through all logs, and those that are lost too
            (block, at, end) -> Records.checkedBytes(block, at, end, table.geometry),
            TableFile.WHAT_TO_DO);
    logs.survey(table.file.closedLogs.tailMap(first));
    return logs;
  }

  /** Takes in what logs have, and begins to log. */
  void begin(LogRecovery found) throws IOException {
    writer.start();
    for (int i = 0; i < found.logs().size(); i++) {
      long number = found.firstLog() + i;
      found.replay(i, (operation, block, at) -> replay(operation, number, block, at));
      logs.unknownLog = number + 1;
    }
    if (retention != null) {
      queue.awaitIdle(); // it may be in the middle of retaining what no log has
    }
    if (table.counters.sum(BufferHashCount.RETAINED) > 0) {
      makeSafe(); // its copy on flash went, and no log has it
    }
    if (table.options.durability.isLogged()) {
      long next = found.nextRecord();
      for (SuperTable superTable : table.superTables) {
        next = Math.max(next, superTable.lastOperation() + 1);
      }
      logs.begin(found.nextLog(), next);
    }
  }

  private void replay(long operation, long logNumber, ByteBuffer block, int at) throws IOException {
    long hash = Records.hash(block, at);
    byte[] key = Records.key(block, at, table.geometry);
    byte[] value = Records.isDelete(block, at) ? null : Records.value(block, at);
    SuperTable superTable = table.superTable(hash);
    while (true) {
      synchronized (superTable) {
        if (operation <= superTable.lastOperation()) {
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
    table.counters.count(value == null ? BufferHashCount.DELETES : BufferHashCount.PUTS);
    SuperTable superTable = table.superTable(hash);
    int bytes = Records.bytes(key, value);
    long operation = 0;
    while (true) {
      synchronized (superTable) {
        table.checkOpen();
        if (superTable.hasRoom(bytes)) {
          long number = logs.number();
          operation = logs.append(hash, key, value);
          superTable.put(hash, key, value, operation, number);
          break;
        }
        if (queue.freeze(superTable)) {
          continue;
        }
      }
      queue.awaitRoom(superTable);
    }
    if (operation > 0) {
      logs.note();
      if (logs.syncsAfter(operation)) {
        logs.force();
      }
    }
  }

  /** Returns when all that was put and deleted before is safe. */
  void makeSafe() throws IOException {
    if (logs.isLogging()) {
      logs.force();
      return;
    }
    writeBuffers();
    if (retention != null) {
      retention.draining = true; // what was retained meanwhile is in buffers again
      try {
        writeBuffers();
      } finally {
        retention.draining = false;
      }
    }
    writer.settle();
  }

  private void writeBuffers() throws IOException {
    for (SuperTable superTable : table.superTables) {
      while (!isHandedOver(superTable)) {
        queue.awaitRoom(superTable);
      }
    }
    for (SuperTable superTable : table.superTables) {
      queue.awaitWritten(superTable);
    }
  }

  private boolean isHandedOver(SuperTable superTable) {
    synchronized (superTable) {
      return superTable.isBufferEmpty() || queue.freeze(superTable);
    }
  }

  // ---- The end ----

  /** Writes down that all is safe and where the last log ends; nothing is written any more. */
  void markClosed() {
    writer.end();
    try {
      logs.end(); // else a power failure would cut what the mark says
      writer.markClosed();
    } catch (IOException e) {
      // all is safe; the next opening looks at more, as after a crash
    }
  }

  @Override
  public void close() throws IOException {
    try (logs) {
      writer.close();
    }
  }
}
