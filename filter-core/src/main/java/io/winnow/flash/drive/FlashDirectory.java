package io.winnow.flash.drive;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The directory of a structure on flash: how it is made, recognized, locked, read and closed.
 *
 * <p>Whoever writes holds its {@link DirectoryLock}; a reader has none and changes nothing.
 */
public final class FlashDirectory implements Closeable {
  /** Name of a directory that a file system creates in its own root directory. */
  private static final String LOST_AND_FOUND = "lost+found";

  /** Path of the directory. */
  public final Path path;

  /** Access to the files of the directory. */
  public final FileAccess access;

  private final Kind kind;

  /** Lock of the directory, or null for a reader. */
  private final DirectoryLock lock;

  private final AtomicBoolean closing = new AtomicBoolean();

  private FlashDirectory(Kind kind, FileAccess access, Path path, DirectoryLock lock) {
    this.kind = kind;
    this.access = access;
    this.path = path;
    this.lock = lock;
  }

  /** A kind of structure: the names of its files, and texts for messages. */
  public static final class Kind {
    private final String description;
    private final String known;
    private final Predicate<String> ours;
    private final String remedy;
    private final boolean readBesideWriter;

    /**
     * Creates a kind of structure.
     *
     * @param description description of the structure with its article
     * @param known name of the file that each such directory has
     * @param ours accepts other names that such a directory, or an interrupted attempt to create
     *     one, may have
     * @param remedy advice to the user in messages about damaged files
     * @param readBesideWriter whether a directory can be read while a writer has it open
     */
    public Kind(
        String description,
        String known,
        Predicate<String> ours,
        String remedy,
        boolean readBesideWriter) {
      this.description = description;
      this.known = known;
      this.ours = ours;
      this.remedy = remedy;
      this.readBesideWriter = readBesideWriter;
    }

    /**
     * Locks a directory of this kind, which is created if it is missing. Before that it checks that
     * the directory has no files that belong to something else, and writes nothing there.
     *
     * <p>The rule of each structure: an opening with options creates what is missing, an opening
     * without options calls {@link #checkHas} first, and creates nothing.
     *
     * @throws IOException with the name of a file that belongs to others; if the path, or one above
     *     it, is a file; if the directory is open
     */
    public FlashDirectory open(FileAccess access, Path path) throws IOException {
      make(access, path);
      for (String name : isIn(path) ? List.<String>of() : names(path)) {
        if (!ours.test(name) && !name.equals(DirectoryLock.NAME) && !name.equals(LOST_AND_FOUND)) {
          throw new IOException(
              String.format(
                  "%s has files, for example %s, and is not the directory of %s: give the path of"
                      + " one, or of an empty or new directory",
                  path, name, description));
        }
      }
      return new FlashDirectory(this, access, path, DirectoryLock.of(path));
    }

    /**
     * Opens a directory of this kind for a reader, without a lock.
     *
     * @throws FilterFormatException if it has no such structure
     * @throws IOException if a writer has it open and this kind cannot be read then
     */
    public FlashDirectory read(FileAccess access, Path path) throws IOException {
      checkHas(path);
      if (!readBesideWriter) {
        DirectoryLock.checkNotOpen(path);
      }
      return new FlashDirectory(this, access, path, null);
    }

    /**
     * Checks that a path is a directory of this kind, with a structure in it.
     *
     * @throws FilterFormatException if it has none
     */
    public void checkHas(Path path) throws IOException {
      checkNoFile(path);
      if (!isIn(path)) {
        throw new FilterFormatException(
            String.format(
                "%s has no %s: it is not the directory of %s; give the path of one",
                path, known, description));
      }
    }

    /** Returns whether a directory has the file that each directory of this kind has. */
    public boolean isIn(Path path) {
      return Files.exists(path.resolve(known));
    }

    /** Checks that a path, which is to be a directory, is not a file. */
    private void checkNoFile(Path path) throws IOException {
      if (Files.exists(path) && !Files.isDirectory(path)) {
        throw new IOException(
            path + " is a file, and " + description + " is a directory: give the path of one");
      }
    }

    /** Creates a directory, and those above it, if they are missing, and syncs them. */
    private void make(FileAccess access, Path path) throws IOException {
      Deque<Path> missing = new ArrayDeque<>();
      for (Path at = path.toAbsolutePath(); at != null && !Files.isDirectory(at); ) {
        checkNoFile(at);
        missing.push(at);
        at = at.getParent();
      }
      for (Path next : missing) {
        makeOne(access, next);
      }
    }

    /**
     * Creates a directory of this kind if it is missing, and checks that it has no file except a
     * lock.
     *
     * @throws FileAlreadyExistsException if it has another file
     */
    public void makeEmpty(FileAccess access, Path path) throws IOException {
      make(access, path);
      for (String name : names(path)) {
        if (!name.equals(DirectoryLock.NAME)) {
          throw new FileAlreadyExistsException(
              path.toString(),
              null,
              "it is not empty, and has " + name + ": give the path of an empty or new directory");
        }
      }
    }
  }

  /**
   * Creates one directory and syncs its name. Only one thread at a time does so, because a failed
   * fsync may undo what others create in the parent directory.
   */
  private static synchronized void makeOne(FileAccess access, Path path) throws IOException {
    Files.createDirectories(path); // another process may have created it
    Opening.syncOrUndo( // it is not deleted if another process has created files in it
        access, path.getParent(), () -> Files.delete(path));
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
   * Opens a file of pages in this directory; a reader opens it for reading.
   *
   * @throws FilterFormatException if it is missing, or ends within a page
   */
  public PageStore openPages(
      String name, int pageBytes, long salt, boolean direct, IoCounters counters)
      throws IOException {
    Path file = path.resolve(name);
    try {
      return PageStore.open(access, file, pageBytes, salt, direct, lock != null, counters);
    } catch (DamagedPageException e) {
      throw damaged(file + " was cut", e);
    } catch (NoSuchFileException e) {
      throw damaged(file + " is missing", e);
    }
  }

  /** Returns whether the owner of this object may change the directory. */
  public boolean isLocked() {
    return lock != null;
  }

  /**
   * Checks that nobody else has taken over the directory. It is called before synced operations are
   * acknowledged, and before files are deleted that another owner may need.
   *
   * @throws IOException if another owner has taken it over
   */
  public void checkOwned() throws IOException {
    lock.check();
  }

  /** Returns an exception that says what is damaged in this directory, and the remedy. */
  public FilterFormatException damaged(String what, Throwable cause) {
    return damaged(what, kind.remedy, cause);
  }

  /** Returns an exception that says what an opening found damaged, and the remedy. */
  static FilterFormatException damaged(String what, String remedy, Throwable cause) {
    return new FilterFormatException(what + ": " + remedy + "; nothing was changed", cause);
  }

  /**
   * Returns the name of a thread of this structure, made of the directory's name and the thread's
   * role.
   */
  public String threadName(String role) {
    return "winnow-" + path.getFileName() + "-" + role;
  }

  // ---- Closing ----

  /**
   * Begins to close the structure: all later operations are refused.
   *
   * @return false if this was called before
   */
  public boolean beginClose() {
    return closing.compareAndSet(false, true);
  }

  /**
   * Checks that the structure is open.
   *
   * @throws IllegalStateException if it is closed
   */
  public void checkOpen() {
    if (closing.get()) {
      throw closed();
    }
  }

  /** Returns the exception that operations on a closed structure throw. */
  public IllegalStateException closed() {
    return new IllegalStateException(path + " is closed");
  }

  /** Returns the path of the directory and the kind of structure in it. */
  @Override
  public String toString() {
    return kind.description + " in " + path;
  }

  /** Releases the lock. */
  @Override
  public void close() throws IOException {
    if (lock != null) {
      lock.close();
    }
  }
}
