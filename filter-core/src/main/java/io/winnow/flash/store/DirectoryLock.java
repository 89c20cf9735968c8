package io.winnow.flash.store;

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
 * One filter, or table, per directory. Three things see to it, since none of them is enough:
 *
 * <ol>
 *   <li>A name in the system properties, which all class loaders of a process share. It is looked
 *       for before the file is opened.
 *   <li>A lock on a file, against other processes. It ends with this one; and as soon as anybody in
 *       this process closes the file, for example who copies the directory.
 *   <li>A line in that file with the owner's process. Who gets the lock while that process lives,
 *       got one that was lost.
 * </ol>
 *
 * <p>If all of them fail, as they may between two containers, or when somebody deletes the file,
 * {@link #check} notices that the file is another one's.
 */
public final class DirectoryLock implements Closeable {
  /** The file that is locked. */
  public static final String NAME = "LOCK";

  private static final String PROPERTY = "io.winnow.open ";
  private static final String MAGIC = "winnow-lock";
  private static final int MOST_BYTES = 4096;

  /** The system computes when a process began from a clock that may be set. */
  private static final long SAME_START_MILLIS = 10_000;

  /** Others in this process have the lock on these: closing them would drop it. */
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
   * Takes a directory.
   *
   * @throws IOException if it is open already, in this process or in another one
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
      lock.take();
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
   * Throws if somebody has a directory open. It changes nothing, also on a file system that cannot
   * be written to; somebody may open it a moment later.
   */
  public static void checkNobodyHas(Path directory) throws IOException {
    Path real = directory.toRealPath();
    if (System.getProperties().containsKey(PROPERTY + identity(real))) {
      throw openHere(real); // and the file is not opened: closing it would drop the lock
    }
    Path file = real.resolve(NAME);
    if (Files.exists(file)) {
      String owner = Files.readString(file, StandardCharsets.UTF_8);
      if (isOfAnotherProcess(owner, identity(file))) {
        throw openThere(real, owner);
      }
    }
  }

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

  private void take() throws IOException {
    boolean locked = file.getChannel().tryLock() != null;
    String owner = read();
    if (!locked || isOfAnotherProcess(owner, identity(directory.resolve(NAME)))) {
      throw openThere(directory, owner);
    }
    write(line);
  }

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
   * Whether a line names another process, which lives, and this file. In a copy of the directory it
   * names another file. A line of this process is an old one: the system property is not there.
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

  /** What tells a file from all others, without blanks; null if it is not there. */
  private static String identity(Path path) throws IOException {
    try {
      Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
      return (key == null ? path.toRealPath() : key).toString().replace(' ', '_');
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Not through the channel, which an interrupt closes, and then the lock is lost. */
  private synchronized String read() throws IOException {
    byte[] bytes = new byte[(int) Math.min(file.length(), MOST_BYTES)];
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
   * Whether the directory is still this owner's. Who takes it over writes its line before it reads
   * anything. So what was made safe before a check that succeeds, is found by them.
   *
   * @throws IOException if somebody else has the directory
   */
  public synchronized void check() throws IOException {
    String identity = identity(directory.resolve(NAME));
    if (!closed && identity == null) {
      throw new IOException(
          directory.resolve(NAME)
              + " was deleted while this process had the directory open, so that another one could"
              + " open it too: nothing more is promised here. Close it, see to it that nobody else"
              + " has the directory open, and open it again");
    }
    if (closed || !line.equals(read()) || !line.contains(" file " + identity + " ")) {
      throw new IOException(
          directory
              + " was opened by another process, or its "
              + NAME
              + " was replaced or changed: nothing more is promised here. Close it, and open it"
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
