package io.winnow.flash;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What page stores and logs ask of a file system. {@link #SYSTEM} is the real one, and each method
 * does by default what it does there; another one may count, delay or fail.
 */
public interface FileAccess {
  FileAccess SYSTEM = new FileAccess() {};

  /** Opens a file. Every later read, write and fsync of it goes through this channel. */
  default FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return FileChannel.open(file, options);
  }

  /** Renames a file over another one, so that at any moment one of the two is there, whole. */
  default void replace(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Deletes a file, if it is there. */
  default void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  /** The names of what is in a directory. */
  default List<String> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  /** Makes creations, renames and deletions in a directory survive a power failure. */
  default void forceDirectory(Path directory) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
          channel.force(true);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted(); // as for FlashFile, it makes no difference
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
