package io.winnow.cascade;

import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.drive.RecordLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The manifest of a cascade filter's directory, its replacement by a newer one, and the files that
 * it no longer names.
 *
 * <p>Files that are no longer named may be deleted only when the replacement is durable: whichever
 * manifest a power failure leaves, its files exist. File numbers are never reused, so a file may be
 * deleted at any later time.
 *
 * <p>A sync first makes the logs durable. If a log is closed by then, its operations are in a level
 * that readers already see, and {@link #sync} makes the manifest with that level durable.
 *
 * <p>The monitor of this object is the lock for replacing the manifest. It guards all fields except
 * {@code nextFile}, which the monitor of the levels guards.
 */
final class Catalog {
  private final CascadeDirectory directory;

  /** Files that earlier manifests named and {@link #manifest} does not. */
  private Set<Path> unnamed = new LinkedHashSet<>();

  /** The manifest that names the present levels on flash. */
  Manifest manifest;

  /** The manifest in the directory; an older one than {@link #manifest} while logs are replayed. */
  private Manifest written;

  private long writeFrom;

  /** Number that the name of the next level's file will have. */
  long nextFile;

  private volatile boolean synced = true;

  Catalog(CascadeDirectory directory, Manifest manifest) {
    this.directory = directory;
    this.manifest = manifest;
    this.written = manifest;
    this.nextFile = manifest.nextFile;
  }

  /**
   * Keeps manifests in memory until the first that needs no log before the given one. A manifest
   * before that names levels with some of the operations in its logs, and after a crash the next
   * opening would apply these a second time.
   */
  synchronized void writeFrom(long firstLog) {
    writeFrom = firstLog;
  }

  /**
   * Writes the manifest again and then deletes the files that a crash left in a cascade filter's
   * directory, while the filter is opened.
   *
   * <p>An earlier process may have renamed the manifest without a sync. A power failure could then
   * bring the manifest before it back, whose files must still exist. Writing it again is necessary
   * because an fsync after a failed one may do nothing. On a drive that takes no manifest nothing
   * is deleted.
   *
   * @throws IOException if the directory cannot be synced before the manifest is written, or after
   *     it was replaced, or if a leftover cannot be deleted. Any failure in between leaves the
   *     former manifest in place and counts as a full drive
   */
  void clean() throws IOException {
    directory.files.access.forceDirectory(directory.path); // names that earlier processes changed
    try {
      synced = directory.switchTo(manifest);
    } catch (IOException e) {
      return; // a full drive can still be read, and may say so in an fsync
    }
    if (!synced) {
      throw notSynced(null);
    }
    directory.deleteLeftovers(manifest);
  }

  /**
   * Returns a copy of the manifest with other levels, newest first, and another first log. The
   * caller also holds the monitor of the levels.
   */
  Manifest with(List<CascadeLevel> now, long firstLog, Doubt doubt) {
    return manifest.with(
        nextFile,
        firstLog,
        doubt,
        now.stream().map(l -> l.entry(l.rank)).collect(Collectors.toList()));
  }

  /**
   * Replaces the directory's manifest by another one. If the replacement is not known to be
   * durable, files that it does not name stay.
   *
   * @throws IOException if the replacement failed and the previous manifest is still in place
   */
  synchronized void switchTo(Manifest next) throws IOException {
    Set<Path> files = new LinkedHashSet<>(unnamed);
    files.addAll(levelFiles(manifest));
    for (long log = manifest.firstLog; log < next.firstLog; log++) {
      files.add(RecordLog.path(directory.path, log));
    }
    // still, or again if there was no memory to go on with the switch before
    files.removeAll(levelFiles(next));
    if (next.firstLog >= writeFrom) {
      synced = directory.switchTo(next);
      written = next;
    }
    manifest = next;
    unnamed = files;
    if (!synced) {
      directory.counters.lastMergeFailure = notSynced(null);
    }
  }

  /** Returns the files of the levels that a manifest names. */
  private Set<Path> levelFiles(Manifest named) {
    return named.levels.stream()
        .map(level -> directory.levelPath(level.number))
        .collect(Collectors.toSet());
  }

  /**
   * Waits until the manifest is durable, so that a power failure cannot bring an earlier one back.
   * A log may be deleted once its operations are merged, so they are only in the files that this
   * manifest names.
   *
   * <p>If that is not known yet, the same manifest is written again. Another fsync of the directory
   * alone would not be enough: the first one has already reported the failure, and the next may
   * succeed without an effect.
   */
  void sync() throws IOException {
    if (synced) {
      return;
    }
    synchronized (this) {
      IOException reason = null;
      try {
        synced = synced || directory.switchTo(written);
      } catch (IOException e) {
        reason = e;
      }
      if (!synced) {
        throw notSynced(reason);
      }
    }
    deleteUnnamed();
  }

  /**
   * Records the lengths of the synced logs in the manifest, so that a later opening notices if one
   * was cut. A failure loses nothing.
   */
  synchronized void markClosed() {
    try {
      Map<Long, Long> logs = LogRecovery.lengths(directory.path, written.firstLog);
      if (!logs.isEmpty()) {
        directory.switchTo(written.closed(logs));
      }
    } catch (IOException e) {
      directory.counters.lastMergeFailure = e;
    }
  }

  /** Returns an exception that says why files are kept that the newest manifest does not name. */
  private IOException notSynced(IOException reason) {
    return new IOException(
        "rename or fsync of "
            + directory.path
            + " failed: a power failure may bring the state before the last merges back, so"
            + " their old files are kept",
        reason);
  }

  /**
   * Deletes the files that no manifest names any more, if the directory's manifest is durable and
   * the directory still belongs to this filter. The next opening deletes those that cannot be
   * deleted now.
   */
  void deleteUnnamed() {
    Set<Path> files;
    synchronized (this) {
      if (!synced || unnamed.isEmpty()) {
        return;
      }
      try {
        directory.files.checkOwned();
      } catch (IOException e) {
        return; // the new owner may need the files
      }
      Set<Path> needed = levelFiles(written);
      files = new LinkedHashSet<>(unnamed);
      files.removeAll(needed);
      unnamed.retainAll(needed);
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
