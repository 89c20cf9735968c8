package io.winnow.flash.store;

import java.io.FileDescriptor;
import java.io.IOException;
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
 * What page stores and logs ask of a file system. {@link #SYSTEM} is the real one, and each method
 * does by default what it does there; another one may count, delay or fail.
 */
public interface FileAccess {
  FileAccess SYSTEM = new FileAccess() {};

  /** Opens a file. Every later read and write of it goes through this channel. */
  default FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return FileChannel.open(file, options);
  }

  /** Renames a file over another one, so that at any moment one of the two is there, whole. */
  default void replace(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Gives a file another name, in the same file system. */
  default void link(Path name, Path file) throws IOException {
    Files.createLink(name, file);
  }

  /** Deletes a file, if it is there. */
  default void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  /**
   * Returns when all that was written to a file, by whomever, is safe from a power failure. An
   * interrupt closes a {@link FileChannel} and hides what its fsync said, and the operating system
   * says it once: a second fsync would succeed, though bytes are lost. So this goes through a
   * descriptor that is no channel's.
   *
   * @param open a descriptor of the file, since before the first write
   */
  default void force(Path file, FileDescriptor open) throws IOException {
    open.sync();
  }

  /**
   * Makes creations, renames and deletions in a directory survive a power failure. A directory can
   * only be opened as a channel. So this is done in a thread of its own, which nobody interrupts.
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
      task.get(); // it is done
    } catch (InterruptedException | ExecutionException e) {
      throw new IOException("fsync of " + directory + " failed: " + e.getCause(), e.getCause());
    }
  }

  /** How many bytes the drive of a directory still takes. */
  default long usableBytes(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }
}
