package io.winnow.flash.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ObjIntConsumer;
import java.util.zip.CRC32C;

/**
 * A log: records of any kind, in blocks that each have a checksum, their own place, and up to where
 * the file was known to be safe when they were written. Schema-critical.
 *
 * <pre>
 *    0 CRC32C of the structure's id and what follows (4) | 4 bytes of records (4) | 8 number of the log (8)
 *   16 offset of the block (8) | 24 bytes of the file that are safe (8)
 *   32 number of the first record (8) | 40 records, then zeros up to a multiple of 8
 * </pre>
 *
 * <p>A log that ends in the middle of a block was cut by a crash, and what was cut was not promised
 * to anybody; unless a later block says that it was safe, or the mark that is written after each
 * fsync: then bytes have changed, and that is an error. {@link LogRecovery} reads it.
 *
 * <p>Thread-safe: records are appended while an fsync is under way, and threads share fsyncs. If
 * one fails, nothing more is taken in.
 */
public final class RecordLog implements Closeable {
  public static final int HEADER_BYTES = 40;

  /** Records of a block have at most so many bytes, in any log. */
  public static final int MOST_BLOCK_BYTES = 1 << 17;

  private static final String PREFIX = "log-";

  private final FlashFile file;
  private final long id;
  private final long number;
  private final long firstRecord;
  private final ByteBuffer block;
  private final int blockBytes;
  private final CRC32C crc = new CRC32C();

  /**
   * For who makes the file safe or closes it; taken before the monitor, which guards the rest. It
   * is fair: who comes back with the next record lets those go whose records are safe by now.
   */
  private final ReentrantLock forcing = new ReentrantLock(true);

  /** Records in the block that is being filled, and their bytes. */
  private int records;

  private int bytes;

  /** The last block with records that was written: how many, and where it begins. */
  private int lastRecords;

  private long lastBegin;

  /** Records of the whole log, and how many of the first ones are safe. */
  private long appended;

  private long safeRecords;

  /** Where the file ends. */
  private volatile long written;

  /** Up to where the file is safe, and up to where it says so. */
  private long safe;

  private long safeAsTold;

  /** Why nothing more is taken in; null while there is no reason. */
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

  public static Path path(Path directory, long number) {
    return directory.resolve(PREFIX + number);
  }

  /** The number in a file's name, or -1 if it is no log's. */
  public static long numberOf(String name) {
    return TextFile.numberOf(name, PREFIX);
  }

  /**
   * Begins a log; the file is safe, its content is not.
   *
   * @param id what tells the structure's blocks from those of others
   * @param firstRecord the number of the first record
   * @param blockBytes a block's records have at most so many bytes, a multiple of 8
   */
  public static RecordLog create(
      FileAccess access, Path directory, long id, long number, long firstRecord, int blockBytes)
      throws IOException {
    Path path = path(directory, number);
    access.delete(path); // of an attempt that failed
    FlashFile file = FlashFile.create(access, path, false);
    try {
      access.forceDirectory(directory);
      return new RecordLog(file, id, number, firstRecord, blockBytes);
    } catch (IOException e) {
      file.close();
      access.delete(path);
      throw e;
    }
  }

  /**
   * Bytes of so many records of {@code recordBytes}, one of every {@code synced} of which is
   * synced; 0 is no log.
   */
  public static long bytesFor(long records, int recordBytes, long synced, int blockBytes) {
    if (synced == 0) {
      return 0;
    }
    long blocks = 1 + records / Math.min(synced, blockBytes / recordBytes); // each with a mark
    return records * recordBytes + blocks * 2 * HEADER_BYTES;
  }

  public long number() {
    return number;
  }

  /** What is in the file. For anybody. */
  public long bytesWritten() {
    return written;
  }

  // ---- Appending ----

  /** Logs a record of 8 bytes. If it throws, the record is not logged. */
  public synchronized void append(long record) throws IOException {
    makeRoom(Long.BYTES);
    put(record);
  }

  /** Logs some, all of them in one block. If it throws, none of them is logged. */
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
   * Logs a record; its number is returned. If it throws, it is not logged.
   *
   * @param record writes {@code size} bytes into a block, which is little-endian
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
   * Takes the last records back, which were to be made safe and are not; they are in one block and
   * of 8 bytes. After a failed fsync they are cut off the file, so that the next opening does not
   * find them. A power failure before that may bring them back: nobody can help it.
   */
  public synchronized void takeBack(int count) {
    if (records >= count) {
      drop(count);
    } else if (failure != null && records == 0 && lastRecords >= count) {
      try {
        file.truncate(lastBegin); // a mark may follow it
        written = lastBegin;
        safe = Math.min(safe, lastBegin);
        records = lastRecords;
        bytes = lastRecords * Long.BYTES;
        lastRecords = 0;
        drop(count);
        if (records > 0) {
          writeBlock();
        }
      } catch (IOException e) {
        // they may be found, and nobody was told that they are safe
      }
    }
  }

  private void drop(int count) {
    appended -= count;
    records -= count;
    bytes -= count * Long.BYTES;
  }

  /** Nothing more is taken in, as after a failed fsync. */
  public synchronized void fail(Throwable reason) {
    if (failure == null) {
      failure =
          new IOException(
              "an fsync of "
                  + file.path()
                  + " has failed, and what it was to make safe may be lost: nothing more is taken"
                  + " in; lookups go on. Close it, see to the drive, and open it again: all that an"
                  + " earlier sync made safe is there",
              reason);
    }
  }

  /** Nothing more is taken in, and nothing is changed: the directory is another one's. */
  public synchronized void giveUp(IOException reason) {
    failure = reason;
    lastRecords = 0;
  }

  /** Throws if nothing more is taken in. */
  public synchronized void checkNotFailed() throws IOException {
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
  }

  /** Hands what was logged to the operating system. */
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
    block.putLong(24, safe);
    block.putLong(32, firstRecord + appended - records);
    block.putInt(0, checksum(id, block, size, crc));
    try {
      file.write(block.duplicate().clear().limit(size), written); // again, if it failed before
    } catch (IOException e) {
      cutToWhatIsWhole(e);
      throw e;
    }
    safeAsTold = safe;
    if (records > 0) {
      lastBegin = written;
      lastRecords = records;
      records = 0;
      bytes = 0;
    }
    written += size;
  }

  /** Half a block would look like a loss, if it is not written again and the next log is safe. */
  private void cutToWhatIsWhole(IOException reason) {
    try {
      file.truncate(written);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  // ---- Making it safe ----

  /**
   * Returns when all that was logged before is safe from a power failure. Others append meanwhile,
   * and who comes meanwhile waits for the next fsync, which is for all of them.
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
   * As {@link #force}, for a log that nothing is appended to any more: its end is safe too, with
   * the mark there, and no other one comes. To be called before the next log is made safe, which
   * counts only if this one is not torn.
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
        file.truncate(end); // a part of a mark that could not be written, or taken back
      }
      forceFile();
      synchronized (this) {
        safe = end;
        safeAsTold = end;
        whole = true;
      }
    } finally {
      forcing.unlock();
    }
  }

  private void forceFor(long before) throws IOException {
    long end;
    long inFile;
    synchronized (this) {
      if (retired) {
        return;
      }
      checkNotFailed();
      if (safeRecords >= before && safeAsTold == safe) {
        return; // another thread's fsync was for these too
      }
      write();
      end = written;
      inFile = appended;
    }
    if (end > safe) {
      forceFile();
    }
    synchronized (this) {
      safe = end;
      safeRecords = inFile;
      if (records == 0) {
        writeMark();
      }
    }
  }

  /** How many records it has. */
  public synchronized long appended() {
    return appended;
  }

  /** The number of the last record that is safe; one less than the first one if none is. */
  public synchronized long lastSafeRecord() {
    return firstRecord + safeRecords - 1;
  }

  private void forceFile() throws IOException {
    try {
      file.force();
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      throw e;
    }
  }

  /** Says how much is safe, unless the next records do. Nobody needs it to be safe itself. */
  private void writeMark() {
    try {
      writeBlock();
    } catch (IOException e) {
      // all that was logged is safe; the next force tries again
    }
  }

  /** What was not handed to the operating system is gone: force before. */
  @Override
  public void close() throws IOException {
    forcing.lock();
    try {
      file.close();
    } finally {
      forcing.unlock();
    }
  }

  /** Nobody needs its records any more: it counts as safe. */
  public void retire() {
    retired = true;
    try {
      close();
    } catch (IOException e) {
      // its content is not needed any more
    }
  }

  // ---- Blocks ----

  static ByteBuffer newBlock(int recordBytes) {
    return ByteBuffer.allocateDirect(HEADER_BYTES + recordBytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Bytes of a block with so many bytes of records. */
  public static int blockBytes(int recordBytes) {
    return HEADER_BYTES + (recordBytes + 7) / 8 * 8;
  }

  /** Of a block, which other structures' blocks do not have. */
  public static int checksum(long id, ByteBuffer block, int bytes, CRC32C crc) {
    crc.reset();
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (id >>> shift) & 0xFF);
    }
    crc.update(block.duplicate().clear().limit(bytes).position(4));
    return (int) crc.getValue();
  }
}
