package io.winnow.flash.bufferhash;

import io.winnow.flash.drive.LogRecovery;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The write path of a BufferHash: the log, the buffers of super tables, and the thread that writes
 * buffers to flash. At the opening, operations in logs are applied.
 */
final class Writes implements Closeable {
  private final OpenTable table;
  final WriteQueue queue;
  private final TableLog logs;

  /**
   * Object that puts entries of evicted incarnations back into a buffer, or null if all entries are
   * evicted.
   */
  private final Retention retention;

  final IncarnationWriter writer;

  private Writes(OpenTable table, long firstLog, long lastSequence) {
    this.table = table;
    this.queue = new WriteQueue(table);
    this.logs = new TableLog(table, firstLog);
    this.retention = table.options.eviction.priority == null ? null : new Retention(table, logs);
    this.writer = new IncarnationWriter(table, queue, logs, retention, lastSequence);
  }

  /**
   * Recovers the incarnations on flash, and creates the write path of a BufferHash. It changes
   * nothing before it has read all of them, and the logs.
   */
  static Writes of(OpenTable table, LogRecovery found) throws IOException {
    long lastSequence = Recovery.run(table, true);
    table.file.markOpened(lastSequence, found.firstLog, found(table));
    found.repair();
    BufferHashDirectory.clean(table.directory, found.firstLog);
    return new Writes(table, found.firstLog, lastSequence);
  }

  /**
   * Returns the sequence numbers of the newest incarnations that the last mark page did not declare
   * durable, oldest first.
   */
  private static Map<Integer, Long> found(OpenTable table) {
    Map<Integer, Long> found = new LinkedHashMap<>();
    Arrays.stream(table.superTables)
        .filter(superTable -> superTable.newestSequence() > table.file.marks.newest().safe)
        .sorted(Comparator.comparingLong(SuperTable::newestSequence))
        .forEach(superTable -> found.put(superTable.number, superTable.newestSequence()));
    return found;
  }

  /** Applies the operations in the logs to the buffers of a BufferHash, and begins a new log. */
  void begin(LogRecovery found) throws IOException {
    writer.start();
    for (int i = 0; i < found.logs.size(); i++) {
      long number = found.firstLog + i;
      found.replay(i, (operation, block, at) -> replay(operation, number, block, at));
      logs.unknownLog = number + 1;
    }
    if (retention != null) {
      queue.awaitIdle(); // the thread may be retaining an entry that no log has
    }
    if (table.counters.sum(BufferHashCount.RETAINED) > 0) {
      sync(); // the old copy was evicted, and no log has it
    }
    if (table.options.durability.isLogged()) {
      long next = found.nextRecord();
      for (SuperTable superTable : table.superTables) {
        next = Math.max(next, superTable.lastOperation() + 1);
      }
      logs.begin(found.nextLog(), next);
    }
  }

  /** Applies a logged operation to a buffer, unless the table has it already. */
  private void replay(long operation, long logNumber, ByteBuffer block, int at) throws IOException {
    long hash = Records.hash(block, at);
    byte[] key = Records.key(block, at, table.geometry);
    byte[] value = Records.isDelete(block, at) ? null : Records.value(block, at);
    put(hash, key, value, operation, logNumber);
  }

  // ---- Puts and deletes ----

  /** Stores a value for a key, or deletes the key if the value is null. */
  void apply(long hash, byte[] key, byte[] value) throws IOException {
    table.counters.count(value == null ? BufferHashCount.DELETES : BufferHashCount.PUTS);
    long operation = put(hash, key, value, 0, 0);
    if (operation > 0) {
      if (logs.mayBeMany()) {
        queue.wake();
      }
      if (logs.syncsAfter(operation)) {
        logs.force();
      }
    }
  }

  /**
   * Puts an entry or a delete into the buffer of its super table, once there is room.
   *
   * @param logged number of the operation if a log has it already, unless the super table has it
   *     too; 0 if it must be logged
   * @param itsLog number of that log
   * @return the number of the operation, or 0 if it is not logged
   */
  private long put(long hash, byte[] key, byte[] value, long logged, long itsLog)
      throws IOException {
    SuperTable superTable = table.superTable(hash);
    int bytes = Records.bytes(key, value);
    while (true) {
      synchronized (superTable) {
        table.checkOpen();
        if (logged > 0 && logged <= superTable.lastOperation()) {
          return logged;
        }
        if (superTable.hasRoom(bytes)) {
          long log = logged > 0 ? itsLog : logs.number();
          long operation = logged > 0 ? logged : logs.append(hash, key, value);
          superTable.put(hash, key, value, operation, log);
          return operation;
        }
        if (queue.freeze(superTable)) {
          continue;
        }
      }
      queue.awaitRoom(superTable);
    }
  }

  /** Syncs all earlier puts and deletes of the BufferHash. */
  void sync() throws IOException {
    if (logs.isLogging()) {
      logs.force();
      return;
    }
    writeBuffers();
    if (retention != null) {
      retention.draining = true; // entries that were retained meanwhile are in buffers again
      try {
        writeBuffers();
      } finally {
        retention.draining = false;
      }
    }
    writer.settle();
  }

  /** Writes all buffers of the BufferHash to flash, and waits for the writes. */
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

  /**
   * Freezes the active buffer of a super table, unless it is empty.
   *
   * @return false if there is no spare buffer
   */
  private boolean isHandedOver(SuperTable superTable) {
    synchronized (superTable) {
      return superTable.isBufferEmpty() || queue.freeze(superTable);
    }
  }

  // ---- Closing ----

  /**
   * Records in the BufferHash's file that all operations are durable, and the end of the last log,
   * when nothing will be written any more.
   */
  void markClosed() {
    writer.end();
    try {
      logs.end(); // otherwise a power failure could cut bytes that the mark counts
      writer.markClosed();
    } catch (IOException e) {
      table.counters.recordFailure(e); // all is durable; the next opening reads more
    }
  }

  @Override
  public void close() throws IOException {
    try (logs) {
      writer.close();
    }
  }
}
