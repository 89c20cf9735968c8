package io.winnow.flash.store;

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
 * One file, read and written at positions, whole buffers at a time.
 *
 * <p>It hides three habits of {@link FileChannel}: short reads and writes are continued; a failure
 * says which file it was; and a thread's interrupt, which closes the channel under all other
 * threads, makes no difference but to the thread, which finds itself interrupted afterwards. An
 * fsync does not go through the channel ({@link FileAccess#force}).
 *
 * <p>Thread-safe. Writes to one position at a time are the caller's business.
 */
public final class FlashFile implements Closeable {
  private static final int REWRITE_BYTES = 1 << 17;

  private static final Set<OpenOption> OPEN =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
  private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ);
  private static final Set<OpenOption> CREATE =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

  /** Asks for I/O that leaves the operating system's cache out. */
  private static final OpenOption DIRECT = direct();

  private final FileAccess access;
  private final Path path;
  private final IoMode mode;
  private final Set<OpenOption> reopening;
  private volatile FileChannel channel;
  private volatile boolean closed;

  /** Guards what follows; never taken with the file's monitor. */
  private final Object syncing = new Object();

  /**
   * The descriptor for fsync. It is open since before the first write, so that an fsync reports
   * each failed write. Null if the file is only read.
   */
  private final RandomAccessFile synced;

  private Throwable failedSync;

  private FlashFile(
      FileAccess access, Path path, IoMode mode, Set<OpenOption> options, FileChannel channel)
      throws IOException {
    this.access = access;
    this.path = path;
    this.mode = mode;
    this.reopening = options == CREATE ? OPEN : options;
    this.channel = channel;
    try {
      this.synced = options == READ ? null : new RandomAccessFile(path.toFile(), "r");
    } catch (IOException | RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  /** Found by name: newer compilers warn of a class that is not part of Java SE. */
  private static OpenOption direct() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      return (OpenOption) options.getField("DIRECT").get(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no option for direct I/O in this JDK", e);
    }
  }

  /** Creates a file, which must not be there yet. */
  public static FlashFile create(FileAccess access, Path path, boolean direct) throws IOException {
    return open(access, path, CREATE, direct);
  }

  /**
   * Opens a file that is there.
   *
   * @param toWrite false if it is not written to: it may be one that cannot be
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
        return new FlashFile(access, path, IoMode.DIRECT, options, channel);
      }
      if (options == CREATE && Files.exists(path)) {
        access.delete(path); // some systems create the file before they refuse the flag
      }
    }
    return new FlashFile(access, path, IoMode.BUFFERED, options, access.open(path, options));
  }

  /**
   * The channel, or null where the file system has no direct I/O, or wants larger blocks for it.
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
      return null; // EINVAL, as tmpfs says it; any other reason comes up again without the flag
    }
  }

  private static Set<OpenOption> with(Set<OpenOption> options, OpenOption more) {
    Set<OpenOption> all = new HashSet<>(options);
    all.add(more);
    return all;
  }

  public Path path() {
    return path;
  }

  public IoMode mode() {
    return mode;
  }

  public long size() throws IOException {
    return retried("size", FileChannel::size);
  }

  /** Fills the buffer, up to its limit, with the bytes at a position. */
  public void read(ByteBuffer into, long position) throws IOException {
    int start = into.position();
    retried(
        "read",
        open -> {
          into.position(start);
          while (into.hasRemaining()) {
            int read = open.read(into, position + into.position() - start);
            if (read < 0) {
              throw new EOFException("ends before byte " + (position + into.limit() - start));
            }
          }
          return 0L;
        });
  }

  /** Writes the buffer, up to its limit, at a position. */
  public void write(ByteBuffer from, long position) throws IOException {
    int start = from.position();
    retried(
        "write",
        open -> {
          from.position(start);
          while (from.hasRemaining()) {
            open.write(from, position + from.position() - start);
          }
          return 0L;
        });
  }

  /**
   * Writes bytes once more, as they are. A failed fsync of an earlier owner may have left them in
   * the system's cache alone, and marked as written: then a later fsync does nothing about them.
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

  /** Cuts the file. */
  public void truncate(long size) throws IOException {
    retried(
        "truncate",
        open -> {
          open.truncate(size);
          return 0L;
        });
  }

  /**
   * Returns when all that was written is safe from a power failure. An interrupt makes no
   * difference. If it failed once, it fails always: nobody knows what the drive has.
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
        throw new IOException(
            String.format(
                "an fsync of %s has failed, and what it was to make safe may be lost: close it,"
                    + " see to the drive, and open it again (%s)",
                path, failedSync.getMessage()),
            failedSync);
      }
      try {
        access.force(path, synced.getFD());
      } catch (IOException | RuntimeException | Error e) {
        failedSync = e;
        throw new IOException("fsync of " + path + " failed: " + e.getMessage(), e);
      }
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
      channel.close(); // nobody opens it again
    }
  }

  private interface Operation {
    long on(FileChannel channel) throws IOException;
  }

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

  private synchronized void reopen(FileChannel was, ClosedChannelException reason)
      throws IOException {
    if (closed) {
      throw reason;
    }
    if (channel == was) {
      channel = access.open(path, mode == IoMode.DIRECT ? with(reopening, DIRECT) : reopening);
    }
  }
}
