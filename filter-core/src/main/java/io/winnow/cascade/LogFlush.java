package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import io.winnow.flash.store.LogRecovery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes what logs have to levels, for an opening that finds more in them than a level in memory
 * has room for: they may be of a larger memory.
 *
 * <p>Operations are taken in by one level in memory, which is written whenever it is full, and at
 * the end; these runs are merged a few at a time, so that there are few. Then the manifest is
 * switched, once: it names all of the runs and none of the logs. Before that a crash leaves the
 * logs and files that are not named, after it the runs and logs that are not read. So no operation
 * is in twice, or not at all.
 */
final class LogFlush {
  /** As many logs are kept from one opening to the next at most. */
  private static final int MOST_LOGS = 64;

  /** As many runs of a generation are merged into one of the next. */
  private static final int RUNS = 4;

  /** On the drive, with a merge of the runs under way. */
  private static final int MOST_BYTES_PER_OPERATION = 16;

  private final CascadeDirectory directory;
  private final Manifest manifest;
  private final MemoryShares memory;
  private final MergePolicy policy;
  private final MemoryLevel filling;
  private final Chunks.Work work = new Chunks.Work();

  /** Newest first, and so of the lower generations first. Their ranks are their generations. */
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
   * Whether a level in memory with room for {@code levelEntries} takes the logs in; else they go to
   * flash.
   */
  static boolean isNeedless(LogRecovery logs, long levelEntries) {
    return logs.records() <= levelEntries && logs.logs().size() <= MOST_LOGS;
  }

  /**
   * Writes all of the logs to levels. What cannot be written stays in the logs: a full drive can be
   * read.
   *
   * @return what the directory holds now
   * @throws IOException if it cannot be read, or it is not known which manifest a power failure
   *     leaves
   */
  Manifest flush(LogRecovery logs) throws IOException {
    for (Manifest.LevelEntry entry : manifest.levels) {
      directory.openLevel(entry).release(); // is it as it should be?
    }
    directory.clean(manifest);
    logs.repair();
    if (directory.usableBytes() / MOST_BYTES_PER_OPERATION < logs.records()) {
      return manifest;
    }
    try {
      Manifest flushed;
      boolean safe;
      try {
        for (int i = 0; i < logs.logs().size(); i++) {
          logs.replay(i, (number, block, at) -> add(block.getLong(at)));
        }
        writeFilled();
        flushed = manifest(runs, logs.nextLog());
        safe = directory.switchTo(flushed);
      } catch (IOException e) {
        discard();
        return manifest(List.of(), manifest.firstLog);
      }
      if (!safe) {
        throw new IOException(
            "rename or fsync of "
                + directory.path
                + " failed: see to the drive, and open the filter again");
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
   * Merges sources, newest first, into a run that is newer than the others, unless nothing is left
   * of them.
   */
  private void addRun(List<? extends SlotSource> sources, int generation) throws IOException {
    Merge merge =
        new Merge(directory, sources, false, generation, memory.chunkBytes(1), nextFile++);
    CascadeLevel level = merge.runAlone(work, slots -> {});
    if (level != null) {
      runs.add(0, level);
    }
    if (merge.damage != null) {
      throw merge.damage; // of what was just written
    }
  }

  private Manifest manifest(List<CascadeLevel> newer, long firstLog) {
    List<Manifest.LevelEntry> levels = new ArrayList<>();
    newer.forEach(run -> levels.add(run.entry(policy.rankOf(run.entries()))));
    levels.addAll(manifest.levels);
    return manifest.with(nextFile, firstLog, manifest.doubt, levels);
  }

  /** Deletes what was written; what stays is a leftover, for the next opening. */
  private void discard() {
    for (long number = manifest.nextFile; number < nextFile; number++) {
      try {
        directory.delete(directory.levelPath(number));
      } catch (IOException e) {
        // its number is not taken again
      }
    }
  }
}
