package io.winnow.flash.drive;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * A file on a drive that is read and written at positions, in whole buffers.
 *
 * <p>It improves on {@link FileChannel} in three ways. It continues short reads and writes. Its
 * exceptions name the file. An interrupt, which closes the channel for all threads, has no effect
 * on the operation: the channel is opened again, and the interrupted thread stays interrupted. An
 * fsync does not use the channel ({@link FileAccess#force}).
 *
 * <p>Thread-safe, except that the caller must not write one position from two threads at a time.
 */
public final class FlashFile implements Closeable {
  /** Number of bytes that are read and written at a time when existing bytes are written again. */
  private static final int REWRITE_BYTES = 1 << 17;

  private static final Set<OpenOption> OPEN =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
  private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ);
  private static final Set<OpenOption> CREATE =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

  /** Open option for I/O that bypasses the operating system's cache. */
  private static final OpenOption DIRECT = direct();

  private final FileAccess access;

  /** Path of the file. */
  public final Path path;

  private final boolean direct;

  private final Set<OpenOption> reopening;
  private volatile FileChannel channel;
  private volatile boolean closed;

  /**
   * Lock of the threads that sync the file, which guards the fields about syncing. It is never
   * taken together with the monitor.
   */
  private final Object syncing = new Object();

  /**
   * Descriptor through which the file is synced, or null if it is only read. It is opened before
   * the first write, so that an fsync reports each failed write.
   */
  private final RandomAccessFile synced;

  private Throwable failedSync;

  private FlashFile(
      FileAccess access, Path path, boolean direct, Set<OpenOption> options, FileChannel channel)
      throws IOException {
    this.access = access;
    this.path = path;
    this.direct = direct;
    this.reopening = options == CREATE ? OPEN : options;
    this.channel = channel;
    this.synced =
        Opening.orClose(
            channel, () -> options == READ ? null : new RandomAccessFile(path.toFile(), "r"));
  }

  /**
   * Returns the option for direct I/O, found by name, because newer compilers warn of a class that
   * is not part of Java SE.
   */
  private static OpenOption direct() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      return (OpenOption) options.getField("DIRECT").get(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no option for direct I/O in this JDK", e);
    }
  }

  /**
   * Creates a file for reading and writing at positions.
   *
   * @param direct whether to use direct I/O where possible
   * @throws java.nio.file.FileAlreadyExistsException if the file exists
   */
  public static FlashFile create(FileAccess access, Path path, boolean direct) throws IOException {
    return open(access, path, CREATE, direct);
  }

  /**
   * Opens an existing file for reading, or for reading and writing, at positions.
   *
   * @param direct whether to use direct I/O where possible
   * @param toWrite false if the file is only read; it may be read-only then
   */
  public static FlashFile open(FileAccess access, Path path, boolean direct, boolean toWrite)
      throws IOException {
    return open(access, path, toWrite ? OPEN : READ, direct);
  }

  private static FlashFile open(
      FileAccess access, Path path, Set<OpenOption> options, boolean direct) throws IOException {
    if (direct) {
      FileChannel channel = tryDirect(access, path, options);
      if (channel != null) {
        return new FlashFile(access, path, true, options, channel);
      }
      if (options == CREATE && Files.exists(path)) {
        access.delete(path); // some systems create the file before they refuse the flag
      }
    }
    return new FlashFile(access, path, false, options, access.open(path, options));
  }

  /**
   * Opens a channel with direct I/O; returns null where the file system does not support it or
   * needs larger blocks for it.
   */
  private static FileChannel tryDirect(FileAccess access, Path path, Set<OpenOption> options)
      throws IOException {
    boolean existed = Files.exists(path);
    try {
      if (Files.getFileStore(path.toAbsolutePath().getParent()).getBlockSize()
          > PageFrames.ALIGNMENT) {
        return null;
      }
      return access.open(path, with(options, DIRECT));
    } catch (UnsupportedOperationException e) {
      return null;
    } catch (IOException e) {
      if (options == CREATE && existed) {
        throw e;
      }
      return null; // EINVAL on tmpfs; any other reason comes up again without the flag
    }
  }

  private static Set<OpenOption> with(Set<OpenOption> options, OpenOption more) {
    Set<OpenOption> all = new HashSet<>(options);
    all.add(more);
    return all;
  }

  /** Returns whether the file uses direct I/O. */
  public boolean isDirect() {
    return direct;
  }

  /** Returns the size of the file in bytes. */
  public long size() throws IOException {
    return retried("size", FileChannel::size);
  }

  /**
   * Fills a buffer, up to its limit, with the file's bytes at a position.
   *
   * @throws IOException if it fails, or the file is too short
   */
  public void read(ByteBuffer into, long position) throws IOException {
    int start = into.position();
    retried(
        "read",
        open -> {
          into.position(start);
          while (into.hasRemaining()) {
            int read = access.read(open, into, position + into.position() - start);
            if (read < 0) {
              throw new EOFException("ends before byte " + (position + into.limit() - start));
            }
          }
          return 0L;
        });
  }

  /** Writes a buffer, up to its limit, to the file at a position. */
  public void write(ByteBuffer from, long position) throws IOException {
    int start = from.position();
    retried(
        "write",
        open -> {
          from.position(start);
          while (from.hasRemaining()) {
            access.write(open, from, position + from.position() - start);
          }
          return 0L;
        });
  }

  /**
   * Writes existing bytes of the file again, unchanged. After a failed fsync of an earlier process
   * they may be only in the system's cache, marked as written; an fsync alone would then do
   * nothing.
   */
  public void rewrite(long from, long to) throws IOException {
    ByteBuffer bytes =
        ByteBuffer.allocateDirect((int) Math.max(0, Math.min(REWRITE_BYTES, to - from)));
    for (long at = from; at < to; at += bytes.limit()) {
      bytes.clear().limit((int) Math.min(bytes.capacity(), to - at));
      read(bytes, at);
      write(bytes.flip(), at);
    }
  }

  /** Truncates the file to a size in bytes. */
  public void truncate(long size) throws IOException {
    retried(
        "truncate",
        open -> {
          open.truncate(size);
          return 0L;
        });
  }

  /**
   * Syncs the file: returns when all earlier writes are safe from a power failure. Interrupts have
   * no effect. After one failure all later calls fail, because the content of the drive is unknown.
   */
  public void force() throws IOException {
    synchronized (syncing) {
      if (closed) {
        throw new ClosedChannelException();
      }
      if (synced == null) {
        return; // nothing was written
      }
      if (failedSync != null) {
        throw syncFailed(path.toString(), " (" + failedSync.getMessage() + ")", failedSync);
      }
      try {
        access.force(path, synced.getFD());
      } catch (IOException | RuntimeException | Error e) {
        failedSync = e;
        throw new IOException("fsync of " + path + " failed: " + e.getMessage(), e);
      }
    }
  }

  /** Returns an exception that says that an fsync of a file has failed, and the remedy. */
  public static IOException syncFailed(String file, String more, Throwable cause) {
    return new IOException(
        String.format(
            "an fsync of %s has failed, and unsynced writes may be lost: close it, check the"
                + " drive, and open it again%s",
            file, more),
        cause);
  }

  /** Returns the failure of an fsync of this file, after which writes may be lost, or null. */
  public Throwable failedSync() {
    synchronized (syncing) {
      return failedSync;
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
    }
    try {
      synchronized (syncing) {
        if (synced != null) {
          synced.close();
        }
      }
    } finally {
      channel.close(); // it is not opened again
    }
  }

  /** A read or write on the file's channel. */
  private interface Operation {
    long on(FileChannel channel) throws IOException;
  }

  /** Runs a read or write, and repeats it if an interrupt closed the file's channel. */
  private long retried(String what, Operation operation) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        FileChannel open = channel;
        try {
          return operation.on(open);
        } catch (ClosedChannelException e) {
          interrupted |= Thread.interrupted();
          reopen(open, e);
        } catch (IOException e) {
          throw new IOException(what + " of " + path + " failed: " + e.getMessage(), e);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Opens the file's channel again, unless another thread has done so or the file is closed. */
  private synchronized void reopen(FileChannel was, ClosedChannelException reason)
      throws IOException {
    if (closed) {
      throw reason;
    }
    if (channel == was) {
      channel = access.open(path, direct ? with(reopening, DIRECT) : reopening);
    }
  }
}
