package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.DirectoryLock;
import io.winnow.flash.store.Durability;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FlashDirectory;
import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.IoMode;
import io.winnow.flash.store.LogRecovery;
import io.winnow.flash.store.PageStore;
import io.winnow.flash.store.RecordLog;
import io.winnow.flash.store.TextFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files of a filter: what they are called, and how they are made, opened and cleaned up.
 *
 * <p>Its monitor is held from a change of a name to the fsync of the directory that makes it safe:
 * one that fails may drop what others have changed, and their own then succeed and do nothing about
 * it. Deletions go without: a file that comes back is a leftover.
 */
final class CascadeDirectory {
  /** For messages. */
  static final String WHAT = "a cascade filter";

  private static final String LEVEL_PREFIX = "level-";

  /** The operations of a block of a log, of 8 bytes each. */
  private static final int LOG_BLOCK_BYTES = 1 << 16;

  /** Operations that a log may have for each entry that a level in memory has room for. */
  static final int LOGGED_PER_ENTRY = 2;

  final Path path;
  private final FileAccess access;
  private final DirectoryLock lock;
  private final Manifest like;
  final SlotShape shape;
  final int pageBytes;
  final CascadeOptions options;
  final CascadeCounters counters;

  /** Reads and writes of levels. */
  final IoCounters io = new IoCounters();

  volatile IoMode ioMode;

  /** Files of levels that are open; each one that is to be deleted once it is not. */
  private final Map<Path, Boolean> open = new ConcurrentHashMap<>();

  /**
   * The files of a directory.
   *
   * @param counters what the parts of the filter count
   * @param like a manifest with the shape, function and page size that they have
   * @param lock null if nothing is to be changed
   */
  CascadeDirectory(
      Path path,
      CascadeOptions options,
      CascadeCounters counters,
      Manifest like,
      DirectoryLock lock) {
    this.path = path;
    this.lock = lock;
    this.like = like;
    this.access = options.fileAccess();
    this.shape = like.shape;
    this.pageBytes = like.pageBytes;
    this.options = options;
    this.counters = counters;
    this.ioMode = options.directIo ? IoMode.DIRECT : IoMode.BUFFERED;
  }

  /** Names a thread by what it does here. */
  String threadName(String what) {
    return "winnow-" + path.getFileName() + "-" + what;
  }

  /** Makes a directory for a filter, if it is not there; refuses one of others. */
  static void make(FileAccess access, Path path) throws IOException {
    FlashDirectory.make(access, path, WHAT, Manifest.NAME, CascadeDirectory::isOurs);
  }

  private static boolean isOurs(String name) {
    return name.equals(TextFile.temporary(Manifest.NAME))
        || TextFile.numberOf(name, LEVEL_PREFIX) > 0
        || RecordLog.numberOf(name) > 0;
  }

  /**
   * To be called before what is safe is acknowledged, and before what others may need is deleted.
   *
   * @throws IOException if the directory is another filter's now
   */
  void checkOwned() throws IOException {
    lock.check();
  }

  // ---- The manifest ----

  /** What the directory holds; a new one begins with nothing. */
  Manifest readOrBegin() throws IOException {
    if (!Manifest.isThere(path)) {
      return begin();
    }
    Manifest manifest = Manifest.read(path);
    if (!manifest.isLike(like)) {
      throw new IllegalArgumentException(
          path
              + " was made with "
              + manifest.describe(options.expectedMaximum)
              + ", and the options come to "
              + like.describe(options.expectedMaximum)
              + ": open it without options, or with the rate, expected maximum, deletes, hash"
              + " function and page size it was made with");
    }
    return manifest.by(like.memoryEntries, like.fanOut);
  }

  private Manifest begin() throws IOException {
    for (String name : FlashDirectory.names(path)) {
      if (TextFile.numberOf(name, LEVEL_PREFIX) > 0 || RecordLog.numberOf(name) > 0) {
        throw new FilterFormatException(
            path + " has levels or logs and no " + Manifest.NAME + ": " + Manifest.WHAT_TO_DO);
      }
    }
    Manifest first = like.withId(newId());
    if (!first.write(access, path)) {
      throw new IOException("the first " + Manifest.NAME + " of " + path + " cannot be made safe");
    }
    return first;
  }

  /** As {@link Manifest#write}. */
  synchronized boolean switchTo(Manifest manifest) throws IOException {
    checkOwned();
    return manifest.write(access, path);
  }

  // ---- Levels ----

  Path levelPath(long number) {
    return path.resolve(LEVEL_PREFIX + number);
  }

  /** What tells a file from all others, those of earlier histories included. */
  long newId() {
    return options.ids.getAsLong();
  }

  /** Begins a level; its name is safe, its content is not. */
  synchronized PageStore createLevelFile(long number, long id) throws IOException {
    PageStore store =
        PageStore.create(access, levelPath(number), pageBytes, id, options.directIo, io);
    try {
      access.forceDirectory(path);
    } catch (IOException | RuntimeException | Error e) {
      store.close();
      throw e;
    }
    ioMode = store.mode();
    return store;
  }

  CascadeLevel openLevel(Manifest.LevelEntry entry) throws IOException {
    PageStore store;
    try {
      Path file = levelPath(entry.number);
      store = PageStore.open(access, file, pageBytes, entry.id, options.directIo, lock != null, io);
    } catch (NoSuchFileException e) {
      throw new FilterFormatException(
          levelPath(entry.number)
              + " is missing, and the manifest has it, so keys would be lost: "
              + Manifest.WHAT_TO_DO,
          e);
    } catch (DamagedPageException e) {
      throw cannotBeUsed(e); // it ends within a page
    }
    try {
      int[] fences = LevelFile.read(store, entry);
      ioMode = store.mode();
      return level(entry, fences, store);
    } catch (DamagedPageException e) {
      store.close();
      throw cannotBeUsed(e);
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** A level whose fences, or whose size, cannot be believed. */
  private static DamagedPageException cannotBeUsed(DamagedPageException e) {
    return new DamagedPageException(e.file(), e.page(), e.reason() + ": " + Manifest.WHAT_TO_DO);
  }

  /** A level whose file is closed, and deleted if that was asked for, with the last view of it. */
  CascadeLevel level(Manifest.LevelEntry entry, int[] fences, PageStore store) {
    open.put(levelPath(entry.number), false);
    return new CascadeLevel(shape, entry, fences, store, this::close);
  }

  private void close(CascadeLevel level) {
    try {
      level.store.close();
    } catch (IOException e) {
      // whatever was to be read of it was read, and nothing was written since it was made safe
    }
    Path file = levelPath(level.entry.number);
    if (Boolean.TRUE.equals(open.remove(file))) {
      try {
        access.delete(file);
      } catch (IOException e) {
        // a leftover, for the next opening
      }
    }
  }

  /** Makes another directory, of links to the levels that a manifest names, and of nothing else. */
  void linkTo(Path target, Manifest manifest) throws IOException {
    FlashDirectory.make(access, target, WHAT);
    FlashDirectory.checkEmpty(target);
    for (Manifest.LevelEntry level : manifest.levels) {
      Path source = levelPath(level.number);
      access.link(target.resolve(source.getFileName()), source);
    }
    if (!manifest.withId(newId()).write(access, target)) {
      throw new IOException(target + " cannot be made safe");
    }
  }

  // ---- Logs ----

  /** Begins a log; the log before it has so many records. */
  synchronized RecordLog createLog(long id, long number, long recordsBefore) throws IOException {
    return RecordLog.create(access, path, id, number, recordsBefore + 1, LOG_BLOCK_BYTES);
  }

  /** Bytes of the largest log of a level in memory; explicit syncs add 80 each. */
  static long logBytes(long levelEntries, Durability durability) {
    long operations = LOGGED_PER_ENTRY * levelEntries;
    return RecordLog.bytesFor(operations, Long.BYTES, durability.operations(), LOG_BLOCK_BYTES);
  }

  /** Looks through the logs that an earlier opening left, and changes nothing. */
  LogRecovery surveyLogs(Manifest manifest) throws IOException {
    LogRecovery logs = logs(manifest);
    logs.survey(manifest.closed);
    return logs;
  }

  /** The logs that count, of which nothing is looked at yet: their records are slots. */
  LogRecovery logs(Manifest manifest) throws IOException {
    int bits = shape.bits();
    return new LogRecovery(
        access,
        path,
        manifest.id,
        manifest.firstLog,
        true,
        (block, at, end) ->
            end - at >= Long.BYTES && block.getLong(at) >>> bits == 0 ? Long.BYTES : -1,
        Manifest.WHAT_TO_DO);
  }

  // ---- Cleaning ----

  /**
   * Deletes a file; a level's as soon as nobody reads it any more. An interrupt closes files under
   * their readers, who then open them again.
   */
  void delete(Path file) throws IOException {
    if (open.replace(file, true) == null) {
      access.delete(file);
    }
  }

  /** How many bytes the drive still takes; as many as there can be, if nobody knows. */
  long usableBytes() {
    try {
      return access.usableBytes(path);
    } catch (IOException e) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Deletes what a crash left: files of merges that were not done, levels and logs that were
   * merged, a manifest that was not switched. Others' files are left alone.
   *
   * <p>The manifest is made safe before: it may have been switched and no more than that, and a
   * power failure that takes the switch back must find what the one before it names. It is written
   * once more for that: an fsync after one that failed may do nothing. On a drive that takes no
   * manifest nothing is deleted.
   *
   * @return whether there was something to delete, and it is safe
   */
  boolean clean(Manifest manifest) throws IOException {
    access.forceDirectory(path);
    List<String> left = left(manifest);
    try {
      if (left.isEmpty() || !switchTo(manifest)) {
        return false;
      }
    } catch (IOException e) {
      return false; // it can be read all the same
    }
    for (String name : left) {
      access.delete(path.resolve(name));
    }
    return true;
  }

  private List<String> left(Manifest manifest) throws IOException {
    List<String> left = new ArrayList<>();
    for (String name : FlashDirectory.names(path)) {
      long level = TextFile.numberOf(name, LEVEL_PREFIX);
      long log = RecordLog.numberOf(name);
      if (name.equals(TextFile.temporary(Manifest.NAME))
          || level > 0 && manifest.levels.stream().noneMatch(e -> e.number == level)
          || log > 0 && log < manifest.firstLog) {
        left.add(name);
      }
    }
    return left;
  }
}
