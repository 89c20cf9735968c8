package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.DirectoryLock;
import io.winnow.flash.store.FlashDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Several directories merged into one, which opens as a filter with all that is in them. It reads
 * and writes each fingerprint once, in order, in some megabytes of memory; with deletes twice.
 *
 * <p>The sources are not changed, and filters may have them open. A crash leaves a directory
 * without a manifest, which no filter opens: delete it and begin again.
 */
public final class CascadeUnion {
  private final CascadeDirectory directory;
  private final Manifest manifest;
  private final LongConsumer merged;
  private final Chunks.Work work = new Chunks.Work();
  private final List<CascadeLevel> written = new ArrayList<>();
  private Doubt doubt;
  private long nextFile = 1;

  private CascadeUnion(CascadeDirectory directory, Manifest manifest, LongConsumer merged) {
    this.directory = directory;
    this.merged = merged;
    this.manifest = manifest;
    this.doubt = manifest.doubt;
  }

  /**
   * Merges directories.
   *
   * <p>With deletes, a key that is in two of them is there as often as in both together. What is in
   * doubt in one of them is in doubt in all; a damaged page of a source comes to be so.
   *
   * @param target a directory that is not there or empty
   * @param sources they have fingerprints of the same bits, of the same hash function
   * @throws IllegalArgumentException if they have not
   * @throws IOException if one cannot be read, or the target cannot be written and made safe
   */
  public static void of(Path target, List<CascadeReader> sources) throws IOException {
    of(target, sources, CascadeOptions.defaults(), entries -> {});
  }

  /**
   * Merges directories, and tells how far it is.
   *
   * @param options of which direct I/O and the file access count
   * @param merged is told how many entries were read, a few at a time; with deletes in several
   *     sources each of them is read twice. What it throws ends the merge, and goes on to the
   *     caller; what is in the target then is no filter
   * @throws IllegalArgumentException as {@link #of(Path, List)}
   */
  public static void of(
      Path target, List<CascadeReader> sources, CascadeOptions options, LongConsumer merged)
      throws IOException {
    Arguments.check(!sources.isEmpty(), "nothing to merge");
    Manifest like = sources.get(0).manifest;
    for (CascadeReader source : sources) {
      Manifest other = source.manifest;
      if (!other.shape.isLike(like.shape) || other.keyHash != like.keyHash) {
        throw new IllegalArgumentException(
            String.format(
                "%s has %s, and %s has %s: they cannot be merged. Insert the keys of one into a"
                    + " filter that is made as the other was",
                source.path(),
                other.describe(options.expectedMaximum),
                sources.get(0).path(),
                like.describe(options.expectedMaximum)));
      }
    }
    FlashDirectory.make(options.fileAccess(), target, CascadeDirectory.WHAT);
    FlashDirectory.checkEmpty(target); // before there is a lock in it
    try (DirectoryLock lock = DirectoryLock.of(target)) {
      FlashDirectory.checkEmpty(target);
      CascadeCounters counters = new CascadeCounters(CascadeListener.NONE);
      CascadeDirectory directory = new CascadeDirectory(target, options, counters, like, lock);
      new CascadeUnion(directory, like, merged).write(sources);
    }
  }

  private void write(List<CascadeReader> sources) throws IOException {
    List<View> views = new ArrayList<>();
    try {
      for (CascadeReader source : sources) {
        views.add(source.holdView());
        doubt = doubt.with(source.manifest.doubt);
      }
      CascadeLevel all;
      if (manifest.shape.deletes) {
        // a tombstone of one must not take a key of another
        for (View view : views) {
          CascadeLevel one = merge(slots(List.of(view)));
          if (one != null) {
            written.add(one);
          }
        }
        all = written.size() > 1 ? merge(written) : written.isEmpty() ? null : written.remove(0);
      } else {
        all = merge(slots(views));
      }
      name(all);
    } finally {
      views.forEach(Shared::release);
      for (CascadeLevel level : written) {
        directory.delete(directory.levelPath(level.entry.number));
        level.release();
      }
    }
  }

  private static List<SlotSource> slots(List<View> views) {
    List<SlotSource> slots = new ArrayList<>();
    for (View view : views) {
      slots.add(view.active);
      slots.addAll(view.levels);
    }
    return slots;
  }

  private CascadeLevel merge(List<? extends SlotSource> sources) throws IOException {
    int chunkBytes =
        Math.max(directory.pageBytes, 2 * MemoryShares.MAX_CHUNK_BYTES / sources.size());
    Merge merge = new Merge(directory, sources, true, 1, chunkBytes, nextFile++);
    CascadeLevel level = merge.runAlone(work, merged);
    doubt = doubt.with(merge.doubt);
    return level;
  }

  /** Makes it a filter: the last step, and the only one that counts. */
  private void name(CascadeLevel all) throws IOException {
    MergePolicy policy = new MergePolicy(manifest.memoryEntries, manifest.fanOut);
    List<Manifest.LevelEntry> levels =
        all == null ? List.of() : List.of(all.entry(policy.rankOf(all.entries())));
    try {
      if (doubt.isTooMuch()) {
        throw new IOException("too much of it would be in doubt, since pages were lost");
      }
      Manifest named = manifest.withId(directory.newId()).with(nextFile, 1, doubt, levels);
      if (!directory.switchTo(named)) {
        throw new IOException(directory.path + " cannot be made safe");
      }
    } finally {
      if (all != null) {
        all.release();
      }
    }
  }
}
