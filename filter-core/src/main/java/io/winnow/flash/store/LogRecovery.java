package io.winnow.flash.store;

import io.winnow.FilterFormatException;
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
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The logs that a crash, or a close, left: first looked through, with nothing changed, then
 * repaired, then taken in. Who only reads {@linkplain #hold holds} them first, since a writer may
 * delete them meanwhile; and does not repair them.
 */
public final class LogRecovery implements Closeable {
  private final FileAccess access;
  private final Path directory;
  private final long id;
  private final long firstLog;
  private final boolean counts;
  private final Records kind;
  private final String whatToDo;
  private final List<Log> logs = new ArrayList<>();
  private final Map<Long, FlashFile> held = new HashMap<>();
  private long nextLog;

  /** What records of a structure look like. */
  public interface Records {
    /** The bytes of the record that begins here; -1 if there is none of the structure's. */
    int bytes(ByteBuffer block, int at, int end);
  }

  /** What takes in the records of a log. */
  public interface Consumer {
    /** The record with this number begins at {@code at}. */
    void accept(long record, ByteBuffer block, int at) throws IOException;
  }

  /** How a log ended. */
  public static final class Log {
    private final long number;
    private final long end;
    private final boolean torn;
    private final long safe;
    private final long firstRecord;
    private final long nextRecord;

    private Log(long number, long end, boolean torn, long safe, long firstRecord, long nextRecord) {
      this.number = number;
      this.end = end;
      this.torn = torn;
      this.safe = safe;
      this.firstRecord = firstRecord;
      this.nextRecord = nextRecord;
    }

    public long number() {
      return number;
    }

    /** Where its last whole block ends. */
    public long end() {
      return end;
    }

    /** Whether more follows that is not whole: what a crash cut off, or a writer has begun. */
    public boolean torn() {
      return torn;
    }

    public long records() {
      return nextRecord - firstRecord;
    }

    private boolean isEmpty() {
      return end == 0 && !torn;
    }
  }

  /**
   * The logs that count now: from the first one that does up to the newest one there is.
   *
   * @param id of the structure, as its logs have it
   * @param firstLog the first log that counts
   * @param counts whether the number of a log's first record tells how many the log before has
   * @param whatToDo what is left to do where logs are damaged, for messages
   */
  public LogRecovery(
      FileAccess access,
      Path directory,
      long id,
      long firstLog,
      boolean counts,
      Records kind,
      String whatToDo)
      throws IOException {
    this.access = access;
    this.directory = directory;
    this.id = id;
    this.firstLog = firstLog;
    this.counts = counts;
    this.kind = kind;
    this.whatToDo = whatToDo;
    this.nextLog = Math.max(firstLog, newest(directory) + 1);
  }

  /** The number of a directory's newest log, or 0 if there is none. */
  static long newest(Path directory) throws IOException {
    return FlashDirectory.names(directory).stream()
        .mapToLong(RecordLog::numberOf)
        .reduce(0, Math::max);
  }

  /** How many bytes logs have, by their numbers, from one on. */
  public static SortedMap<Long, Long> lengths(Path directory, long firstLog) throws IOException {
    SortedMap<Long, Long> lengths = new TreeMap<>();
    long newest = newest(directory);
    for (long number = firstLog; number <= newest; number++) {
      lengths.put(number, Files.size(RecordLog.path(directory, number)));
    }
    return lengths;
  }

  /**
   * Opens all logs that count, to survey and replay them later, whatever becomes of their names.
   */
  public void hold() throws IOException {
    try {
      for (long number = firstLog; number < nextLog; number++) {
        held.put(number, open(number));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private FlashFile open(long number) throws IOException {
    try {
      return FlashFile.open(access, RecordLog.path(directory, number), false, false);
    } catch (NoSuchFileException e) {
      throw lost(e.getFile() + " is missing, and there are later ones");
    }
  }

  /**
   * Looks through all logs that count.
   *
   * @param closed how many bytes logs had when the structure was closed, by their numbers
   * @throws FilterFormatException if a log is missing, or lacks records that were safe in it
   */
  public void survey(Map<Long, Long> closed) throws IOException {
    boolean torn = false;
    Log before = null;
    for (long number = firstLog; number < nextLog; number++) {
      Log log = read(number, (record, block, at) -> {});
      torn |= counts && before != null && !follows(before, log);
      if (torn && log.safe > 0) {
        throw lost(
            RecordLog.path(directory, number - 1)
                + " ends too early, since the log after it was made safe");
      }
      if (!torn) {
        logs.add(log);
      }
      torn |= log.torn;
      before = log;
    }
    for (Map.Entry<Long, Long> log : closed.entrySet()) {
      long i = log.getKey() - firstLog;
      long end = i < logs.size() ? logs.get((int) i).end : 0;
      if (log.getValue() > end) {
        throw lost(
            String.format(
                "%s had %s bytes when it was closed, and has %s that are whole",
                RecordLog.path(directory, log.getKey()), log.getValue(), end));
      }
    }
  }

  /**
   * Whether a log begins where the one before ends. A power cut may take whole blocks off the end
   * of that one, which then does not look torn. Release 0.1.0 begins each log with 1.
   */
  private static boolean follows(Log before, Log log) {
    return log.firstRecord <= 1 || log.firstRecord == before.records() + 1;
  }

  private FilterFormatException lost(String what) {
    return new FilterFormatException(
        what + ", so keys would be lost: " + whatToDo + "; nothing was changed in this one");
  }

  /**
   * Cuts off what was not promised, and makes the rest safe. For that it is written once more where
   * it is not known to be safe ({@link FlashFile#rewrite}). If no log is dropped, those without
   * records at the end are deleted.
   *
   * <p>After a crash on the way this can be done again. Logs that are dropped are emptied first,
   * while the one before them still says that they do not count. They are not deleted: the next log
   * would have their number, and a drive may show their bytes where that log was not written yet.
   */
  public void repair() throws IOException {
    for (long number = nextLog - 1; number >= firstLog + logs.size(); number--) {
      makeSafe(number, 0, 0);
    }
    boolean drops = firstLog + logs.size() < nextLog;
    while (!drops && !logs.isEmpty() && logs.get(logs.size() - 1).isEmpty()) {
      access.delete(RecordLog.path(directory, nextLog - 1)); // its number is taken again
      access.forceDirectory(directory);
      logs.remove(logs.size() - 1);
      nextLog--;
    }
    for (Log log : logs) {
      makeSafe(log.number, log.safe, log.end);
    }
    access.forceDirectory(directory);
  }

  private void makeSafe(long number, long safe, long end) throws IOException {
    Path path = RecordLog.path(directory, number);
    try (FlashFile file = FlashFile.open(access, path, false, true)) {
      if (file.size() > end) {
        file.truncate(end);
      }
      file.rewrite(safe, end);
      file.force();
    }
  }

  /** The first log that counts. */
  public long firstLog() {
    return firstLog;
  }

  /** The logs that are to be taken in, oldest first. */
  public List<Log> logs() {
    return logs;
  }

  /** The number of the first log that is not there. */
  public long nextLog() {
    return nextLog;
  }

  /** How many records the last log has that is there, after the repair. */
  public long recordsBefore() {
    boolean drops = firstLog + logs.size() < nextLog;
    return logs.isEmpty() || drops ? 0 : logs.get(logs.size() - 1).records();
  }

  /** Records of all of them. */
  public long records() {
    return logs.stream().mapToLong(Log::records).sum();
  }

  /** A number that no record has yet. */
  public long nextRecord() {
    return logs.stream().mapToLong(log -> log.nextRecord).reduce(0, Math::max);
  }

  /** Takes in the records of {@code logs().get(log)}. */
  public void replay(int log, Consumer consumer) throws IOException {
    read(firstLog + log, consumer);
  }

  /** Lets go of the logs that are held. */
  @Override
  public void close() throws IOException {
    for (FlashFile file : held.values()) {
      file.close(); // nothing was written
    }
    held.clear();
  }

  /**
   * Reads a log up to its last whole block.
   *
   * @throws FilterFormatException if a block is damaged that was known to be safe
   */
  private Log read(long number, Consumer consumer) throws IOException {
    FlashFile held = this.held.get(number);
    if (held != null) {
      return read(held, number, consumer);
    }
    try (FlashFile file = open(number)) {
      return read(file, number, consumer);
    }
  }

  private Log read(FlashFile file, long number, Consumer consumer) throws IOException {
    Reader reader = new Reader(file, id, number);
    long at = 0;
    long safe = 0;
    long firstOfAll = 0;
    long next = 0;
    while (reader.isWhole(at)) {
      long first = reader.block.getLong(32);
      if (first < 1 || next != 0 && first != next) {
        throw lost(file.path() + " has records in a wrong order");
      }
      firstOfAll = next == 0 ? first : firstOfAll;
      next = takeIn(file, reader.block, first, consumer);
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
    return new Log(number, at, at < reader.size, safe, firstOfAll, next);
  }

  private long takeIn(FlashFile file, ByteBuffer block, long first, Consumer consumer)
      throws IOException {
    long record = first;
    int end = RecordLog.HEADER_BYTES + block.getInt(4);
    for (int at = RecordLog.HEADER_BYTES; at < end; record++) {
      int bytes = kind.bytes(block, at, end);
      if (bytes < 0) {
        throw lost(file.path() + " has a record that is none of this directory's");
      }
      consumer.accept(record, block, at);
      at += bytes;
    }
    return record;
  }

  /** The blocks of one log, one at a time. */
  private static final class Reader {
    private final FlashFile file;
    private final long id;
    private final long number;
    private final long size;
    private final ByteBuffer block = RecordLog.newBlock(RecordLog.MOST_BLOCK_BYTES);
    private final ByteBuffer window = RecordLog.newBlock(RecordLog.MOST_BLOCK_BYTES);
    private final CRC32C crc = new CRC32C();

    Reader(FlashFile file, long id, long number) throws IOException {
      this.file = file;
      this.id = id;
      this.number = number;
      this.size = file.size();
    }

    long safe() {
      return block.getLong(24);
    }

    int bytes() {
      return RecordLog.blockBytes(block.getInt(4));
    }

    /** Whether a whole block begins at a byte; if so, it is the one that is looked at. */
    boolean isWhole(long at) throws IOException {
      if (size - at < RecordLog.HEADER_BYTES) {
        return false;
      }
      file.read(block.clear().limit(RecordLog.HEADER_BYTES), at);
      block.clear();
      if (!mayBegin(block, 0, at)) {
        return false;
      }
      int bytes = bytes();
      file.read(block.limit(bytes), at);
      block.clear();
      return block.getInt(0) == RecordLog.checksum(id, block, bytes, crc);
    }

    private boolean mayBegin(ByteBuffer header, int offset, long at) {
      int records = header.getInt(offset + 4);
      return records >= 0
          && records <= RecordLog.MOST_BLOCK_BYTES
          && header.getLong(offset + 8) == number
          && header.getLong(offset + 16) == at
          && size - at >= RecordLog.blockBytes(records);
    }

    /**
     * Where the next whole block begins, at a byte or a multiple of 8 after it; -1 if none does.
     */
    long nextWhole(long from) throws IOException {
      for (long start = from; size - start >= RecordLog.HEADER_BYTES; ) {
        int length = (int) Math.min(window.capacity(), size - start);
        file.read(window.clear().limit(length), start);
        window.clear();
        int offset = 0;
        for (; offset + RecordLog.HEADER_BYTES <= length; offset += Long.BYTES) {
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
