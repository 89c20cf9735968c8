package io.winnow.flash.drive;

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
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

/**
 * Recovery of the log files that a crash or a close of a filter or table left. First {@link
 * #survey} reads them without a change, then {@link #repair} truncates and syncs them, then {@link
 * #replay} passes their records on. A reader does not repair them; it opens all of them first with
 * {@link #hold}, since a writer may delete them meanwhile.
 */
public final class LogRecovery implements Closeable {
  private final FlashDirectory files;
  private final long id;

  /** Number of the first log with records that must be replayed. */
  public final long firstLog;

  private final boolean counts;
  private final Records kind;

  /** Logs to replay, oldest first. */
  public final List<Log> logs = new ArrayList<>();

  private final Map<Long, FlashFile> held = new HashMap<>();
  private long nextLog;

  /** The format of the records in a log. */
  public interface Records {
    /**
     * Returns the size in bytes of the record at a given offset of a block, or -1 if there is no
     * valid record.
     */
    int bytes(ByteBuffer block, int at, int end);
  }

  /** Receiver of the records of a log, in their order. */
  public interface Consumer {
    /** Receives a record of a log, with its number and its place in the block that has it. */
    void accept(long record, ByteBuffer block, int at) throws IOException;
  }

  /** Description of one log file and of its end. */
  public static final class Log {
    private final long number;
    private long end;
    private boolean torn;
    private long synced;
    private long firstRecord;
    private long nextRecord;

    private Log(long number) {
      this.number = number;
    }

    /** Returns the number of the log file. */
    public long number() {
      return number;
    }

    /** Returns the offset in bytes at which the log's last whole block ends. */
    public long end() {
      return end;
    }

    /**
     * Returns whether the log's last whole block is followed by bytes that are not a whole block: a
     * crash cut them, or a writer has begun them.
     */
    public boolean torn() {
      return torn;
    }

    /** Returns the number of records in the log. */
    public long records() {
      return nextRecord - firstRecord;
    }

    /** Returns whether the log file has no bytes at all. */
    private boolean isEmpty() {
      return end == 0 && !torn;
    }
  }

  /**
   * Finds the log files in a directory, from the first one that is needed to the newest one.
   *
   * @param id id of the structure, which its logs contain
   * @param firstLog number of the first log with records that are needed
   * @param counts whether the first record's number in a log implies the number of records in the
   *     log before it
   * @param kind format of the records
   */
  public LogRecovery(FlashDirectory files, long id, long firstLog, boolean counts, Records kind)
      throws IOException {
    this.files = files;
    this.id = id;
    this.firstLog = firstLog;
    this.counts = counts;
    this.kind = kind;
    this.nextLog = Math.max(firstLog, newest(files.path) + 1);
  }

  /** Returns the number of the newest log file in a directory, or 0 if there is none. */
  static long newest(Path directory) throws IOException {
    return numbers(directory, 1).max().orElse(0);
  }

  /** Returns the numbers of the log files in a directory that are not below a given one. */
  public static LongStream numbers(Path directory, long min) throws IOException {
    return FlashDirectory.names(directory).stream()
        .mapToLong(RecordLog::numberOf)
        .filter(number -> number >= min);
  }

  /**
   * Returns the sizes in bytes of the log files from number {@code firstLog} on, by their numbers.
   * An empty log is left out: it has nothing that could be lost.
   */
  public static SortedMap<Long, Long> lengths(Path directory, long firstLog) throws IOException {
    SortedMap<Long, Long> lengths = new TreeMap<>();
    long newest = newest(directory);
    for (long number = firstLog; number <= newest; number++) {
      long bytes = Files.size(RecordLog.path(directory, number));
      if (bytes > 0) {
        lengths.put(number, bytes);
      }
    }
    return lengths;
  }

  /**
   * Opens all log files, so that they can be surveyed and replayed even if their names are deleted.
   * {@link #close} closes them, also after a failure.
   */
  public void hold() throws IOException {
    for (long number = firstLog; number < nextLog; number++) {
      held.put(number, open(number));
    }
  }

  private FlashFile open(long number) throws IOException {
    try {
      return FlashFile.open(files.access, RecordLog.path(files.path, number), false, false);
    } catch (NoSuchFileException e) {
      throw files.damaged(e.getFile() + " is missing, but later logs exist", e);
    }
  }

  /**
   * Reads and checks all log files, and changes nothing.
   *
   * @param closed sizes that logs had when the structure was closed, by their numbers
   * @throws io.winnow.FilterFormatException if a log is missing, or lacks records that were synced
   */
  public void survey(Map<Long, Long> closed) throws IOException {
    boolean torn = false;
    Log before = null;
    for (long number = firstLog; number < nextLog; number++) {
      Log log = read(number, (record, block, at) -> {});
      torn |= counts && before != null && !follows(before, log);
      if (torn && log.synced > 0) {
        throw files.damaged(
            RecordLog.path(files.path, number - 1) + " ends too early: the log after it was synced",
            null);
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
        throw files.damaged(
            String.format(
                "%s had %s bytes when it was closed, but now only %s bytes are whole",
                RecordLog.path(files.path, log.getKey()), log.getValue(), end),
            null);
      }
    }
  }

  /**
   * Returns whether a log's first record follows the last record of the log before. A power cut may
   * remove whole blocks from the end of a log, which then does not look torn. Logs of release 0.1.0
   * each begin with record 1.
   */
  private static boolean follows(Log before, Log log) {
    return log.firstRecord <= 1 || log.firstRecord == before.records() + 1;
  }

  /**
   * Removes everything after the last whole blocks of the logs, and syncs the rest. Bytes that are
   * not known to be synced are written again before ({@link FlashFile#rewrite}). If no log is
   * dropped, empty logs at the end are deleted.
   *
   * <p>After a crash meanwhile it can be repeated: logs that are dropped are emptied first, while
   * the torn log before them still shows that they do not count. They are not deleted, because the
   * next log would get their number, and a drive may show their bytes where that log is not written
   * yet.
   */
  public void repair() throws IOException {
    for (long number = nextLog - 1; number >= firstLog + logs.size(); number--) {
      truncateAndSync(number, 0, 0);
    }
    boolean drops = firstLog + logs.size() < nextLog;
    while (!drops && !logs.isEmpty() && logs.get(logs.size() - 1).isEmpty()) {
      files.access.delete(RecordLog.path(files.path, nextLog - 1)); // the next log takes its number
      files.access.forceDirectory(files.path);
      logs.remove(logs.size() - 1);
      nextLog--;
    }
    for (Log log : logs) {
      truncateAndSync(log.number, log.synced, log.end);
    }
    files.access.forceDirectory(files.path);
  }

  /**
   * Truncates a log, writes those of its bytes again that are not known to be synced, and syncs it.
   */
  private void truncateAndSync(long number, long synced, long end) throws IOException {
    Path path = RecordLog.path(files.path, number);
    try (FlashFile file = FlashFile.open(files.access, path, false, true)) {
      if (file.size() > end) {
        file.truncate(end);
      }
      file.rewrite(synced, end);
      file.force();
    }
  }

  /** Returns the number that the next log file gets. */
  public long nextLog() {
    return nextLog;
  }

  /** Returns the number of records in the last log that exists after the repair. */
  public long recordsBefore() {
    boolean drops = firstLog + logs.size() < nextLog;
    return logs.isEmpty() || drops ? 0 : logs.get(logs.size() - 1).records();
  }

  /** Returns the number of records in all logs that must be replayed. */
  public long records() {
    return logs.stream().mapToLong(Log::records).sum();
  }

  /** Returns the lowest record number that no record in the logs has. */
  public long nextRecord() {
    return logs.stream().mapToLong(log -> log.nextRecord).reduce(0, Math::max);
  }

  /** Passes the records of one log to a consumer. */
  public void replay(int log, Consumer consumer) throws IOException {
    read(firstLog + log, consumer);
  }

  /** Passes the records of all logs to a consumer, in order. */
  public void replay(Consumer consumer) throws IOException {
    for (int log = 0; log < logs.size(); log++) {
      replay(log, consumer);
    }
  }

  /** Closes the log files that {@link #hold} opened to keep them readable. */
  @Override
  public void close() throws IOException {
    for (FlashFile file : held.values()) {
      file.close(); // it was only read
    }
    held.clear();
  }

  /**
   * Reads a log file up to its last whole block.
   *
   * @throws FilterFormatException if a block is damaged that was known to be synced
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
    Log log = new Log(number);
    while (reader.isWhole(log.end)) {
      long first = reader.block.getLong(32);
      if (first < 1 || log.nextRecord != 0 && first != log.nextRecord) {
        throw files.damaged(file.path + " has records in the wrong order", null);
      }
      log.firstRecord = log.nextRecord == 0 ? first : log.firstRecord;
      log.nextRecord = replay(file, reader.block, first, consumer);
      log.synced = Math.max(log.synced, reader.synced());
      log.end += reader.bytes();
    }
    long later = reader.nextWhole(log.end + Long.BYTES);
    while (later >= 0) {
      log.synced = Math.max(log.synced, reader.synced());
      later = reader.nextWhole(later + reader.bytes());
    }
    if (log.synced > log.end) {
      throw files.damaged(
          String.format(
              "%s is damaged at byte %s, but was synced up to byte %s",
              file.path, log.end, log.synced),
          null);
    }
    log.torn = log.end < reader.size;
    return log;
  }

  /**
   * Passes the records of a log's block to a consumer, and returns the number after the last one.
   */
  private long replay(FlashFile file, ByteBuffer block, long first, Consumer consumer)
      throws IOException {
    long record = first;
    int end = RecordLog.HEADER_BYTES + block.getInt(4);
    for (int at = RecordLog.HEADER_BYTES; at < end; record++) {
      int bytes = kind.bytes(block, at, end);
      if (bytes < 0) {
        throw files.damaged(file.path + " has a record that is not of this directory's kind", null);
      }
      consumer.accept(record, block, at);
      at += bytes;
    }
    return record;
  }

  /** Reader of the blocks of one log file. */
  private static final class Reader {
    private final FlashFile file;
    private final long id;
    private final long number;
    private final long size;
    private final ByteBuffer block = RecordLog.newBlock(RecordLog.MAX_BLOCK_BYTES);
    private final ByteBuffer window = RecordLog.newBlock(RecordLog.MAX_BLOCK_BYTES);
    private final CRC32C crc = new CRC32C();

    Reader(FlashFile file, long id, long number) throws IOException {
      this.file = file;
      this.id = id;
      this.number = number;
      this.size = file.size();
    }

    /**
     * Returns the number of bytes of the log file that were synced when the present block was
     * written.
     */
    long synced() {
      return block.getLong(24);
    }

    /** Returns the size in bytes of the present block of the log. */
    int bytes() {
      return RecordLog.blockBytes(block.getInt(4));
    }

    /**
     * Returns whether a whole block of the log begins at a given offset, and if so makes it the
     * present block.
     */
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

    /** Returns whether a header can be that of the log's block at a given offset of the file. */
    private boolean mayBegin(ByteBuffer header, int offset, long at) {
      int records = header.getInt(offset + 4);
      return records >= 0
          && records <= RecordLog.MAX_BLOCK_BYTES
          && header.getLong(offset + 8) == number
          && header.getLong(offset + 16) == at
          && size - at >= RecordLog.blockBytes(records);
    }

    /**
     * Returns the offset of the next whole block of the log, at a given offset or a multiple of 8
     * bytes after it, or -1 if there is none.
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
