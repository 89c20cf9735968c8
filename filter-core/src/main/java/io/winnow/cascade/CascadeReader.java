package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.Damage;
import io.winnow.flash.store.FlashDirectory;
import io.winnow.flash.store.LogRecovery;
import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A filter's directory as it is at one moment, to be read. It takes no lock and changes no file, so
 * it works on a read-only file system, and needs no options: the manifest has them.
 *
 * <p>The guarantee: what was {@linkplain CascadeFilter#sync synced} before the opening is found, as
 * in {@link CascadeFilter}. A filter may have the directory open meanwhile, in this process or
 * another one, and go on. What it takes in after the opening may be missing here; open the
 * directory again to see it. The filter's merges delete files that are still read here; the
 * operating system keeps them until they are closed. Where it does not, or where an interrupt
 * closes such a file, lookups that need it are answered {@code true}.
 *
 * <p>Cost: a lookup is that of the filter. In memory are 4 bytes for each page, and what the logs
 * have, about 4 bytes for each operation.
 *
 * <p>Thread-safe.
 */
public final class CascadeReader implements CascadeSet {
  /** As often the opening is tried while a filter switches its manifest. */
  private static final int MOST_ATTEMPTS = 100;

  /** As often it is tried where nobody does: an fsync that fails may cut the end of a log. */
  private static final int MOST_FAILURES = 3;

  private final CascadeDirectory directory;
  final Manifest manifest;
  private final MergePolicy policy;
  private final Lookups lookups;
  private List<LogRecovery.Log> logs = List.of();

  /** Null when closed. */
  private volatile View view;

  private CascadeReader(Path path, CascadeOptions options, Manifest manifest) {
    this.manifest = manifest;
    CascadeCounters counters = new CascadeCounters(CascadeListener.NONE);
    this.directory = new CascadeDirectory(path, options, counters, manifest, null);
    this.policy = new MergePolicy(manifest.memoryEntries, manifest.fanOut);
    this.lookups = new Lookups(directory);
  }

  /**
   * Opens a directory.
   *
   * @throws IOException if it cannot be read; {@link io.winnow.flash.store.DamagedPageException} if
   *     a level's fences are damaged
   * @throws FilterFormatException if it is none of a filter, or its manifest or a log is damaged or
   *     of another version
   */
  public static CascadeReader open(Path directory) throws IOException {
    return open(directory, CascadeOptions.defaults());
  }

  /**
   * Opens a directory.
   *
   * @param options of which the read threads, direct I/O and the file access count
   * @throws IOException as {@link #open(Path)}
   */
  public static CascadeReader open(Path directory, CascadeOptions options) throws IOException {
    FlashDirectory.checkHas(
        directory, Manifest.NAME, CascadeDirectory.WHAT, "give the path of one");
    int failures = 0;
    for (int attempt = 1; ; attempt++) {
      Manifest before = Manifest.read(directory);
      CascadeReader reader = new CascadeReader(directory, options, before);
      try {
        reader.take();
        return reader;
      } catch (IOException | RuntimeException | Error e) {
        reader.close();
        boolean unchanged = Manifest.read(directory).text().equals(before.text());
        failures += unchanged ? 1 : 0;
        if (failures == MOST_FAILURES || attempt >= MOST_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Opens all files that the manifest names. If it is still the same then, they are all there is,
   * and stay.
   *
   * @throws IOException if it is not, and some may be gone
   */
  private void take() throws IOException {
    List<CascadeLevel> levels = new ArrayList<>();
    MemoryLevel memory = null;
    try {
      for (Manifest.LevelEntry entry : manifest.levels) {
        levels.add(directory.openLevel(entry));
      }
      try (LogRecovery recovery = directory.logs(manifest)) {
        recovery.hold();
        if (!Manifest.read(directory.path).text().equals(manifest.text())) {
          throw new IOException(
              directory.path + " changes too fast: its filter switches all the time");
        }
        recovery.survey(manifest.closed);
        memory = new MemoryLevel(manifest.shape, Math.max(recovery.records(), 1), ended -> {});
        MemoryLevel taken = memory;
        for (int i = 0; i < recovery.logs().size(); i++) {
          recovery.replay(i, (number, block, at) -> taken.add(block.getLong(at)));
        }
        logs = List.copyOf(recovery.logs());
      }
      view = new View(memory, null, levels, manifest.doubt);
    } finally {
      if (memory != null) {
        memory.release(); // the view has them now, or nobody
      }
      levels.forEach(Shared::release);
    }
  }

  /** The levels in memory and on flash, for a reader, who releases them. */
  View holdView() {
    View now = view;
    if (now == null || !now.tryHold()) {
      throw closed();
    }
    return now;
  }

  private IllegalStateException closed() {
    return new IllegalStateException(directory.path + " is closed");
  }

  /** The manifest of the directory, unless this is closed. */
  private Manifest openManifest() {
    if (view == null) {
      throw closed();
    }
    return manifest;
  }

  // ---- Lookups ----

  @Override
  public boolean mightContain(long keyHash) {
    return lookups.mightContain(holdView(), keyHash);
  }

  @Override
  public BitSet mightContain(long[] keyHashes, int from, int count) {
    return lookups.mightContain(holdView(), keyHashes, from, count);
  }

  @Override
  public long hash(byte[] key) {
    return keyHash().hash(key);
  }

  // ---- What it is ----

  public Path path() {
    openManifest();
    return directory.path;
  }

  public int fingerprintBits() {
    return openManifest().shape.fingerprintBits;
  }

  public boolean deletes() {
    return openManifest().shape.deletes;
  }

  /** The function for keys that are {@code byte[]}. */
  public KeyHash keyHash() {
    return openManifest().keyHash;
  }

  public int pageBytes() {
    return openManifest().pageBytes;
  }

  /** The logs that count, oldest first: inserts and deletes that are in no level. */
  public List<LogRecovery.Log> logs() {
    openManifest();
    return logs;
  }

  /**
   * How the directory is: in memory is what the logs have; how large a level in memory is, and the
   * fan-out, are the last writer's. Counts are those of this reader.
   */
  public CascadeStatistics statistics() {
    try (View now = holdView()) {
      return new CascadeStatistics(now, 0, directory, policy);
    }
  }

  /**
   * Makes a directory that opens as a filter of its own, with all that is here: of links to the
   * levels, or, if the logs have something, of one level that is written anew.
   */
  @Override
  public void snapshot(Path target) throws IOException {
    try (View now = holdView()) {
      if (now.active.isEmpty()) {
        directory.linkTo(target, manifest);
      } else { // a log may have had more when it was taken in than when it was looked through
        CascadeUnion.of(target, List.of(this), directory.options, entries -> {});
      }
    }
  }

  // ---- Whether all of it is right ----

  /**
   * Reads all pages of all levels and checks them: their checksums, that each is the page that was
   * meant, that fingerprints are in order, and how many there are.
   *
   * @param pagesRead is told how many more were read, now and then
   * @return what is wrong
   */
  public List<Damage> verify(LongConsumer pagesRead) {
    List<Damage> found = new ArrayList<>();
    try (View now = holdView()) {
      for (CascadeLevel level : now.levels) {
        verify(level, found, pagesRead);
      }
      return found;
    }
  }

  private void verify(CascadeLevel level, List<Damage> found, LongConsumer pagesRead) {
    String file = level.store.name();
    SlotBuffer slots = new SlotBuffer();
    int before = found.size();
    long entries = 0;
    long least = 0; // what the next slot is at least
    long more = manifest.shape.deletes ? 0 : 1;
    for (int page = 0; page < level.sections(); page += CascadeLevel.READ_PAGES) {
      int end = Math.min(page + CascadeLevel.READ_PAGES, level.sections());
      slots.size = 0;
      try {
        level.decode(
            page, end, slots, (source, bad, reason) -> found.add(Damage.of(file, bad, reason)));
      } catch (IOException e) {
        found.add(Damage.of(file, page, e));
      }
      boolean inOrder = true;
      for (int i = 0; i < slots.size; i++) {
        inOrder &= slots.slots[i] >= least && slots.slots[i] >>> manifest.shape.bits() == 0;
        least = slots.slots[i] + more;
      }
      if (!inOrder) {
        String pages = "the pages from here to " + (end - 1) + " have fingerprints out of order";
        found.add(new Damage(file, page, pages));
      }
      entries += slots.size;
      pagesRead.accept(end - page);
    }
    if (entries != level.entries() && found.size() == before) {
      String counts = "it has " + entries + " entries, and the manifest says " + level.entries();
      found.add(new Damage(file, 0, counts));
    }
  }

  @Override
  public void close() throws IOException {
    View last;
    synchronized (this) {
      last = view;
      view = null;
    }
    lookups.close();
    if (last != null) {
      last.release();
    }
  }
}
