package io.winnow.flash;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * One filter per directory: a lock on a file against other processes, which ends with this one, and
 * a set of names against other filters in this process, for which such a lock does not stand.
 */
final class FilterLock implements Closeable {
  static final String NAME = "LOCK";

  private static final Set<Path> HERE = ConcurrentHashMap.newKeySet();

  /** Channels to a file that somebody else in this process has locked: a close would free it. */
  private static final Queue<FileChannel> NEVER_CLOSED = new ConcurrentLinkedQueue<>();

  private final Path directory;
  private final FileChannel channel;

  private FilterLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  static FilterLock of(Path directory) throws IOException {
    Path real = directory.toRealPath();
    if (!HERE.add(real)) {
      throw inThisProcess(real, null);
    }
    FileChannel channel = null;
    try {
      channel =
          FileChannel.open(real.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        throw new IOException(real + " is open in another process: close it there first");
      }
      return new FilterLock(real, channel);
    } catch (OverlappingFileLockException e) {
      NEVER_CLOSED.add(channel); // of another class loader
      HERE.remove(real);
      throw inThisProcess(real, e);
    } catch (IOException | RuntimeException e) {
      if (channel != null) {
        channel.close();
      }
      HERE.remove(real);
      throw e;
    }
  }

  private static IOException inThisProcess(Path directory, Throwable cause) {
    return new IOException(directory + " is open in this process: close that filter first", cause);
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HERE.remove(directory);
    }
  }
}
