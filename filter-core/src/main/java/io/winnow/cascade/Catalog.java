package io.winnow.cascade;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the directory's manifest says, and the files that it names no more.
 *
 * <p>These may be deleted when the switch is safe from a power failure, and not before: whichever
 * manifest is found then, its files are there. File numbers are never used twice, so that it does
 * not matter how much later that is.
 *
 * <p>Guarded by the lock for switches of the {@link Levels}, but for the next file's number, which
 * their monitor guards.
 */
final class Catalog {
  private final CascadeDirectory directory;
  private List<Path> unnamed = new ArrayList<>();
  private Manifest manifest;
  private long nextFile;
  private volatile boolean safe = true;

  Catalog(CascadeDirectory directory, Manifest manifest) {
    this.directory = directory;
    this.manifest = manifest;
    this.nextFile = manifest.nextFile();
  }

  Manifest manifest() {
    return manifest;
  }

  /** The number of a new level's file. */
  long takeFileNumber() {
    return nextFile++;
  }

  /** The manifest for other levels, newest first, and another first log. With the monitor, too. */
  Manifest with(List<CascadeLevel> levels, long firstLog) {
    return new Manifest(
        manifest.shape(),
        manifest.pageBytes(),
        nextFile,
        firstLog,
        levels.stream().map(Catalog::entry).toList());
  }

  /**
   * Makes a manifest the directory's.
   *
   * @throws IOException if all is as it was
   */
  void switchTo(Manifest next) throws IOException {
    List<Path> files = new ArrayList<>(unnamed);
    for (Manifest.LevelEntry old : manifest.levels()) {
      if (next.levels().stream().noneMatch(level -> level.number() == old.number())) {
        files.add(directory.levelPath(old.number()));
      }
    }
    for (long log = manifest.firstLog(); log < next.firstLog(); log++) {
      files.add(directory.logPath(log));
    }
    // named again, if there was no memory to go on with the switch before
    next.levels().forEach(level -> files.remove(directory.levelPath(level.number())));
    safe = directory.switchTo(next);
    manifest = next;
    unnamed = files;
  }

  private static Manifest.LevelEntry entry(CascadeLevel level) {
    return new Manifest.LevelEntry(level.number(), level.rank(), level.entries(), level.sections());
  }

  /**
   * Whether a power failure leaves this manifest; else it may be that, or an earlier one. For
   * anybody, of the switches that were done before.
   */
  boolean isSafe() {
    return safe;
  }

  /**
   * Switches to the same manifest anew, if it is not known to be safe. Another fsync of the
   * directory alone might succeed and mean nothing: the first one has told of the failure.
   */
  void makeSafe() throws IOException {
    if (!safe) {
      safe = directory.switchTo(manifest);
    }
    if (!safe) {
      throw new IOException(
          "fsync of "
              + directory.path()
              + " failed: a power failure may bring back what was there before the last merges");
    }
  }

  /** The files to delete: those that are named no more, if that is safe. */
  List<Path> takeUnnamed() {
    if (!safe) {
      return List.of();
    }
    List<Path> files = unnamed;
    unnamed = new ArrayList<>();
    return files;
  }
}
