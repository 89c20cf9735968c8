package io.winnow.cascade;

import io.winnow.base.Arguments;
import io.winnow.cascade.Chunks.SlotSource;
import io.winnow.flash.drive.FlashDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Merges the directories of several cascade filters into one, which opens as a filter with all
 * their keys. It reads and writes each fingerprint once, in order, in some megabytes of memory.
 *
 * <p>The sources do not change, and filters may have them open. A crash leaves a directory without
 * a manifest, which no filter opens: delete it and start again.
 */
public final class CascadeUnion {
  private CascadeUnion() {}

  /**
   * Merges cascade filters' directories into a new one.
   *
   * <p>With deletes, a key that is in several sources is in the target as often as in all of them
   * together. A range that is in doubt in one source is in doubt in the target; so is a damaged
   * page of a source.
   *
   * @param target a directory that is missing or empty
   * @param sources readers of filters with the same fingerprint bits and the same hash function
   * @throws IllegalArgumentException if the sources differ in these
   * @throws IOException if a source cannot be read, or the target cannot be written and synced
   */
  public static void of(Path target, List<CascadeReader> sources) throws IOException {
    of(target, sources, CascadeOptions.defaults(), entries -> {});
  }

  /**
   * Merges cascade filters' directories into a new one, and reports the progress.
   *
   * @param options only direct I/O and the file access are used
   * @param merged receives the number of entries read since the last call. An exception that it
   *     throws ends the merge and goes to the caller; the target is not a filter then
   * @throws IllegalArgumentException as {@link #of(Path, List)}
   */
  public static void of(
      Path target, List<CascadeReader> sources, CascadeOptions options, LongConsumer merged)
      throws IOException {
    Arguments.check(!sources.isEmpty(), "nothing to merge");
    Manifest like = sources.get(0).manifest;
    for (CascadeReader source : sources) {
      Manifest other = source.manifest;
      Arguments.check(
          other.shape.isLike(like.shape) && other.keyHash == like.keyHash,
          String.format(
              "%s has %s, but %s has %s: they cannot be merged. Insert the keys of one into a"
                  + " filter that is made as the other was",
              source.path(),
              other.describe(options.expectedMaximum),
              sources.get(0).path(),
              like.describe(options.expectedMaximum)));
    }
    CascadeDirectory.KIND.makeEmpty(options.fileAccess(), target); // before there is a lock in it
    try (FlashDirectory files = CascadeDirectory.KIND.open(options.fileAccess(), target)) {
      CascadeDirectory.KIND.makeEmpty(options.fileAccess(), target);
      CascadeCounters counters = new CascadeCounters(CascadeListener.NONE);
      CascadeDirectory directory = new CascadeDirectory(files, options, counters, like);
      write(directory, like, sources, merged);
    }
  }

  /** Writes a level with all keys, and then the manifest that makes the directory a filter. */
  private static void write(
      CascadeDirectory directory, Manifest like, List<CascadeReader> sources, LongConsumer merged)
      throws IOException {
    List<Shared> held = new ArrayList<>();
    try {
      List<SlotSource> slots = new ArrayList<>();
      Set<SlotSource> oldest = new HashSet<>();
      Doubt doubt = Doubt.none(like.shape);
      for (CascadeReader source : sources) {
        View view = source.holdView();
        held.add(view);
        slots.add(view.active);
        slots.addAll(view.levels);
        oldest.add(slots.get(slots.size() - 1));
        doubt = doubt.with(view.doubt);
      }
      int chunkBytes =
          Math.max(directory.pageBytes, 2 * MemoryShares.MAX_CHUNK_BYTES / slots.size());
      Merge merge = new Merge(directory, slots, oldest, 1, chunkBytes, 1, new MergeLimit());
      CascadeLevel all = merge.runAlone(merged);
      List<Manifest.LevelEntry> levels = new ArrayList<>();
      if (all != null) {
        held.add(all);
        MergePolicy policy = new MergePolicy(like.memoryEntries, like.fanOut);
        levels.add(all.entry(policy.rankOf(all.entries())));
      }
      doubt = doubt.with(merge.doubt);
      if (doubt.isTooMuch()) {
        throw new IOException(
            "more than a quarter of the fingerprints would be in doubt, because pages were lost");
      }
      directory.files.checkOwned();
      directory.begin(directory.path, like.with(2, 1, doubt, levels));
    } finally {
      held.forEach(Shared::release);
    }
  }
}
