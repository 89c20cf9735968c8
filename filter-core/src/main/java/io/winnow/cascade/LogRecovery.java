package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FlashFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The logs that a crash, or a close, left: first looked through, with nothing changed, then
 * repaired, then taken in. Who only reads {@linkplain #hold holds} them first, since a writer may
 * delete them meanwhile; and does not repair them.
 */
final class LogRecovery implements Closeable {
  /** As many are kept from one opening to the next at most. */
  private static final int MOST_LOGS = 64;

  /** What takes in the operations of a log. */
  interface Consumer {
    void accept(long slot) throws IOException;
  }

  /** How a log ended. */
  static final class Replay {
    private final long end;
    private final boolean torn;
    private final long safe;
    private final long operations;

    Replay(long end, boolean torn, long safe, long operations) {
      this.end = end;
      this.torn = torn;
      this.safe = safe;
      this.operations = operations;
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

    long operations() {
      return operations;
    }
  }

  private final FileAccess access;
  private final Path directory;
  private final Manifest manifest;
  private final List<Replay> logs = new ArrayList<>();
  private final Map<Long, FlashFile> held = new HashMap<>();
  private long logsThere;

  private LogRecovery(FileAccess access, Path directory, Manifest manifest) {
    this.access = access;
    this.directory = directory;
    this.manifest = manifest;
  }

  /**
   * Looks through all logs that count.
   *
   * @param newest the largest number of a log in the directory, or less if there is none
   * @throws FilterFormatException if a log is missing, or lacks operations that were safe in it
   */
  static LogRecovery survey(FileAccess access, Path directory, Manifest manifest, long newest)
      throws IOException {
    LogRecovery recovery = new LogRecovery(access, directory, manifest);
    recovery.survey(newest);
    return recovery;
  }

  /**
   * Opens all logs that count, to survey and replay them later, whatever becomes of their names.
   */
  static LogRecovery hold(FileAccess access, Path directory, Manifest manifest, long newest)
      throws IOException {
    LogRecovery recovery = new LogRecovery(access, directory, manifest);
    try {
      for (long number = manifest.firstLog(); number <= newest; number++) {
        Path path = OperationLog.path(directory, number);
        recovery.held.put(number, FlashFile.openToRead(access, path, false));
      }
      return recovery;
    } catch (NoSuchFileException e) {
      recovery.close();
      throw lost(e.getFile() + " is missing, and there are later ones");
    } catch (IOException | RuntimeException e) {
      recovery.close();
      throw e;
    }
  }

  /** As the static one. */
  void survey(long newest) throws IOException {
    boolean torn = false;
    for (long number = manifest.firstLog(); number <= newest; number++) {
      Path path = OperationLog.path(directory, number);
      if (!held.containsKey(number) && !Files.exists(path)) {
        throw lost(path + " is missing, and there are later ones");
      }
      Replay replay = read(number, slot -> check(path, slot, manifest.shape()));
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
    for (Manifest.ClosedLog log : manifest.closed()) {
      int i = (int) (log.number() - manifest.firstLog());
      if (log.bytes() > (i < logs.size() ? logs.get(i).end() : 0)) {
        throw lost(
            OperationLog.path(directory, log.number())
                + " was cut: it had "
                + log.bytes()
                + " bytes when the filter was closed");
      }
    }
  }

  private static void check(Path path, long slot, SlotShape shape) {
    if (slot >>> shape.bits() != 0) {
      throw lost(path + " has an operation that is none of this filter's");
    }
  }

  private static FilterFormatException lost(String what) {
    return new FilterFormatException(
        what
            + ", so keys would be lost: "
            + CascadeDirectory.WHAT_TO_DO
            + "; nothing was changed in this one");
  }

  /**
   * Removes what follows a cut, which was not promised either, and makes the rest safe. For that it
   * is written once more where it is not known to be safe ({@link FlashFile#rewrite}).
   */
  void repair() throws IOException {
    long firstLog = manifest.firstLog();
    for (long number = firstLog + logsThere - 1; number >= nextLog(); number--) {
      access.delete(OperationLog.path(directory, number));
    }
    for (int i = 0; i < logs.size(); i++) {
      Replay log = logs.get(i);
      try (FlashFile file =
          FlashFile.open(access, OperationLog.path(directory, firstLog + i), false)) {
        if (log.torn()) {
          file.truncate(log.end());
        }
        file.rewrite(log.safe(), log.end());
        file.force();
      }
    }
    access.forceDirectory(directory);
  }

  /** How many logs there are to take in. */
  int logs() {
    return logs.size();
  }

  /** How a log ended. */
  Replay log(int log) {
    return logs.get(log);
  }

  /** Lets go of the logs that are held. */
  @Override
  public void close() throws IOException {
    for (FlashFile file : held.values()) {
      file.close(); // nothing was written
    }
    held.clear();
  }

  /** Operations of all of them. */
  long operations() {
    return logs.stream().mapToLong(Replay::operations).sum();
  }

  /**
   * Whether a level in memory with room for {@code levelEntries} takes them in; else they go to
   * flash.
   */
  boolean fit(long levelEntries) {
    return operations() <= levelEntries && logs() <= MOST_LOGS;
  }

  void replay(int log, Consumer consumer) throws IOException {
    read(manifest.firstLog() + log, consumer);
  }

  /** The number of the first log that is not there. */
  long nextLog() {
    return manifest.firstLog() + logs.size();
  }

  /**
   * Reads a log up to its last whole block.
   *
   * @throws FilterFormatException if a block is damaged that was known to be safe
   */
  private Replay read(long number, Consumer consumer) throws IOException {
    FlashFile held = this.held.get(number);
    if (held != null) {
      return read(held, number, consumer);
    }
    Path path = OperationLog.path(directory, number);
    try (FlashFile file = FlashFile.openToRead(access, path, false)) {
      return read(file, number, consumer);
    }
  }

  private Replay read(FlashFile file, long number, Consumer consumer) throws IOException {
    Reader reader = new Reader(file, manifest.id(), number);
    long at = 0;
    long safe = 0;
    long operations = 0;
    while (reader.isWhole(at)) {
      for (int i = 0; i < reader.count(); i++) {
        consumer.accept(reader.operation(i));
      }
      operations += reader.count();
      safe = Math.max(safe, reader.safe());
      at += reader.bytes();
    }
    long later = reader.nextWhole(at + Long.BYTES);
    while (later >= 0) {
      safe = Math.max(safe, reader.safe());
      later = reader.nextWhole(later + reader.bytes());
    }
    if (safe > at) {
      throw lost(file.path() + " is damaged at byte " + at + ", and was safe up to byte " + safe);
    }
    return new Replay(at, at < reader.size, safe, operations);
  }

  /** The blocks of one log, one at a time. */
  private static final class Reader {
    private final FlashFile file;
    private final long filterId;
    private final long number;
    private final long size;
    private final ByteBuffer block = OperationLog.newBlock();
    private final ByteBuffer window = OperationLog.newBlock();
    private final CRC32C crc = new CRC32C();

    Reader(FlashFile file, long filterId, long number) throws IOException {
      this.file = file;
      this.filterId = filterId;
      this.number = number;
      this.size = file.size();
    }

    int count() {
      return block.getInt(4);
    }

    long safe() {
      return block.getLong(24);
    }

    long operation(int i) {
      return block.getLong(OperationLog.HEADER_BYTES + i * Long.BYTES);
    }

    int bytes() {
      return OperationLog.HEADER_BYTES + count() * Long.BYTES;
    }

    /** Whether a whole block begins at a byte; if so, it is the one that is looked at. */
    boolean isWhole(long at) throws IOException {
      if (size - at < OperationLog.HEADER_BYTES) {
        return false;
      }
      file.read(block.clear().limit(OperationLog.HEADER_BYTES), at);
      block.clear();
      if (!mayBegin(block, 0, at)) {
        return false;
      }
      int bytes = bytes();
      file.read(block.limit(bytes), at);
      block.clear();
      return block.getInt(0) == OperationLog.checksum(filterId, block, bytes, crc);
    }

    private boolean mayBegin(ByteBuffer header, int offset, long at) {
      int count = header.getInt(offset + 4);
      return count >= 0
          && count <= OperationLog.BLOCK_OPERATIONS
          && header.getLong(offset + 8) == number
          && header.getLong(offset + 16) == at
          && size - at >= OperationLog.HEADER_BYTES + (long) count * Long.BYTES;
    }

    /**
     * Where the next whole block begins, at a byte or a multiple of 8 after it; -1 if none does.
     */
    long nextWhole(long from) throws IOException {
      for (long start = from; size - start >= OperationLog.HEADER_BYTES; ) {
        int length = (int) Math.min(window.capacity(), size - start);
        file.read(window.clear().limit(length), start);
        window.clear();
        int offset = 0;
        for (; offset + OperationLog.HEADER_BYTES <= length; offset += Long.BYTES) {
          if (mayBegin(window, offset, start + offset) && isWhole(start + offset)) {
            return start + offset;
          }
        }
        start += offset;
      }
      return -1;
    }
  }
}
