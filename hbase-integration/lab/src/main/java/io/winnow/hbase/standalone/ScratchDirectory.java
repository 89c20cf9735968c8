package io.winnow.hbase.standalone;

import io.winnow.hbase.cli.UserFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A temporary directory that is deleted when this JVM ends in any way but a kill. */
public final class ScratchDirectory {

  private ScratchDirectory() {}

  /**
   * Makes a directory that is deleted when this JVM ends, among the temporary files or in {@code
   * parent} if that is not {@code null}.
   *
   * @throws IOException with a message for the user
   */
  public static Path create(Path parent, String prefix) throws IOException {
    return EndOfJvm.before(
        () -> {
          Path directory = make(parent, prefix);
          EndOfJvm.add(() -> deleteAtEnd(directory));
          return directory;
        });
  }

  private static Path make(Path parent, String prefix) throws IOException {
    Path in = parent == null ? Path.of(System.getProperty("java.io.tmpdir")) : parent;
    try {
      return Files.createTempDirectory(
          parent == null ? in : Files.createDirectories(parent), prefix);
    } catch (IOException e) {
      throw new IOException(
          "cannot make a directory in "
              + in
              + (parent == null ? ", where temporary files go (TMPDIR, java.io.tmpdir): " : ": ")
              + UserFiles.sentence(e),
          e);
    }
  }

  /**
   * Deletes a temporary directory in several attempts: threads of this JVM may still write for a
   * moment.
   */
  private static void deleteAtEnd(Path directory) {
    for (int attempt = 0; attempt < 600 && Files.exists(directory); attempt++) {
      try {
        delete(directory);
      } catch (IOException | UncheckedIOException e) {
        // A file came or went meanwhile: once more.
      }
      try {
        TimeUnit.MILLISECONDS.sleep(100);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Returns whether a directory has files or directories in it. */
  public static boolean hasEntries(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.findAny().isPresent();
    }
  }

  /** Deletes a directory with everything in it. */
  public static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
