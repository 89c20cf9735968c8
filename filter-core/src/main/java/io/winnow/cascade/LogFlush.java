package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import io.winnow.flash.drive.LogRecovery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the operations in logs to levels, when an opening finds more of them than a memory level
 * has room for: an earlier filter may have had more memory.
 *
 * <p>A memory level receives the operations. When it is full, and at the end, it is written to
 * flash as a run; whenever there are enough runs of a size, they are merged. Then the manifest is
 * replaced once: the new one names all runs and none of the logs. A crash before that leaves the
 * logs and unnamed files; a crash after it leaves the runs and logs that are not read. So each
 * operation is applied exactly once.
 */
final class LogFlush {
  /** Maximum of log files that stay from one opening of a filter to the next. */
  private static final int MAX_LOGS = 64;

  /** Number of runs (sorted files) of a generation that are merged into one run of the next. */
  private static final int RUNS = 4;

  /** Maximum of bytes on the drive per logged operation, during a merge of runs. */
  private static final int MAX_BYTES_PER_OPERATION = 16;

  private final CascadeDirectory directory;
  private final Manifest manifest;
  private final MemoryShares memory;
  private final MergePolicy policy;
  private final MemoryLevel filling;
  private final Chunks.Work work = new Chunks.Work();

  /**
   * Runs (sorted files of logged operations), newest first, and so lower generations first. The
   * rank of a run is its generation.
   */
  private final List<CascadeLevel> runs = new ArrayList<>();

  private long nextFile;

  LogFlush(CascadeDirectory directory, Manifest manifest, MemoryShares memory, MergePolicy policy) {
    this.directory = directory;
    this.manifest = manifest;
    this.memory = memory;
    this.policy = policy;
    this.filling = new MemoryLevel(manifest.shape, memory.levelEntries, ended -> {});
    this.nextFile = manifest.nextFile;
  }

  /**
   * Returns whether a memory level of a given size can take all operations in the logs, so that no
   * flush is necessary.
   */
  static boolean fitsInMemory(LogRecovery logs, long levelEntries) {
    return logs.records() <= levelEntries && logs.logs.size() <= MAX_LOGS;
  }

  /**
   * Writes the operations of all logs to levels on flash. If they cannot be written, they stay in
   * the logs, because a full drive should be readable.
   *
   * @return the manifest in the directory after this
   * @throws IOException if the logs or levels cannot be read, or it is unknown which manifest a
   *     power failure would leave
   */
  Manifest flush(LogRecovery logs) throws IOException {
    for (Manifest.LevelEntry entry : manifest.levels) {
      directory.openLevel(entry).release(); // check it before anything changes
    }
    directory.clean(manifest);
    logs.repair();
    if (directory.usableBytes() / MAX_BYTES_PER_OPERATION < logs.records()) {
      return manifest;
    }
    try {
      Manifest flushed;
      boolean synced;
      try {
        logs.replay((number, block, at) -> add(block.getLong(at)));
        writeFilled();
        flushed = manifest(runs, logs.nextLog());
        synced = directory.switchTo(flushed);
      } catch (IOException e) {
        discard();
        return manifest(List.of(), manifest.firstLog);
      }
      if (!synced) {
        throw new IOException(
            "rename or fsync of "
                + directory.path
                + " failed: check the drive, and open the filter again");
      }
      return flushed;
    } finally {
      runs.forEach(Shared::release);
    }
  }

  private void add(long slot) throws IOException {
    filling.add(slot);
    if (filling.isFull()) {
      writeFilled();
    }
  }

  private void writeFilled() throws IOException {
    if (!filling.isEmpty()) {
      addRun(List.of(filling), 1);
      filling.clear();
      mergeRuns();
    }
  }

  /**
   * Merges the newest runs (sorted files of logged operations) into one of the next generation, as
   * long as enough of them are of one generation.
   */
  private void mergeRuns() throws IOException {
    while (runs.size() >= RUNS) {
      List<CascadeLevel> newest = runs.subList(0, RUNS);
      int generation = newest.get(0).rank;
      if (newest.get(RUNS - 1).rank != generation) {
        return;
      }
      List<CascadeLevel> sources = new ArrayList<>(newest);
      newest.clear();
      try {
        addRun(sources, generation + 1);
      } finally {
        for (CascadeLevel source : sources) {
          source.release();
          directory.delete(directory.levelPath(source.entry.number));
        }
      }
    }
  }

  /**
   * Merges sorted sources, newest first, into a new run (a sorted file of logged operations), which
   * is the newest one. Adds none if all slots cancel each other.
   */
  private void addRun(List<? extends SlotSource> sources, int generation) throws IOException {
    int chunkBytes = memory.chunkBytes(1);
    Merge merge =
        new Merge(directory, sources, false, generation, chunkBytes, nextFile++, new MergeLimit(0));
    CascadeLevel level = merge.runAlone(work, slots -> {});
    if (level != null) {
      runs.add(0, level);
    }
    if (merge.damage != null) {
      throw merge.damage; // a file that was just written is damaged
    }
  }

  /** Returns a manifest with the given new levels before its present ones. */
  private Manifest manifest(List<CascadeLevel> newer, long firstLog) {
    List<Manifest.LevelEntry> levels = new ArrayList<>();
    newer.forEach(run -> levels.add(run.entry(policy.rankOf(run.entries()))));
    levels.addAll(manifest.levels);
    return manifest.with(nextFile, firstLog, manifest.doubt, levels);
  }

  /**
   * Deletes the level files that were written; one that cannot be deleted is a leftover for the
   * next opening.
   */
  private void discard() {
    for (long number = manifest.nextFile; number < nextFile; number++) {
      try {
        directory.delete(directory.levelPath(number));
      } catch (IOException e) {
        // no later file takes its number
      }
    }
  }
}
