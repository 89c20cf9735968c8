package io.winnow.cascade;

import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FlashFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;

/**
 * The log of a level in memory: its operations as slots, in blocks that each have a checksum, their
 * own place, and up to where the file was known to be safe when they were written.
 *
 * <pre>
 *   0 CRC32C of the filter's id and what follows (4) | 4 operations (4) | 8 number of the log (8)
 *   16 offset (8) | 24 bytes of the file that are safe (8) | 32 operations' slots (8 each)
 * </pre>
 *
 * <p>A log that ends in the middle of a block was cut by a crash, and what was cut was not promised
 * to anybody; unless a later block says that it was safe, or the mark that is written after each
 * fsync: then bytes have changed, and that is an error. {@link LogRecovery} reads it.
 *
 * <p>Thread-safe: operations are appended while an fsync is under way, and threads share fsyncs. If
 * one fails, nothing more is taken in.
 */
final class OperationLog {
  static final String PREFIX = "log-";
  static final int HEADER_BYTES = 32;
  static final int BLOCK_OPERATIONS = 8192;

  private final FlashFile file;
  private final long filterId;
  private final long number;
  private final ByteBuffer block = newBlock();
  private final CRC32C crc = new CRC32C();

  /**
   * For who makes the file safe or closes it; taken before the monitor, which guards the rest. It
   * is fair: who comes back with the next operation lets those go whose operations are safe by now.
   */
  private final ReentrantLock forcing = new ReentrantLock(true);

  /** Operations in the block that is being filled, and in the last one that was written. */
  private int operations;

  private int lastOperations;

  /** Where the last block with operations begins. */
  private long lastBegin;

  /** Operations of the whole log, and how many of the first ones are safe. */
  private long appended;

  private long safeOperations;

  /** Where the file ends. */
  private long written;

  /** Up to where the file is safe, and up to where it says so. */
  private long safe;

  private long safeAsTold;

  private boolean failed;
  private boolean whole;
  private boolean retired;

  private OperationLog(FlashFile file, long filterId, long number) {
    this.file = file;
    this.filterId = filterId;
    this.number = number;
  }

  static Path path(Path directory, long number) {
    return directory.resolve(PREFIX + number);
  }

  /** Begins a log; the file is safe, its content is not. */
  static OperationLog create(FileAccess access, Path directory, long filterId, long number)
      throws IOException {
    Path path = path(directory, number);
    access.delete(path); // of an attempt that failed
    FlashFile file = FlashFile.create(access, path, false);
    try {
      access.forceDirectory(directory);
      return new OperationLog(file, filterId, number);
    } catch (IOException e) {
      file.close();
      access.delete(path);
      throw e;
    }
  }

  /** Bytes of so many operations, one of every {@code synced} of which is synced; 0 is no log. */
  static long bytesFor(long operations, long synced) {
    if (synced == 0) {
      return 0;
    }
    long blocks = 1 + operations / Math.min(synced, BLOCK_OPERATIONS); // each with a mark
    return operations * Long.BYTES + blocks * 2 * HEADER_BYTES;
  }

  long number() {
    return number;
  }

  /** Logs some operations, all of them in one block. If it throws, none of them is logged. */
  synchronized void append(long[] slots, int from, int count) throws IOException {
    checkNotFailed();
    if (operations + count > BLOCK_OPERATIONS) {
      writeBlock();
    }
    for (int i = from; i < from + count; i++) {
      append(slots[i]);
    }
  }

  /** Logs an operation. If it throws, the operation is not logged. */
  synchronized void append(long slot) throws IOException {
    checkNotFailed();
    if (operations == BLOCK_OPERATIONS) {
      writeBlock();
    }
    block.putLong(HEADER_BYTES + operations * Long.BYTES, slot);
    operations++;
    appended++;
  }

  /**
   * Takes the last operations back, which were to be made safe and are not; they are in one block.
   * After a failed fsync they are cut off the file, so that the next opening does not find them. A
   * power failure before that may bring them back: nobody can help it.
   */
  synchronized void takeBack(int count) {
    if (operations >= count) {
      appended -= count;
      operations -= count;
    } else if (failed && operations == 0 && lastOperations >= count) {
      try {
        file.truncate(lastBegin); // a mark may follow it
        appended -= count;
        written = lastBegin;
        safe = Math.min(safe, lastBegin);
        operations = lastOperations - count;
        lastOperations = 0;
        write();
      } catch (IOException e) {
        // they may be found, and nobody was told that they are safe
      }
    }
  }

  /** Nothing more is taken in, as after a failed fsync. */
  synchronized void fail() {
    failed = true;
  }

  /** Nothing more is taken in, and nothing is changed: the directory is another one's. */
  synchronized void giveUp() {
    failed = true;
    lastOperations = 0;
  }

  private void checkNotFailed() throws IOException {
    if (failed) {
      throw new IOException(
          "an fsync of "
              + file.path()
              + " has failed, and what it was to make safe may be lost: nothing more is taken in;"
              + " lookups go on. Close the filter, see to the drive, and open it again: all that"
              + " an earlier sync made safe is there");
    }
  }

  /** Hands what was logged to the operating system. */
  synchronized void write() throws IOException {
    if (operations > 0) {
      writeBlock();
    }
  }

  private void writeBlock() throws IOException {
    int bytes = HEADER_BYTES + operations * Long.BYTES;
    block.putInt(4, operations);
    block.putLong(8, number);
    block.putLong(16, written);
    block.putLong(24, safe);
    block.putInt(0, checksum(filterId, block, bytes, crc));
    try {
      file.write(block.duplicate().clear().limit(bytes), written); // again, if it failed before
    } catch (IOException e) {
      cutToWhatIsWhole(e);
      throw e;
    }
    safeAsTold = safe;
    if (operations > 0) {
      lastBegin = written;
      lastOperations = operations;
      operations = 0;
    }
    written += bytes;
  }

  /** Half a block would look like a loss, if it is not written again and the next log is safe. */
  private void cutToWhatIsWhole(IOException reason) {
    try {
      file.truncate(written);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  /**
   * Returns when all that was logged before is safe from a power failure. Others append meanwhile,
   * and who comes meanwhile waits for the next fsync, which is for all of them.
   */
  void force() throws IOException {
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
  void forceWhole() throws IOException {
    forcing.lock();
    try {
      force();
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
      if (safeOperations >= before && safeAsTold == safe) {
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
      safeOperations = inFile;
      if (operations == 0) {
        writeMark();
      }
    }
  }

  private synchronized long appended() {
    return appended;
  }

  private void forceFile() throws IOException {
    try {
      file.force();
    } catch (IOException | RuntimeException | Error e) {
      synchronized (this) {
        failed = true;
      }
      throw e;
    }
  }

  /** Says how much is safe, unless the next operations do. Nobody needs it to be safe itself. */
  private void writeMark() {
    try {
      writeBlock();
    } catch (IOException e) {
      // all that was logged is safe; the next force tries again
    }
  }

  void close() throws IOException {
    forcing.lock();
    try {
      file.close();
    } finally {
      forcing.unlock();
    }
  }

  /** All of its operations are in a level. */
  void retire() {
    forcing.lock();
    try {
      synchronized (this) {
        retired = true;
      }
      file.close();
    } catch (IOException e) {
      // its content is not needed any more
    } finally {
      forcing.unlock();
    }
  }

  static ByteBuffer newBlock() {
    return ByteBuffer.allocateDirect(HEADER_BYTES + BLOCK_OPERATIONS * Long.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Of a block, which other filters' blocks do not have. */
  static int checksum(long filterId, ByteBuffer block, int bytes, CRC32C crc) {
    crc.reset();
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (filterId >>> shift) & 0xFF);
    }
    crc.update(block.duplicate().clear().limit(bytes).position(4));
    return (int) crc.getValue();
  }
}
