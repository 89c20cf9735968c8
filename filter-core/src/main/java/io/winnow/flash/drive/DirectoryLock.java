package io.winnow.flash.drive;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Lock of a directory: only one filter or table at a time may have it open. It combines three
 * guards, since none of them is enough:
 *
 * <ol>
 *   <li>A system property, which all class loaders of a process share. It is checked before the
 *       file is opened.
 *   <li>A lock on a file, against other processes. It ends with this process, but also when any
 *       code of this process closes the file, for example code that copies the directory.
 *   <li>A line in that file that names the owner's process. A process that gets the file lock while
 *       the named process lives knows that the other one lost its lock.
 * </ol>
 *
 * <p>If all of them fail, for example between two containers or when the file is deleted, {@link
 * #check} notices that the file belongs to another owner.
 */
public final class DirectoryLock implements Closeable {
  /** Name of the file that is locked to lock a directory. */
  public static final String NAME = "LOCK";

  private static final String PROPERTY = "io.winnow.open ";
  private static final String MAGIC = "winnow-lock";
  private static final int MAX_BYTES = 4096;

  /**
   * Milliseconds of tolerance for the start time of a process, which the system computes from a
   * clock that may be set.
   */
  private static final long SAME_START_MILLIS = 10_000;

  /** Files on which other code of this process holds the lock: closing them would drop it. */
  private static final List<RandomAccessFile> NEVER_CLOSED =
      Collections.synchronizedList(new ArrayList<>());

  private final Path directory;
  private final String property;
  private final RandomAccessFile file;
  private final String line;
  private boolean closed;

  private DirectoryLock(Path directory, String property, RandomAccessFile file) throws IOException {
    this.directory = directory;
    this.property = property;
    this.file = file;
    this.line = line(identity(directory.resolve(NAME)));
  }

  /**
   * Takes the lock of a filter's or table's directory.
   *
   * @throws IOException if the directory is open already, in this process or in another one
   */
  public static DirectoryLock of(Path directory) throws IOException {
    Path real = directory.toRealPath();
    String property = PROPERTY + identity(real);
    if (System.getProperties().putIfAbsent(property, "") != null) {
      throw openHere(real);
    }
    RandomAccessFile file = null;
    try {
      file = openFile(real.resolve(NAME));
      DirectoryLock lock = new DirectoryLock(real, property, file);
      lock.acquire();
      return lock;
    } catch (OverlappingFileLockException e) {
      NEVER_CLOSED.add(file);
      System.getProperties().remove(property);
      throw openHere(real);
    } catch (IOException | RuntimeException | Error e) {
      System.getProperties().remove(property);
      if (file != null) {
        file.close();
      }
      throw e;
    }
  }

  /**
   * Checks that no filter or table has a directory open. It changes nothing, so it works on a
   * read-only file system; the directory may be opened a moment later.
   *
   * @throws IOException if the directory is open
   */
  public static void checkNotOpen(Path directory) throws IOException {
    Path real = directory.toRealPath();
    if (System.getProperties().containsKey(PROPERTY + identity(real))) {
      throw openHere(real); // without opening the file: closing it would drop the lock
    }
    Path file = real.resolve(NAME);
    if (Files.exists(file)) {
      String owner = Files.readString(file, StandardCharsets.UTF_8);
      if (isOfAnotherProcess(owner, identity(file))) {
        throw openThere(real, owner);
      }
    }
  }

  /** Opens the lock file of a directory, and explains a failure. */
  private static RandomAccessFile openFile(Path path) throws IOException {
    try {
      return new RandomAccessFile(path.toFile(), "rw");
    } catch (FileNotFoundException e) {
      throw new IOException(
          "cannot write to "
              + e.getMessage()
              + ": remove the cause, or open a reader, which needs no lock",
          e);
    }
  }

  private static IOException openThere(Path directory, String owner) {
    return new IOException(
        directory + " is open in another process: close it there first (" + owner.strip() + ")");
  }

  private static IOException openHere(Path directory) {
    return new IOException(directory + " is open in this process: close it there first");
  }

  /** Takes the system's lock of the lock file and writes this owner's line into it. */
  private void acquire() throws IOException {
    boolean locked = file.getChannel().tryLock() != null;
    String owner = read();
    if (!locked || isOfAnotherProcess(owner, identity(directory.resolve(NAME)))) {
      throw openThere(directory, owner);
    }
    write(line);
  }

  /** Returns the line that names this process and the lock file as the owner. */
  private static String line(String identity) {
    ProcessHandle here = ProcessHandle.current();
    return String.format(
        "%s process %d since %d file %s token %016x\n",
        MAGIC, here.pid(), startMillis(here), identity, ThreadLocalRandom.current().nextLong());
  }

  private static long startMillis(ProcessHandle process) {
    return process.info().startInstant().map(start -> start.toEpochMilli()).orElse(0L);
  }

  /**
   * Returns whether the line in a lock file was written for this file by another process that is
   * alive. In a copy of the directory the line names another file. A line that names this process
   * is an old one, because the system property is not set.
   */
  private static boolean isOfAnotherProcess(String owner, String identity) {
    String[] words = owner.strip().split(" ");
    if (words.length != 9 || !words[0].equals(MAGIC) || !words[6].equals(identity)) {
      return false;
    }
    try {
      long pid = Long.parseLong(words[2]);
      long start = Long.parseLong(words[4]);
      Optional<ProcessHandle> process = ProcessHandle.of(pid);
      if (pid == ProcessHandle.current().pid() || process.isEmpty() || !process.get().isAlive()) {
        return false;
      }
      long startOfThat = startMillis(process.get());
      return start == 0 || startOfThat == 0 || Math.abs(start - startOfThat) <= SAME_START_MILLIS;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /** Returns a text without blanks that identifies a file, or null if the file is missing. */
  private static String identity(Path path) throws IOException {
    try {
      Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
      return (key == null ? path.toRealPath() : key).toString().replace(' ', '_');
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /**
   * Reads the lock file, but not through the channel: an interrupt would close it and lose the
   * lock.
   */
  private synchronized String read() throws IOException {
    byte[] bytes = new byte[(int) Math.min(file.length(), MAX_BYTES)];
    file.seek(0);
    file.readFully(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private synchronized void write(String text) throws IOException {
    file.setLength(0);
    file.seek(0);
    file.write(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Checks that the directory's lock still belongs to this owner. A process that takes it over
   * writes its line before it reads anything, so it finds everything that was synced before a
   * successful check.
   *
   * @throws IOException if the directory may belong to another owner
   */
  public synchronized void check() throws IOException {
    String identity = identity(directory.resolve(NAME));
    if (!closed && identity == null) {
      throw new IOException(
          directory.resolve(NAME)
              + " was deleted while this process had the directory open, so another one could"
              + " open it too: no further operation is safe. Close it, make sure that nobody else"
              + " has the directory open, and open it again");
    }
    if (closed || !line.equals(read()) || !line.contains(" file " + identity + " ")) {
      throw new IOException(
          directory
              + " was opened by another process, or its "
              + NAME
              + " was replaced or changed: no further operation is safe. Close it, and open it"
              + " again when nobody else has it open");
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (file) {
      if (line.equals(read())) {
        write("");
      }
    } finally {
      System.getProperties().remove(property);
    }
  }
}
