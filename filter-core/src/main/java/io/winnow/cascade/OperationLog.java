package io.winnow.cascade;

import io.winnow.flash.FileAccess;
import io.winnow.flash.FlashFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The log of a level in memory: its operations as slots, in blocks that each have a checksum, their
 * own place, and up to where the file was known to be safe when they were written.
 *
 * <pre>
 *   0 CRC32C of what follows (4) | 4 operations (4) | 8 number of the log (8) | 16 offset (8)
 *   24 bytes of the file that are safe (8) | 32 operations' slots (8 each)
 * </pre>
 *
 * <p>A log that ends in the middle of a block was cut by a crash, and what was cut was not promised
 * to anybody; unless a later block says that it was safe, or the mark that is written after each
 * fsync: then bytes have changed, and that is an error.
 */
final class OperationLog {
  static final String PREFIX = "log-";

  private static final int HEADER_BYTES = 32;
  private static final int BLOCK_OPERATIONS = 8192;

  private final FlashFile file;
  private final long number;
  private final ByteBuffer block = newBlock();
  private final CRC32C crc = new CRC32C();
  private int operations;
  private long written;
  private long safe;
  private long marked;
  private boolean failed;
  private boolean retired;

  private OperationLog(FlashFile file, long number) {
    this.file = file;
    this.number = number;
  }

  static Path path(Path directory, long number) {
    return directory.resolve(PREFIX + number);
  }

  /** Begins a log; the file is safe, its content is not. */
  static OperationLog create(FileAccess access, Path directory, long number) throws IOException {
    Path path = path(directory, number);
    access.delete(path); // of an attempt that failed
    FlashFile file = FlashFile.create(access, path, false);
    try {
      access.forceDirectory(directory);
      return new OperationLog(file, number);
    } catch (IOException e) {
      file.close();
      access.delete(path);
      throw e;
    }
  }

  long number() {
    return number;
  }

  /** Logs an operation. If it throws, the operation is not logged. */
  synchronized void append(long slot) throws IOException {
    checkNotFailed();
    if (operations == BLOCK_OPERATIONS) {
      write();
    }
    block.putLong(HEADER_BYTES + operations * Long.BYTES, slot);
    operations++;
  }

  /** Takes the last operation back, unless it was handed to the operating system. */
  synchronized void takeBack() {
    if (operations > 0) {
      operations--;
    }
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
    block.putInt(0, crc(block, bytes, crc));
    try {
      file.write(block.duplicate().clear().limit(bytes), written); // again, if it failed before
    } catch (IOException e) {
      cutToWhatIsWhole(e);
      throw e;
    }
    written += bytes;
    operations = 0;
  }

  /** Half a block would look like a loss, if it is not written again and the next log is safe. */
  private void cutToWhatIsWhole(IOException reason) {
    try {
      file.truncate(written);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  /** Returns when all that was logged is safe from a power failure. */
  synchronized void force() throws IOException {
    if (retired || marked == written && operations == 0) {
      return;
    }
    checkNotFailed();
    write();
    long end = written;
    try {
      file.force();
    } catch (IOException e) {
      failed = true;
      throw e;
    }
    safe = end;
    try {
      writeBlock(); // the mark
      marked = written; // nobody needs the mark itself to be safe
    } catch (IOException e) {
      // all that was logged is safe; the next force tries again
    }
  }

  synchronized void close() throws IOException {
    file.close();
  }

  /** All of its operations are in a level. */
  synchronized void retire() {
    retired = true;
    try {
      file.close();
    } catch (IOException e) {
      // its content is not needed any more
    }
  }

  private static ByteBuffer newBlock() {
    return ByteBuffer.allocateDirect(HEADER_BYTES + BLOCK_OPERATIONS * Long.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int crc(ByteBuffer block, int bytes, CRC32C crc) {
    crc.reset();
    crc.update(block.duplicate().clear().limit(bytes).position(4));
    return (int) crc.getValue();
  }

  /** What takes in the operations of a log. */
  interface Consumer {
    void accept(long slot) throws IOException;
  }

  /**
   * How a log ended.
   *
   * @param end where its last whole block ends
   * @param torn whether there is something after that
   * @param safe how much of it was known to be safe
   */
  record Replay(long end, boolean torn, long safe, long operations) {}

  /**
   * Reads a log up to its last whole block.
   *
   * @throws io.winnow.FilterFormatException if a block is damaged that was known to be safe
   */
  static Replay replay(FileAccess access, Path path, long number, Consumer consumer)
      throws IOException {
    try (FlashFile file = FlashFile.open(access, path, false)) {
      ByteBuffer block = newBlock();
      CRC32C crc = new CRC32C();
      long size = file.size();
      long at = 0;
      long safe = 0;
      long operations = 0;
      while (readBlock(file, block, crc, number, at, size)) {
        int count = block.getInt(4);
        for (int i = 0; i < count; i++) {
          consumer.accept(block.getLong(HEADER_BYTES + i * Long.BYTES));
        }
        operations += count;
        safe = Math.max(safe, block.getLong(24));
        at += HEADER_BYTES + (long) count * Long.BYTES;
      }
      for (long later = at + Long.BYTES; later <= size - HEADER_BYTES; later += Long.BYTES) {
        if (readBlock(file, block, crc, number, later, size)) {
          safe = Math.max(safe, block.getLong(24));
          later += HEADER_BYTES + (long) block.getInt(4) * Long.BYTES - Long.BYTES;
        }
      }
      if (safe > at) {
        throw LogRecovery.lost(
            path + " is damaged at byte " + at + ", and was safe up to byte " + safe);
      }
      return new Replay(at, at < size, safe, operations);
    }
  }

  private static boolean readBlock(
      FlashFile file, ByteBuffer block, CRC32C crc, long number, long at, long size)
      throws IOException {
    if (size - at < HEADER_BYTES) {
      return false;
    }
    file.read(block.clear().limit(HEADER_BYTES), at);
    int count = block.getInt(4);
    if (count < 0
        || count > BLOCK_OPERATIONS
        || block.getLong(8) != number
        || block.getLong(16) != at
        || size - at < HEADER_BYTES + (long) count * Long.BYTES) {
      return false;
    }
    int bytes = HEADER_BYTES + count * Long.BYTES;
    file.read(block.clear().limit(bytes), at);
    return block.getInt(0) == crc(block, bytes, crc);
  }
}
