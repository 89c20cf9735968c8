package io.winnow.flash.bufferhash;

import io.winnow.flash.store.Durability;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FlashFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;

/**
 * The log of what is in buffers, in files that each hold some of it: an operation is a record, and
 * records come in blocks that have a checksum, their own place, and up to where the file was known
 * to be safe when they were written. Schema-critical.
 *
 * <pre>
 *    0 CRC32C of the table's id and what follows (4) | 4 bytes of records (4) | 8 number of the log (8)
 *   16 offset of the block (8) | 24 bytes of the file that are safe (8)
 *   32 number of the first operation (8) | 40 records, then zeros up to a multiple of 8
 * </pre>
 *
 * <p>Operations are numbered through all logs. An incarnation says up to which one it has its super
 * table's operations, so that an opening takes in each operation once.
 *
 * <p>After an fsync a block without records is written, the mark: it says how much was safe. If
 * there are records already, their block says it.
 *
 * <p>Thread-safe: operations are appended while an fsync is under way, and threads share fsyncs. If
 * one fails, nothing more is taken in.
 */
final class OperationLog implements Closeable {
  static final String PREFIX = "log-";
  static final int HEADER_BYTES = 40;

  /** Records of a block have at most so many bytes; each record fits. */
  static final int BLOCK_BYTES = 1 << 17;

  private final FileAccess access;
  private final Path directory;
  private final long id;
  private final long fileBytes;
  private final long syncEvery;
  private final ByteBuffer block = newBlock();
  private final CRC32C crc = new CRC32C();

  /**
   * For who makes files safe or closes them; taken before the monitor, which guards the rest. It is
   * fair: who comes back with the next operation lets those go whose operations are safe by now.
   */
  private final ReentrantLock forcing = new ReentrantLock(true);

  /** All operations up to this one are safe. */
  private volatile long safeOperation;

  /** Files that were ended and are not safe yet, oldest first. */
  private final List<FlashFile> ended = new ArrayList<>();

  private FlashFile file;
  private volatile long number;
  private int bytes;
  private long blockOperation;
  private long nextOperation;
  private long written;

  /** Up to where the file is safe, and up to where it says so. */
  private long safe;

  private long safeAsTold;
  private boolean failed;

  /** Begins the log with this number; the file is safe, its content is not. */
  OperationLog(
      FileAccess access,
      Path directory,
      long id,
      long number,
      long nextOperation,
      long fileBytes,
      Durability durability)
      throws IOException {
    this.access = access;
    this.directory = directory;
    this.id = id;
    this.fileBytes = fileBytes;
    this.syncEvery = durability.operations();
    this.nextOperation = nextOperation;
    this.safeOperation = nextOperation - 1;
    this.number = number;
    this.file = create(number);
  }

  static Path path(Path directory, long number) {
    return directory.resolve(PREFIX + number);
  }

  /** The number in a file's name, or -1 if it is no log's. */
  static long numberOf(String name) {
    String digits = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : "";
    return digits.matches("[1-9][0-9]{0,17}") ? Long.parseLong(digits) : -1;
  }

  static ByteBuffer newBlock() {
    return ByteBuffer.allocateDirect(HEADER_BYTES + BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }

  static int blockBytes(int records) {
    return HEADER_BYTES + (records + 7) / 8 * 8;
  }

  static int crc(long id, ByteBuffer block, int bytes, CRC32C crc) {
    crc.reset();
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (id >>> shift) & 0xFF);
    }
    crc.update(block.duplicate().clear().limit(bytes).position(4));
    return (int) crc.getValue();
  }

  private FlashFile create(long newNumber) throws IOException {
    Path path = path(directory, newNumber);
    access.delete(path); // of an attempt that failed
    FlashFile made = FlashFile.create(access, path, false);
    try {
      access.forceDirectory(directory);
      return made;
    } catch (IOException e) {
      made.close();
      access.delete(path);
      throw e;
    }
  }

  /** How much was written to the log that takes operations now. */
  synchronized long bytesWritten() {
    return written;
  }

  /** The log that takes operations now. */
  long number() {
    return number;
  }

  /**
   * Logs an operation. If it throws, the operation is not logged.
   *
   * @return its number; it is in the log that {@link #number} is while the caller keeps others out
   */
  synchronized long append(long hash, byte[] key, byte[] value) throws IOException {
    checkNotFailed();
    int size = Records.bytes(key, value);
    if (bytes + size > BLOCK_BYTES) {
      writeBlock();
    }
    if (written >= fileBytes && bytes == 0) {
      beginNext();
    }
    if (bytes == 0) {
      blockOperation = nextOperation;
    }
    Records.put(block, HEADER_BYTES + bytes, hash, key, value);
    bytes += size;
    return nextOperation++;
  }

  /** Whether the operation with this number may not return before it is safe. */
  boolean syncsAfter(long operation) {
    return operation - safeOperation >= syncEvery;
  }

  private void beginNext() throws IOException {
    FlashFile next = create(number + 1);
    ended.add(file);
    file = next;
    number++;
    written = 0;
    safe = 0;
    safeAsTold = 0;
  }

  private void checkNotFailed() throws IOException {
    if (failed) {
      throw new IOException(
          "an fsync of "
              + file.path()
              + " has failed, and what it was to make safe may be lost: nothing more is taken in;"
              + " lookups go on. Close the table, see to the drive, and open it again: all that an"
              + " earlier sync made safe is there");
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
    block.putLong(32, bytes == 0 ? nextOperation : blockOperation);
    block.putInt(0, crc(id, block, size, crc));
    try {
      file.write(block.duplicate().clear().limit(size), written); // again, if it failed before
    } catch (IOException e) {
      try {
        file.truncate(written); // half a block would look like a loss once a later one is safe
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
    written += size;
    safeAsTold = safe;
    bytes = 0;
  }

  /**
   * Returns when all that was logged before is safe from a power failure. Others append meanwhile,
   * and who comes meanwhile waits for the next fsync, which is for all of them.
   */
  void force() throws IOException {
    long before = lastOperation();
    forcing.lock();
    try {
      forceFor(before);
    } finally {
      forcing.unlock();
    }
  }

  private synchronized long lastOperation() {
    return nextOperation - 1;
  }

  private void forceFor(long before) throws IOException {
    List<FlashFile> older;
    FlashFile newest;
    boolean unsafe;
    long end;
    long last;
    synchronized (this) {
      if (safeOperation >= before && safeAsTold == safe) {
        return; // another thread's fsync was for these, too
      }
      checkNotFailed();
      if (bytes > 0) {
        writeBlock();
      }
      older = List.copyOf(ended);
      newest = file;
      unsafe = written > safe;
      end = written;
      last = nextOperation - 1;
    }
    force(older);
    if (unsafe) {
      force(List.of(newest));
    }
    synchronized (this) {
      ended.removeAll(older);
      safeOperation = last;
      if (file == newest) {
        safe = end;
        writeMark();
      }
    }
    for (FlashFile file : older) {
      file.close();
    }
  }

  private void force(List<FlashFile> files) throws IOException {
    try {
      for (FlashFile file : files) {
        file.force();
      }
    } catch (IOException | RuntimeException | Error e) {
      synchronized (this) {
        failed = true;
      }
      throw e;
    }
  }

  /** Says how much is safe, unless the next operations do. Nobody needs it to be safe itself. */
  private void writeMark() {
    if (bytes == 0) {
      try {
        writeBlock();
      } catch (IOException e) {
        // all that was logged is safe; the next force tries again
      }
    }
  }

  /** What was not handed to the operating system is gone: sync before. */
  @Override
  public void close() throws IOException {
    forcing.lock();
    try {
      closeFiles();
    } finally {
      forcing.unlock();
    }
  }

  private synchronized void closeFiles() throws IOException {
    FlashFile now = file;
    try (now) {
      for (FlashFile old : ended) {
        old.close();
      }
      ended.clear();
    }
  }
}
