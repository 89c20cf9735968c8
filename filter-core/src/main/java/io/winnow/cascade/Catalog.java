package io.winnow.cascade;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the directory's manifest says, and the files that it names no more.
 *
 * <p>These are deleted when the switch is safe from a power failure, and not before: whichever
 * manifest is found then, its files are there. Guarded by the {@link Levels}.
 */
final class Catalog {
  private final CascadeDirectory directory;
  private final List<Path> deletions = new ArrayList<>();
  private Manifest manifest;
  private long nextFile;
  private boolean safe = true;

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

  /**
   * Names other levels, newest first, and another first log.
   *
   * @throws IOException if all is as it was
   */
  void switchTo(List<CascadeLevel> levels, long firstLog) throws IOException {
    Manifest was = manifest;
    Manifest next =
        new Manifest(
            was.shape(),
            was.pageBytes(),
            nextFile,
            firstLog,
            levels.stream().map(Catalog::entry).toList());
    List<Path> named = new ArrayList<>();
    for (Manifest.LevelEntry old : was.levels()) {
      if (levels.stream().noneMatch(level -> level.number() == old.number())) {
        named.add(directory.levelPath(old.number()));
      }
    }
    for (long log = was.firstLog(); log < firstLog; log++) {
      named.add(directory.logPath(log));
    }
    safe = directory.switchTo(next);
    manifest = next;
    deletions.addAll(named);
  }

  private static Manifest.LevelEntry entry(CascadeLevel level) {
    return new Manifest.LevelEntry(level.number(), level.rank(), level.entries(), level.sections());
  }

  /** Whether a power failure leaves this manifest; else it may be that, or an earlier one. */
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

  /**
   * Deletes what is named no more, if that is safe. What cannot be deleted now is a leftover, for
   * the next opening.
   *
   * @return the last failure, or null
   */
  IOException deleteWhatIsMerged() {
    IOException failure = null;
    if (safe) {
      for (Path path : deletions) {
        try {
          directory.delete(path);
        } catch (IOException e) {
          failure = e;
        }
      }
      deletions.clear();
    }
    return failure;
  }
}
