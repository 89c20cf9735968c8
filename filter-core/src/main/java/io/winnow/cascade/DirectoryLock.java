package io.winnow.cascade;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One filter per directory: a lock on a file against other processes, which ends with this one, and
 * a set of names against other filters in this process, for which such a lock does not stand.
 */
final class DirectoryLock implements Closeable {
  static final String NAME = "LOCK";

  private static final Set<Path> HERE = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private DirectoryLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  static DirectoryLock of(Path directory) throws IOException {
    Path real = directory.toRealPath();
    if (!HERE.add(real)) {
      throw new IOException(real + " is open in this process: close that filter first");
    }
    FileChannel channel = null;
    try {
      channel =
          FileChannel.open(real.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        throw new IOException(real + " is open in another process: close it there first");
      }
      return new DirectoryLock(real, channel);
    } catch (IOException | RuntimeException e) {
      if (channel != null) {
        channel.close();
      }
      HERE.remove(real);
      throw e;
    }
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
