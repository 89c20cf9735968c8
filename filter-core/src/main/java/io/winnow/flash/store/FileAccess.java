package io.winnow.flash.store;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What page stores and logs ask of a file system. {@link #SYSTEM} is the real one, and each method
 * does by default what it does there; another one may count, delay or fail.
 */
public interface FileAccess {
  FileAccess SYSTEM =
      new FileAccess() {
        @Override
        public Syncable openToSync(Path file) throws IOException {
          RandomAccessFile open = new RandomAccessFile(file.toFile(), "r");
          return new Syncable() {
            @Override
            public void sync() throws IOException {
              open.getFD().sync();
            }

            @Override
            public void close() throws IOException {
              open.close();
            }
          };
        }
      };

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

  /** The names of what is in a directory. */
  default List<String> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .sorted()
          .collect(Collectors.toList());
    }
  }

  /** A file that is open for fsync and nothing else. */
  interface Syncable extends Closeable {
    /** Returns when all that was written to the file, by whomever, is safe from a power failure. */
    void sync() throws IOException;
  }

  /**
   * Opens a file for fsync. An interrupt closes a {@link FileChannel} and hides what an fsync said,
   * and the operating system says it once: a second fsync would succeed, though bytes are lost. So
   * this is a channel of its own, which is used by threads that nobody interrupts; {@link #SYSTEM}
   * has a faster way.
   */
  default Syncable openToSync(Path file) throws IOException {
    FileChannel channel = open(file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
    return new Syncable() {
      @Override
      public void sync() throws IOException {
        inAThreadOfItsOwn(
            file,
            () -> {
              channel.force(false);
              return null;
            });
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }

  /**
   * Makes creations, renames and deletions in a directory survive a power failure. A directory can
   * only be opened as a channel. So this is done in a thread of its own, which nobody interrupts.
   */
  default void forceDirectory(Path directory) throws IOException {
    inAThreadOfItsOwn(
        directory,
        () -> {
          try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
          }
          return null;
        });
  }

  private static void inAThreadOfItsOwn(Path path, Callable<Void> fsync) throws IOException {
    FutureTask<Void> task = new FutureTask<>(fsync);
    Thread thread = new Thread(task, "winnow-fsync");
    thread.setDaemon(true);
    thread.start();
    Uninterrupted.join(thread);
    try {
      task.get(); // it is done
    } catch (InterruptedException | ExecutionException e) {
      throw new IOException("fsync of " + path + " failed: " + e.getCause(), e.getCause());
    }
  }

  /** How many bytes the drive of a directory still takes. */
  default long usableBytes(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }
}
