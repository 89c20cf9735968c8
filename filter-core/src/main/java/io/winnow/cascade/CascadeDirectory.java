package io.winnow.cascade;

import io.winnow.base.Arguments;
import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.IoCounters;
import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.drive.Opening;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.drive.TextFile;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The directory of a cascade filter: names, creates, opens and deletes its files.
 *
 * <p>Its monitor is held from each change of a file name until the fsync of the directory that
 * makes the change durable. A failed fsync may undo changes of other threads, whose own fsyncs then
 * succeed without an effect. Deletions do not take the monitor: a file that reappears is only a
 * leftover.
 */
final class CascadeDirectory {
  private static final String LEVEL_PREFIX = "level-";

  /** Bytes of operations in one block of a cascade filter's log; an operation takes 8. */
  private static final int LOG_BLOCK_BYTES = 1 << 16;

  /**
   * Maximum of operations in a log, divided by the number of entries that a memory level has room
   * for.
   */
  static final int LOGGED_PER_ENTRY = 2;

  /** Kind of a cascade filter's directory. */
  static final FlashDirectory.Kind KIND =
      new FlashDirectory.Kind(
          "a cascade filter", Manifest.NAME, CascadeDirectory::isOurs, Manifest.REMEDY, true);

  final FlashDirectory files;
  final Path path;
  final SlotShape shape;
  final int pageBytes;
  final CascadeOptions options;
  final CascadeCounters counters;

  /** Counters of the reads and writes of a cascade filter's level files. */
  final IoCounters io = new IoCounters();

  /**
   * Files of a cascade filter's levels that are open, each with a flag that requests its deletion
   * when the level is closed.
   */
  private final Map<Path, Boolean> open = new ConcurrentHashMap<>();

  /**
   * Creates an object that names, creates and deletes the files of a cascade filter's directory,
   * without reading or writing.
   *
   * @param counters counters that all parts of the filter share
   * @param like a manifest with the slot shape and page size of the directory
   */
  CascadeDirectory(
      FlashDirectory files, CascadeOptions options, CascadeCounters counters, Manifest like) {
    this.files = files;
    this.path = files.path;
    this.shape = like.shape;
    this.pageBytes = like.pageBytes;
    this.options = options;
    this.counters = counters;
  }

  /** Returns whether a file's name is one that a cascade filter uses. */
  private static boolean isOurs(String name) {
    return name.equals(TextFile.temporary(Manifest.NAME)) || isLevelOrLog(name);
  }

  private static boolean isLevelOrLog(String name) {
    return TextFile.numberOf(name, LEVEL_PREFIX) > 0 || RecordLog.numberOf(name) > 0;
  }

  // ---- The manifest ----

  /**
   * Reads the manifest of a cascade filter's directory, or writes the first one of a new filter.
   *
   * @param like a manifest with the slot shape, hash function and page size that the directory must
   *     have, and its new writer's memory level size and fan-out
   */
  Manifest readOrBegin(Manifest like) throws IOException {
    if (!KIND.isIn(path)) {
      if (FlashDirectory.names(path).stream().anyMatch(CascadeDirectory::isLevelOrLog)) {
        throw files.damaged(path + " has levels or logs but no " + Manifest.NAME, null);
      }
      return begin(path, like);
    }
    Manifest manifest = Manifest.read(path);
    Arguments.check(
        manifest.isLike(like),
        String.format(
            "%s was made with %s, but the given options mean %s: open it without options, or with"
                + " the rate, expected maximum, deletes, hash function and page size it was made"
                + " with",
            path,
            manifest.describe(options.expectedMaximum),
            like.describe(options.expectedMaximum)));
    return manifest.writtenBy(like.memoryEntries, like.fanOut);
  }

  /**
   * Writes the first manifest of a new cascade filter to a directory.
   *
   * @param named a manifest that names the levels of the new filter
   * @return the same manifest with the id of the new filter and without logs
   */
  Manifest begin(Path target, Manifest named) throws IOException {
    Manifest first = named.withId(newId());
    if (!first.write(files.access, target)) {
      throw new IOException("cannot sync the first " + Manifest.NAME + " of " + target);
    }
    return first;
  }

  /**
   * Replaces the manifest file of a cascade filter's directory.
   *
   * @return whether the change is known to be durable, as {@link Manifest#write}
   */
  synchronized boolean switchTo(Manifest manifest) throws IOException {
    files.checkOwned();
    return manifest.write(files.access, path);
  }

  // ---- Levels ----

  Path levelPath(long number) {
    return path.resolve(LEVEL_PREFIX + number);
  }

  /**
   * Returns a new random file id, which distinguishes a file from all others, also from those of an
   * earlier filter in this directory.
   */
  long newId() {
    return options.ids.getAsLong();
  }

  /**
   * Creates the file of a new level of a cascade filter and makes its name durable. The content is
   * not synced.
   */
  synchronized PageStore createLevelFile(long number, long id) throws IOException {
    PageStore store =
        PageStore.create(files.access, levelPath(number), pageBytes, id, options.directIo, io);
    Opening.syncOrUndo(files.access, path, store);
    return store;
  }

  /** Opens the file of a level that the manifest names, and reads the fences of its pages. */
  CascadeLevel openLevel(Manifest.LevelEntry entry) throws IOException {
    Path file = levelPath(entry.number);
    try {
      PageStore store =
          PageStore.open(
              files.access, file, pageBytes, entry.id, options.directIo, files.isLocked(), io);
      return Opening.orClose(store, () -> level(entry, LevelFile.read(store, entry), store));
    } catch (NoSuchFileException e) {
      throw files.damaged(file + " is missing", e);
    } catch (DamagedPageException e) { // the filter cannot be opened without this level
      throw new DamagedPageException(e.file(), e.page(), e.reason() + ": " + Manifest.REMEDY);
    }
  }

  /**
   * Returns a level of the cascade filter whose file is open. Its file is closed with the last view
   * that holds the level, and deleted then if {@link #delete} was called for it.
   */
  CascadeLevel level(Manifest.LevelEntry entry, int[] fences, PageStore store) {
    open.put(levelPath(entry.number), false);
    return new CascadeLevel(shape, entry, fences, store, this::close);
  }

  /** Closes the file of a cascade filter's level, and deletes it if that was requested. */
  private void close(CascadeLevel level) {
    try {
      level.store.close();
    } catch (IOException e) {
      // all reads are done, and nothing was written since the file was synced
    }
    Path file = levelPath(level.entry.number);
    if (Boolean.TRUE.equals(open.remove(file))) {
      try {
        files.access.delete(file);
      } catch (IOException e) {
        // it is a leftover, which the next opening deletes
      }
    }
  }

  /**
   * Creates another filter directory that has hard links to the levels of a manifest, and a
   * manifest for them.
   */
  void linkTo(Path target, Manifest manifest) throws IOException {
    KIND.makeEmpty(files.access, target);
    for (Manifest.LevelEntry level : manifest.levels) {
      Path source = levelPath(level.number);
      files.access.link(target.resolve(source.getFileName()), source);
    }
    begin(target, manifest);
  }

  // ---- Logs ----

  /**
   * Creates the file of a log of inserts into a cascade filter and deletes from it.
   *
   * @param recordsBefore number of records in all logs before it
   */
  synchronized RecordLog createLog(long id, long number, long recordsBefore) throws IOException {
    return RecordLog.create(files.access, path, id, number, recordsBefore + 1, LOG_BLOCK_BYTES);
  }

  /**
   * Returns the bytes of the largest log that a memory level can have; each explicit sync adds 80
   * bytes.
   */
  static long logBytes(long levelEntries, Durability durability) {
    if (!durability.isLogged()) {
      return 0;
    }
    long operations = LOGGED_PER_ENTRY * levelEntries;
    long inBlock = Math.min(durability.operations(), LOG_BLOCK_BYTES / Long.BYTES);
    long blocks = 1 + operations / inBlock; // each with a mark
    return operations * Long.BYTES + blocks * 2 * RecordLog.HEADER_BYTES;
  }

  /** Returns the logs that a manifest names, before they are read. Their records are slots. */
  LogRecovery logs(Manifest manifest) throws IOException {
    int bits = shape.bits();
    return new LogRecovery(
        files,
        manifest.id,
        manifest.firstLog,
        true,
        (block, at, end) ->
            end - at >= Long.BYTES && block.getLong(at) >>> bits == 0 ? Long.BYTES : -1);
  }

  // ---- Cleaning ----

  /**
   * Deletes a file of the cascade filter; that of a level only when its last reader has released
   * it. (An interrupt closes files under their readers, who then open them again by name.)
   */
  void delete(Path file) throws IOException {
    if (open.replace(file, true) == null) {
      files.access.delete(file);
    }
  }

  /**
   * Returns the free bytes of the drive that has the filter's directory, or {@link Long#MAX_VALUE}
   * if they are unknown.
   */
  long usableBytes() {
    try {
      return files.access.usableBytes(path);
    } catch (IOException e) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Deletes the files that a crash left: results of unfinished merges, levels and logs whose
   * content was merged. Files that are not the filter's stay.
   */
  void deleteLeftovers(Manifest manifest) throws IOException {
    for (String name : FlashDirectory.names(path)) {
      long level = TextFile.numberOf(name, LEVEL_PREFIX);
      long log = RecordLog.numberOf(name);
      if (level > 0 && manifest.levels.stream().noneMatch(e -> e.number == level)
          || log > 0 && log < manifest.firstLog) {
        files.access.delete(path.resolve(name));
      }
    }
  }
}
