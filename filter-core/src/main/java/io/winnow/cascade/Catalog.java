package io.winnow.cascade;

import io.winnow.flash.store.LogRecovery;
import io.winnow.flash.store.RecordLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the directory's manifest says, the files that it names no more, and how another one takes
 * its place.
 *
 * <p>These may be deleted when the switch is safe from a power failure, and not before: whichever
 * manifest is found then, its files are there. File numbers are never used twice, so that it does
 * not matter how much later that is.
 *
 * <p>A sync makes the logs safe first. If one of them is closed by then, readers see what the
 * switch was for, and so {@link #makeSafe} is about that switch.
 *
 * <p>The lock for switches is this one's monitor. It guards all but the next file's number, which
 * the monitor of the levels guards.
 */
final class Catalog {
  private final CascadeDirectory directory;
  private Set<Path> unnamed = new LinkedHashSet<>();
  Manifest manifest;

  /** The number of the next level's file. */
  long nextFile;

  private volatile boolean safe = true;

  Catalog(CascadeDirectory directory, Manifest manifest) {
    this.directory = directory;
    this.manifest = manifest;
    this.nextFile = manifest.nextFile;
  }

  /**
   * Deletes what a crash left, in an opening. The manifest is switched to once more in any case: an
   * fsync that failed in an earlier one may have left it in the system's cache alone.
   */
  void clean() throws IOException {
    if (!directory.clean(manifest)) {
      try {
        safe = directory.switchTo(manifest);
      } catch (IOException e) {
        // a full drive can be read all the same
      }
    }
  }

  /** The manifest for other levels, newest first, and another first log. With the monitor, too. */
  Manifest with(List<CascadeLevel> now, long firstLog, Doubt doubt) {
    return manifest.with(
        nextFile,
        firstLog,
        doubt,
        now.stream().map(l -> l.entry(l.rank)).collect(Collectors.toList()));
  }

  /**
   * Makes this the manifest. It may not be safe yet: then files that it does not name stay.
   *
   * @throws IOException if it is not the manifest, and the one before it is
   */
  synchronized void switchTo(Manifest next) throws IOException {
    Set<Path> files = new LinkedHashSet<>(unnamed);
    manifest.levels.forEach(level -> files.add(directory.levelPath(level.number)));
    for (long log = manifest.firstLog; log < next.firstLog; log++) {
      files.add(RecordLog.path(directory.path, log));
    }
    // still, or again if there was no memory to go on with the switch before
    next.levels.forEach(level -> files.remove(directory.levelPath(level.number)));
    safe = directory.switchTo(next);
    manifest = next;
    unnamed = files;
    if (!safe) {
      directory.counters.lastMergeFailure = notSafe(null);
    }
  }

  /**
   * Returns when a power failure leaves this manifest, and cannot bring back an earlier one: what
   * merges wrote is in no log that is made safe.
   *
   * <p>If that is not known, it switches to the same manifest anew. Another fsync of the directory
   * alone might succeed and mean nothing: the first one has told of the failure.
   */
  void makeSafe() throws IOException {
    if (safe) {
      return;
    }
    synchronized (this) {
      IOException reason = null;
      try {
        safe = safe || directory.switchTo(manifest);
      } catch (IOException e) {
        reason = e;
      }
      if (!safe) {
        throw notSafe(reason);
      }
    }
    deleteUnnamed();
  }

  /**
   * Writes down how long the logs are, which are safe to their ends: a later opening sees whether
   * one was cut. If it cannot be written, nothing is lost by that.
   */
  synchronized void markClosed() {
    try {
      Map<Long, Long> logs = LogRecovery.lengths(directory.path, manifest.firstLog);
      if (logs.values().stream().anyMatch(bytes -> bytes > 0)) {
        switchTo(manifest.closed(logs));
      }
    } catch (IOException e) {
      directory.counters.lastMergeFailure = e;
    }
  }

  /** Why old files are kept. */
  private IOException notSafe(IOException reason) {
    return new IOException(
        "rename or fsync in "
            + directory.path
            + " failed: a power failure may bring back what was there before the last merges, and"
            + " old files are kept",
        reason);
  }

  /**
   * Deletes the files that no manifest names any more, if the manifest is safe and the directory is
   * still ours. The next opening deletes those that cannot be deleted now.
   */
  void deleteUnnamed() {
    Set<Path> files;
    synchronized (this) {
      if (!safe || unnamed.isEmpty()) {
        return;
      }
      try {
        directory.checkOwned();
      } catch (IOException e) {
        return; // another one may need them
      }
      files = unnamed;
      unnamed = new LinkedHashSet<>();
    }
    for (Path file : files) {
      try {
        directory.delete(file);
      } catch (IOException e) {
        directory.counters.lastMergeFailure = e;
      }
    }
  }
}
