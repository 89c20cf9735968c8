package io.winnow.flash.drive;

import io.winnow.FilterFormatException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Creates and recognizes the directory of a structure on flash. */
public final class FlashDirectory {
  /** Name of a directory that a file system creates in its own root directory. */
  private static final String LOST_AND_FOUND = "lost+found";

  private FlashDirectory() {}

  /**
   * Creates a directory, and those above it, if they are missing, and syncs them.
   *
   * @param what description of the structure with its article, for messages
   * @throws IOException if the path, or one above it, is a file
   */
  public static void make(FileAccess access, Path path, String what) throws IOException {
    Deque<Path> missing = new ArrayDeque<>();
    for (Path at = path.toAbsolutePath(); at != null && !Files.isDirectory(at); ) {
      checkNoFile(at, what);
      missing.push(at);
      at = at.getParent();
    }
    for (Path next : missing) {
      makeOne(access, next);
    }
  }

  /**
   * Creates one directory and syncs its name. Only one thread at a time does so, because a failed
   * fsync may undo what others create in the parent directory.
   */
  private static synchronized void makeOne(FileAccess access, Path path) throws IOException {
    Files.createDirectories(path); // another process may have created it
    try {
      access.forceDirectory(path.getParent());
    } catch (IOException e) {
      try {
        Files.delete(path); // otherwise the next attempt would take it for synced
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed); // another process has created files in it
      }
      throw e;
    }
  }

  /** Returns the names of the files in a directory, sorted. */
  public static List<String> names(Path path) throws IOException {
    try (Stream<Path> entries = Files.list(path)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .sorted()
          .collect(Collectors.toList());
    }
  }

  /**
   * Checks that a path, which is to be a directory, is not a file.
   *
   * @param what description of the structure with its article, for messages
   */
  public static void checkNoFile(Path path, String what) throws IOException {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw new IOException(
          path + " is a file, and " + what + " is a directory: give the path of one");
    }
  }

  /**
   * Checks that a path is the directory of a given kind of structure.
   *
   * @param known name of the file that such a directory has
   * @param what description of the structure with its article, for messages
   * @param remedy what the user should do, for messages
   */
  public static void checkHas(Path path, String known, String what, String remedy)
      throws IOException {
    checkNoFile(path, what);
    if (!Files.exists(path.resolve(known))) {
      throw new FilterFormatException(
          path + " has no " + known + ": it is not the directory of " + what + "; " + remedy);
    }
  }

  /**
   * Checks that a directory has no file except a lock.
   *
   * @throws FileAlreadyExistsException if it has another file
   */
  public static void checkEmpty(Path path) throws IOException {
    for (String name : names(path)) {
      if (!name.equals(DirectoryLock.NAME)) {
        throw new FileAlreadyExistsException(
            path.toString(),
            null,
            "it is not empty, and has " + name + ": give the path of an empty or new directory");
      }
    }
  }

  /**
   * Creates a directory as {@link #make(FileAccess, Path, String)} does, and checks that it has no
   * files that belong to something else. Call it before anything is written there, including the
   * lock.
   *
   * @param what description of the structure with its article, for messages
   * @param known name of the file that a directory of this kind has
   * @param ours accepts other names that such a directory, or an interrupted attempt to create one,
   *     may have
   * @throws IOException with the name of a file that belongs to others
   */
  public static void make(
      FileAccess access, Path path, String what, String known, Predicate<String> ours)
      throws IOException {
    make(access, path, what);
    if (Files.exists(path.resolve(known))) {
      return;
    }
    for (String name : names(path)) {
      if (!ours.test(name) && !name.equals(DirectoryLock.NAME) && !name.equals(LOST_AND_FOUND)) {
        throw new IOException(
            String.format(
                "%s has files, for example %s, and is not the directory of %s: give the path of"
                    + " one, or of an empty or new directory",
                path, name, what));
      }
    }
  }
}
