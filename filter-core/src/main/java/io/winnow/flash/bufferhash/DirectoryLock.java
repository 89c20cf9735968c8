package io.winnow.flash.bufferhash;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One table per directory: a lock on a file against other processes, and a set of names against
 * other tables in this one, for which the lock of a file does not stand.
 */
final class DirectoryLock implements Closeable {
  static final String NAME = "LOCK";

  private static final Set<Path> OPEN_HERE = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private DirectoryLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  static DirectoryLock of(Path path) throws IOException {
    Path directory = path.toRealPath();
    if (!OPEN_HERE.add(directory)) {
      throw new IOException(directory + " is open in this process: close that table first");
    }
    try {
      FileChannel channel =
          FileChannel.open(
              directory.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        if (channel.tryLock() == null) {
          throw new IOException(directory + " is open in another process: close it there first");
        }
        return new DirectoryLock(directory, channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      OPEN_HERE.remove(directory);
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      OPEN_HERE.remove(directory);
    }
  }
}
