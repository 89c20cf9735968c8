package io.winnow.flash.drive;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ObjIntConsumer;
import java.util.zip.CRC32C;

/**
 * A log file of records of any kind, in blocks with checksums. Each block has a checksum, its own
 * offset, and the number of bytes that were synced when it was written. Schema-critical.
 *
 * <pre>
 *    0 CRC32C of the structure's id and what follows (4) | 4 bytes of records (4) | 8 number of the log (8)
 *   16 offset of the block (8) | 24 bytes of the file that are synced (8)
 *   32 number of the first record (8) | 40 records, then zeros up to a multiple of 8
 * </pre>
 *
 * <p>A log that ends in the middle of a block was cut by a crash, and the missing records were
 * never acknowledged. But if a later block, or the mark that is written after each fsync, says that
 * these bytes were synced, they have been damaged, which is an error. {@link LogRecovery} reads
 * logs.
 *
 * <p>Thread-safe: records can be appended during an fsync, and threads share fsyncs. After a failed
 * fsync the log accepts no more records.
 */
public final class RecordLog implements Closeable {
  /** Size in bytes of the header of a log's block. */
  public static final int HEADER_BYTES = 40;

  /** Maximum of bytes for the records in one block of a log. */
  public static final int MAX_BLOCK_BYTES = 1 << 17;

  private static final String PREFIX = "log-";

  private final FlashFile file;
  private final long id;

  /** Number of the log file. */
  public final long number;

  private final long firstRecord;
  private final ByteBuffer block;
  private final int blockBytes;
  private final CRC32C crc = new CRC32C();

  /**
   * Lock of the threads that sync and close the log file; it is taken before the monitor, which
   * guards the other fields. It is fair, so that a thread with a new record lets those pass whose
   * records are synced already.
   */
  private final ReentrantLock forcing = new ReentrantLock(true);

  /** Number of records in the log's block that is being filled. */
  private int records;

  /** Number of bytes of the records in the log's block that is being filled. */
  private int bytes;

  /** Number of records in the last written block of the log that has any. */
  private int lastRecords;

  /** Offset in the log file of the last written block that has any records. */
  private long lastBegin;

  /** Number of records in the whole log. */
  private long appended;

  /** Number of records of the log, counted from the first one, that are synced. */
  private long syncedRecords;

  /** Size of the log file in bytes. */
  private volatile long written;

  /** Number of bytes of the log file that are synced. */
  private long synced;

  private long syncedAsMarked;

  /** Reason why the log accepts no more records, or null. */
  private IOException failure;

  private boolean whole;
  private volatile boolean retired;

  private RecordLog(FlashFile file, long id, long number, long firstRecord, int blockBytes) {
    this.file = file;
    this.id = id;
    this.number = number;
    this.firstRecord = firstRecord;
    this.blockBytes = blockBytes;
    this.block = newBlock(blockBytes);
  }

  /** Returns the path of a log file. */
  public static Path path(Path directory, long number) {
    return directory.resolve(PREFIX + number);
  }

  /** Returns the number in the name of a log file, or -1 for other names. */
  public static long numberOf(String name) {
    return TextFile.numberOf(name, PREFIX);
  }

  /**
   * Creates a log file and makes its name durable.
   *
   * @param id id of the structure, which distinguishes its blocks from those of others
   * @param firstRecord number of the first record
   * @param blockBytes maximum of bytes for the records of a block, a multiple of 8
   */
  public static RecordLog create(
      FileAccess access, Path directory, long id, long number, long firstRecord, int blockBytes)
      throws IOException {
    Path path = path(directory, number);
    access.delete(path); // left by a failed attempt
    FlashFile file = FlashFile.create(access, path, false);
    Closeable undo =
        () -> {
          file.close();
          access.delete(path);
        };
    Opening.syncOrUndo(access, directory, undo);
    return new RecordLog(file, id, number, firstRecord, blockBytes);
  }

  /** Returns the size of the log file in bytes. */
  public long bytesWritten() {
    return written;
  }

  // ---- Appending ----

  /** Appends a record of 8 bytes to the log. If it throws, the record is not in the log. */
  public synchronized void append(long record) throws IOException {
    makeRoom(Long.BYTES);
    put(record);
  }

  /**
   * Appends records of 8 bytes to the log, all in one block. If it throws, none of them is in the
   * log.
   */
  public synchronized void append(long[] some, int from, int count) throws IOException {
    makeRoom(count * Long.BYTES);
    for (int i = from; i < from + count; i++) {
      put(some[i]);
    }
  }

  private void put(long record) {
    block.putLong(HEADER_BYTES + bytes, record);
    bytes += Long.BYTES;
    records++;
    appended++;
  }

  /**
   * Appends a record of any size to the log. If it throws, the record is not in the log.
   *
   * @param record writes {@code size} bytes into a block, which is little-endian, at an offset
   * @return the number of the record
   */
  public synchronized long append(int size, ObjIntConsumer<ByteBuffer> record) throws IOException {
    makeRoom(size);
    record.accept(block, HEADER_BYTES + bytes);
    bytes += size;
    records++;
    return firstRecord + appended++;
  }

  private void makeRoom(int size) throws IOException {
    checkNotFailed();
    if (bytes + size > blockBytes) {
      writeBlock();
    }
  }

  /**
   * Removes the last records from the log, whose sync failed. They are in one block and have 8
   * bytes each. After a failed fsync the file is truncated, so that the next opening does not find
   * them; a power failure before that may bring them back.
   */
  public synchronized void removeLast(int count) {
    if (records >= count) {
      drop(count);
    } else if (failure != null && records == 0 && lastRecords >= count) {
      try {
        file.truncate(lastBegin); // this also removes a mark after it
        written = lastBegin;
        synced = Math.min(synced, lastBegin);
        records = lastRecords;
        bytes = lastRecords * Long.BYTES;
        lastRecords = 0;
        drop(count);
        if (records > 0) {
          writeBlock();
        }
      } catch (IOException e) {
        // the next opening may find them, but no call has returned as if they were synced
      }
    }
  }

  private void drop(int count) {
    appended -= count;
    records -= count;
    bytes -= count * Long.BYTES;
  }

  /** Ends the log, which accepts no more records, because an fsync has failed. */
  public synchronized void fail(Throwable reason) {
    if (failure == null) {
      failure =
          FlashFile.syncFailed(
              file.path.toString(),
              ". Until then no more operations are accepted, and lookups still work",
              reason);
    }
  }

  /**
   * Ends the log, which accepts no more records and changes nothing more, because the directory
   * belongs to another owner.
   */
  public synchronized void abandon(IOException reason) {
    failure = reason;
    lastRecords = 0;
  }

  /**
   * Checks that the log accepts records.
   *
   * @throws IOException if it does not
   */
  public synchronized void checkNotFailed() throws IOException {
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
  }

  /** Writes the appended records to the log file, without a sync. */
  public synchronized void write() throws IOException {
    if (records > 0) {
      writeBlock();
    }
  }

  private void writeBlock() throws IOException {
    int size = blockBytes(bytes);
    for (int i = HEADER_BYTES + bytes; i < size; i++) {
      block.put(i, (byte) 0);
    }
    block.putInt(4, bytes);
    block.putLong(8, number);
    block.putLong(16, written);
    block.putLong(24, synced);
    block.putLong(32, firstRecord + appended - records);
    block.putInt(0, checksum(id, block, size, crc));
    try {
      file.write(block.duplicate().clear().limit(size), written); // over a failed attempt, if any
    } catch (IOException e) {
      cutToWhatIsWhole(e);
      throw e;
    }
    syncedAsMarked = synced;
    if (records > 0) {
      lastBegin = written;
      lastRecords = records;
      records = 0;
      bytes = 0;
    }
    written += size;
  }

  /**
   * Removes the half block that a failed write left at the end of the log file. It would look like
   * a loss if it is not overwritten and the next log is synced.
   */
  private void cutToWhatIsWhole(IOException reason) {
    try {
      file.truncate(written);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  // ---- Syncing ----

  /**
   * Syncs all records that were appended to the log before. Other threads append meanwhile; those
   * that call this meanwhile share the next fsync.
   */
  public void force() throws IOException {
    long before = appended();
    forcing.lock();
    try {
      forceFor(before);
    } finally {
      forcing.unlock();
    }
  }

  /**
   * Syncs the log to its very end when nothing more will be appended to it. The next log may be
   * synced only after this, since its records count only if this one is not torn.
   */
  public void forceWhole() throws IOException {
    forcing.lock();
    try {
      forceFor(appended());
      long end;
      synchronized (this) {
        if (retired || whole) {
          return;
        }
        end = written;
      }
      if (file.size() > end) {
        file.truncate(end); // the rest of a mark, or of records that were removed
      }
      forceFile();
      synchronized (this) {
        synced = end;
        syncedAsMarked = end;
        whole = true;
      }
    } finally {
      forcing.unlock();
    }
  }

  /**
   * Syncs a given number of records of the log, counted from its first one. The caller holds the
   * lock for syncing.
   */
  private void forceFor(long before) throws IOException {
    long end;
    long inFile;
    synchronized (this) {
      if (retired) {
        return;
      }
      checkNotFailed();
      if (syncedRecords >= before && syncedAsMarked == synced) {
        return; // another thread's fsync included these
      }
      write();
      end = written;
      inFile = appended;
    }
    if (end > synced) {
      forceFile();
    }
    synchronized (this) {
      synced = end;
      syncedRecords = inFile;
      if (records == 0) {
        writeMark();
      }
    }
  }

  /** Returns the number of records that were appended to the log. */
  public synchronized long appended() {
    return appended;
  }

  /**
   * Returns the number of the log's last synced record; that before the first one if none is
   * synced.
   */
  public synchronized long lastSyncedRecord() {
    return firstRecord + syncedRecords - 1;
  }

  /** Syncs the log file; a failure ends the log. */
  private void forceFile() throws IOException {
    try {
      file.force();
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      throw e;
    }
  }

  /**
   * Writes an empty block that says how many bytes of the log are synced, unless the next records
   * will. It need not be synced itself.
   */
  private void writeMark() {
    try {
      writeBlock();
    } catch (IOException e) {
      // all appended records are synced; the next force tries again
    }
  }

  /** Closes the log file without a sync. Records that were not written are lost. */
  @Override
  public void close() throws IOException {
    forcing.lock();
    try {
      file.close();
    } finally {
      forcing.unlock();
    }
  }

  /** Closes a log whose records are no longer needed; syncs of it then return at once. */
  public void retire() {
    retired = true;
    try {
      close();
    } catch (IOException e) {
      // its content is no longer needed
    }
  }

  // ---- Blocks ----

  /** Returns a new buffer for a block of a log. */
  static ByteBuffer newBlock(int recordBytes) {
    return ByteBuffer.allocateDirect(HEADER_BYTES + recordBytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the size in bytes of a log's block that has a given number of bytes of records. */
  public static int blockBytes(int recordBytes) {
    return HEADER_BYTES + (recordBytes + 7) / 8 * 8;
  }

  /** Returns the checksum of a log's block, which covers the id of the structure too. */
  public static int checksum(long id, ByteBuffer block, int bytes, CRC32C crc) {
    crc.reset();
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (id >>> shift) & 0xFF);
    }
    crc.update(block.duplicate().clear().limit(bytes).position(4));
    return (int) crc.getValue();
  }
}
