package io.winnow.flash.drive;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Operations on the file system that the filters and tables on flash use. The defaults are those of
 * the real file system ({@link #SYSTEM}); an implementation may count, delay or fail them.
 */
public interface FileAccess {
  /** Access to the real file system, without a change of any operation. */
  FileAccess SYSTEM = new FileAccess() {};

  /**
   * Opens a file for reading or writing. All later reads and writes of the file use this channel.
   */
  default FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return FileChannel.open(file, options);
  }

  /** Reads bytes of a file at a position, as {@link FileChannel#read(ByteBuffer, long)}. */
  default int read(FileChannel file, ByteBuffer into, long position) throws IOException {
    return file.read(into, position);
  }

  /** Writes bytes of a file at a position, as {@link FileChannel#write(ByteBuffer, long)}. */
  default int write(FileChannel file, ByteBuffer from, long position) throws IOException {
    return file.write(from, position);
  }

  /** Renames a file over another one atomically: at any moment one of the two has the name. */
  default void replace(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Creates a hard link to a file. */
  default void link(Path name, Path file) throws IOException {
    Files.createLink(name, file);
  }

  /** Deletes a file, if it exists. */
  default void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  /**
   * Syncs a file: returns when all bytes that any thread or process wrote to it are safe from a
   * power failure. An interrupt closes a {@link FileChannel} and hides the result of its fsync. The
   * operating system reports a failure only once, so a second fsync would succeed although bytes
   * are lost. So this method uses a descriptor that does not belong to a channel.
   *
   * @param open a descriptor of the file that was opened before the first write
   */
  default void force(Path file, FileDescriptor open) throws IOException {
    open.sync();
  }

  /**
   * Syncs a directory: its creations, renames and deletions survive a power failure. A directory
   * can only be opened as a channel, so this runs in a separate thread that is never interrupted.
   */
  default void forceDirectory(Path directory) throws IOException {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
              }
              return null;
            });
    Thread thread = new Thread(task, "winnow-fsync");
    thread.setDaemon(true);
    thread.start();
    Uninterrupted.join(thread);
    try {
      task.get(); // it has ended
    } catch (InterruptedException | ExecutionException e) {
      throw new IOException("fsync of " + directory + " failed: " + e.getCause(), e.getCause());
    }
  }

  /** Returns the free bytes of a directory's drive. */
  default long usableBytes(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }
}
