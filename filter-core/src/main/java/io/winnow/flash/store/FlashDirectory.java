package io.winnow.flash.store;

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

/** How the directory of a structure is made, and told from others' directories. */
public final class FlashDirectory {
  /** A file system makes it in its own root. */
  private static final String LOST_AND_FOUND = "lost+found";

  private FlashDirectory() {}

  /**
   * Makes a directory, and those above it, if they are not there, safe from a power failure.
   *
   * @param what it is to be, with its article, for messages
   * @throws IOException if it, or one above it, is a file
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

  /** One at a time, since an fsync that fails may drop what others make in the one above. */
  private static synchronized void makeOne(FileAccess access, Path path) throws IOException {
    Files.createDirectories(path); // another process may be faster
    try {
      access.forceDirectory(path.getParent());
    } catch (IOException e) {
      try {
        Files.delete(path); // the next attempt would take it for safe
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed); // another process has made files in it
      }
      throw e;
    }
  }

  /** The names of what is in a directory, in order. */
  public static List<String> names(Path path) throws IOException {
    try (Stream<Path> entries = Files.list(path)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .sorted()
          .collect(Collectors.toList());
    }
  }

  /** Refuses a file in place of a directory. */
  public static void checkNoFile(Path path, String what) throws IOException {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw new IOException(
          path + " is a file, and " + what + " is a directory: give the path of one");
    }
  }

  /**
   * Refuses what is not the directory of a structure.
   *
   * @param known the file that such a directory has
   * @param whatToDo for the message
   */
  public static void checkHas(Path path, String known, String what, String whatToDo)
      throws IOException {
    checkNoFile(path, what);
    if (!Files.exists(path.resolve(known))) {
      throw new FilterFormatException(
          path + " has no " + known + ": it is not the directory of " + what + "; " + whatToDo);
    }
  }

  /**
   * Refuses a directory that has anything but a lock.
   *
   * @throws FileAlreadyExistsException if it has
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
   * As {@link #make(FileAccess, Path, String)}, and refuses to begin where others have files. To be
   * called before anything is put there, the lock included.
   *
   * @param known the file that a directory of this kind has
   * @param ours what else it may have, or an attempt that was cut short may have left
   * @throws IOException which names a file of others
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
