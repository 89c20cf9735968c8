package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FlashFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The logs that a crash, or a close, left: first looked through, with nothing changed, then
 * repaired, then taken in.
 */
final class LogRecovery {
  private final FileAccess access;
  private final Path directory;
  private final Geometry geometry;
  private final long firstLog;
  private final List<Replay> logs = new ArrayList<>();
  private long logsThere;

  /** What takes in the operations of a log. */
  interface Consumer {
    /** The record begins at {@code at}. */
    void accept(long operation, ByteBuffer block, int at) throws IOException;
  }

  /** How a log ended. */
  static final class Replay {
    private final long end;
    private final boolean torn;
    private final long safe;
    private final long nextOperation;

    Replay(long end, boolean torn, long safe, long nextOperation) {
      this.end = end;
      this.torn = torn;
      this.safe = safe;
      this.nextOperation = nextOperation;
    }

    /** Where its last whole block ends. */
    long end() {
      return end;
    }

    /** Whether there is something after that. */
    boolean torn() {
      return torn;
    }

    /** How much of it was known to be safe. */
    long safe() {
      return safe;
    }

    /** One more than its last operation, or 0 if it has no block. */
    long nextOperation() {
      return nextOperation;
    }

    boolean isEmpty() {
      return end == 0 && !torn;
    }
  }

  private LogRecovery(FileAccess access, Path directory, Geometry geometry, long firstLog) {
    this.access = access;
    this.directory = directory;
    this.geometry = geometry;
    this.firstLog = firstLog;
  }

  /**
   * Looks through all logs that count.
   *
   * @throws FilterFormatException if a log is missing, or lacks operations that were safe in it
   */
  static LogRecovery survey(
      FileAccess access, Path directory, Geometry geometry, TableFile.Mark mark)
      throws IOException {
    long first = mark.firstLog();
    long newest = 0;
    long oldest = Long.MAX_VALUE;
    for (String name : access.list(directory)) {
      long number = OperationLog.numberOf(name);
      newest = Math.max(newest, number);
      oldest = number >= first ? Math.min(oldest, number) : oldest;
    }
    if (mark.alone() && oldest != Long.MAX_VALUE) {
      first = oldest; // the other mark may have said so, and then earlier ones were deleted
    }
    LogRecovery recovery = new LogRecovery(access, directory, geometry, first);
    recovery.survey(newest);
    recovery.checkClosed(mark);
    return recovery;
  }

  private void survey(long newest) throws IOException {
    boolean torn = false;
    for (long number = firstLog; number <= newest; number++) {
      Path path = OperationLog.path(directory, number);
      if (!Files.exists(path)) {
        throw lost(path + " is missing, and there are later ones");
      }
      Replay replay = replay(number, (operation, block, at) -> {});
      if (torn && replay.safe() > 0) {
        throw lost(
            OperationLog.path(directory, number - 1)
                + " ends too early, since the log after it was made safe");
      }
      if (!torn) {
        logs.add(replay);
      }
      torn |= replay.torn();
      logsThere++;
    }
  }

  /** The last log of a table that was closed is as long as it was. */
  private void checkClosed(TableFile.Mark mark) {
    long log = mark.closedLog();
    if (log >= firstLog
        && (log >= nextLog() || logs.get((int) (log - firstLog)).end() < mark.closedBytes())) {
      throw lost(
          OperationLog.path(directory, log)
              + " was cut: it had "
              + mark.closedBytes()
              + " bytes when the table was closed");
    }
  }

  private static FilterFormatException lost(String what) {
    return new FilterFormatException(
        what
            + ": entries would be lost. Put it back from a copy of the whole directory, or begin a"
            + " new one; nothing was changed in this one");
  }

  /**
   * Removes what follows a cut, which was not promised, and makes the rest safe. For that it is
   * written once more where it is not known to be safe ({@link FlashFile#rewrite}).
   */
  void repair() throws IOException {
    for (long number = firstLog + logsThere - 1; number >= nextLog(); number--) {
      access.delete(OperationLog.path(directory, number));
    }
    while (!logs.isEmpty() && logs.get(logs.size() - 1).isEmpty()) {
      access.delete(OperationLog.path(directory, nextLog() - 1)); // its number is taken again
      logs.remove(logs.size() - 1);
    }
    for (int i = 0; i < logs.size(); i++) {
      Path path = OperationLog.path(directory, firstLog + i);
      try (FlashFile file = FlashFile.open(access, path, false)) {
        Replay log = logs.get(i);
        if (log.torn()) {
          file.truncate(log.end());
        }
        file.rewrite(log.safe(), log.end());
        file.force();
      }
    }
    for (String name : access.list(directory)) {
      long number = OperationLog.numberOf(name);
      if (number > 0 && number < firstLog) {
        access.delete(directory.resolve(name));
      }
    }
    access.forceDirectory(directory);
  }

  /** The first log that is there, and the number of those that count. */
  long firstLog() {
    return firstLog;
  }

  int logs() {
    return logs.size();
  }

  /** The number of the first log that is not there. */
  long nextLog() {
    return firstLog + logs.size();
  }

  /** A number that no logged operation has yet. */
  long nextOperation() {
    return logs.stream().mapToLong(Replay::nextOperation).max().orElse(0);
  }

  /** Takes in a log's operations. */
  Replay replay(long number, Consumer consumer) throws IOException {
    Path path = OperationLog.path(directory, number);
    try (FlashFile file = FlashFile.open(access, path, false)) {
      ByteBuffer block = OperationLog.newBlock();
      CRC32C crc = new CRC32C();
      long size = file.size();
      long at = 0;
      long safe = 0;
      long next = 0;
      while (readBlock(geometry.id(), file, block, crc, number, at, size)) {
        safe = Math.max(safe, block.getLong(24));
        next = takeIn(path, block, next, consumer);
        at += OperationLog.blockBytes(block.getInt(4));
      }
      for (long later = at + 8; later <= size - OperationLog.HEADER_BYTES; ) {
        if (readBlock(geometry.id(), file, block, crc, number, later, size)) {
          safe = Math.max(safe, block.getLong(24));
          later += OperationLog.blockBytes(block.getInt(4));
        } else {
          later += 8;
        }
      }
      if (safe > at) {
        throw lost(path + " is damaged at byte " + at + ", and was safe up to byte " + safe);
      }
      return new Replay(at, at < size, safe, next);
    }
  }

  private long takeIn(Path path, ByteBuffer block, long next, Consumer consumer)
      throws IOException {
    long operation = block.getLong(32);
    if (operation < Math.max(next, 1)) {
      throw lost(path + " has operations in a wrong order");
    }
    int end = OperationLog.HEADER_BYTES + block.getInt(4);
    for (int at = OperationLog.HEADER_BYTES; at < end; operation++) {
      int bytes = Records.checkedBytes(block, at, end, geometry);
      if (bytes < 0) {
        throw lost(path + " has an operation that is none of this table's");
      }
      consumer.accept(operation, block, at);
      at += bytes;
    }
    return operation;
  }

  private static boolean readBlock(
      long id, FlashFile file, ByteBuffer block, CRC32C crc, long number, long at, long size)
      throws IOException {
    if (size - at < OperationLog.HEADER_BYTES) {
      return false;
    }
    file.read(block.clear().limit(OperationLog.HEADER_BYTES), at);
    block.clear();
    int records = block.getInt(4);
    if (records < 0
        || records > OperationLog.BLOCK_BYTES
        || block.getLong(8) != number
        || block.getLong(16) != at
        || size - at < OperationLog.blockBytes(records)) {
      return false;
    }
    int bytes = OperationLog.blockBytes(records);
    file.read(block.clear().limit(bytes), at);
    block.clear();
    return block.getInt(0) == OperationLog.crc(id, block, bytes, crc);
  }
}
