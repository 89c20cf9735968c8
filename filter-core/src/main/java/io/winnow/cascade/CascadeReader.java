package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.store.DamagedPageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A read-only snapshot of a cascade filter's directory at the moment of its opening. It takes no
 * lock and changes no file, so it works on a read-only file system. It needs no options: the
 * manifest has them.
 *
 * <p>The guarantee: each key that was {@linkplain CascadeFilter#sync synced} before the opening is
 * found, as in {@link CascadeFilter}. A filter in this or another process may have the directory
 * open and change it meanwhile. Its later inserts may be missing here; open the directory again to
 * see them. The filter's merges delete files that are still read here; the operating system keeps
 * them until they are closed. Where it does not, or where an interrupt closes such a file, lookups
 * that need it return {@code true}.
 *
 * <p>Cost: a lookup costs the same as the filter's. In memory are 4 bytes for each page, and about
 * 4 bytes for each operation in the logs.
 *
 * <p>Thread-safe.
 */
public final class CascadeReader implements CascadeSet {
  /** Maximum of attempts to open a directory whose filter replaces the manifest meanwhile. */
  private static final int MAX_ATTEMPTS = 100;

  /**
   * Maximum of attempts to open a directory while its manifest does not change: a failed fsync may
   * have cut the end of a log.
   */
  private static final int MAX_ATTEMPTS_UNCHANGED = 3;

  private final CascadeDirectory directory;
  final Manifest manifest;
  private final Lookups lookups;
  private List<LogRecovery.Log> logs = List.of();

  /** The levels of the cascade filter, or null after this reader was closed. */
  private volatile View view;

  private CascadeReader(FlashDirectory files, CascadeOptions options, Manifest manifest) {
    this.manifest = manifest;
    CascadeCounters counters = new CascadeCounters(CascadeListener.NONE);
    this.directory = new CascadeDirectory(files, options, counters, manifest);
    this.lookups = new Lookups(directory);
  }

  /**
   * Opens a cascade filter's directory for reading, with default options.
   *
   * @throws IOException if it cannot be read; {@link io.winnow.flash.store.DamagedPageException} if
   *     the fences of a level are damaged
   * @throws FilterFormatException if it is not a cascade filter's directory, or its manifest or a
   *     log is damaged or of another version
   */
  public static CascadeReader open(Path directory) throws IOException {
    return open(directory, CascadeOptions.defaults());
  }

  /**
   * Opens a cascade filter's directory for reading.
   *
   * @param options only the read threads, direct I/O and the file access are used
   * @throws IOException as {@link #open(Path)}
   */
  public static CascadeReader open(Path directory, CascadeOptions options) throws IOException {
    FlashDirectory files = CascadeDirectory.KIND.read(options.fileAccess(), directory);
    int failures = 0;
    for (int attempt = 1; ; attempt++) {
      Manifest before = Manifest.read(directory);
      CascadeReader reader = new CascadeReader(files, options, before);
      try {
        reader.openFiles();
        return reader;
      } catch (IOException | RuntimeException | Error e) {
        reader.close();
        boolean unchanged = Manifest.read(directory).text().equals(before.text());
        failures += unchanged ? 1 : 0;
        if (failures == MAX_ATTEMPTS_UNCHANGED || attempt >= MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Opens all level and log files that the manifest names. If the manifest is still the same
   * afterwards, they are complete and stay readable.
   *
   * @throws IOException if the manifest has changed, so that some files may be missing
   */
  private void openFiles() throws IOException {
    List<CascadeLevel> levels = new ArrayList<>();
    try {
      for (Manifest.LevelEntry entry : manifest.levels) {
        levels.add(directory.openLevel(entry));
      }
      try (LogRecovery recovery = directory.logs(manifest)) {
        recovery.hold();
        if (!Manifest.read(directory.path).text().equals(manifest.text())) {
          throw new IOException(
              directory.path + " changes too fast: its filter has replaced the manifest again");
        }
        recovery.survey(manifest.closed);
        MemoryLevel memory =
            new MemoryLevel(manifest.shape, Math.max(recovery.records(), 1), ended -> {});
        recovery.replay((number, block, at) -> memory.add(block.getLong(at)));
        logs = List.copyOf(recovery.logs);
        view = new View(memory, null, levels, manifest.doubt);
      }
    } finally {
      levels.forEach(Shared::release); // the view has them now, or nobody
    }
  }

  /** Returns the levels of the filter with a hold on them, which the caller must release. */
  View holdView() {
    View now = view;
    if (now == null || !now.tryHold()) {
      throw directory.files.closed();
    }
    return now;
  }

  /** Returns the manifest that this reader opened; throws if the reader is closed. */
  private Manifest openManifest() {
    if (view == null) {
      throw directory.files.closed();
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

  /** Returns the path of the cascade filter's directory. */
  public Path path() {
    openManifest();
    return directory.path;
  }

  /** Returns the number of bits in each fingerprint of the cascade filter. */
  public int fingerprintBits() {
    return openManifest().shape.fingerprintBits;
  }

  /** Returns whether the cascade filter was made with deletes. */
  public boolean deletes() {
    return openManifest().shape.deletes;
  }

  /** Returns the hash function for keys that are {@code byte[]}. */
  public KeyHash keyHash() {
    return openManifest().keyHash;
  }

  /** Returns the size of the cascade filter's pages in bytes. */
  public int pageBytes() {
    return openManifest().pageBytes;
  }

  /** Returns the logs whose operations are in no level on flash, oldest first. */
  public List<LogRecovery.Log> logs() {
    openManifest();
    return logs;
  }

  /**
   * Returns the number of entries, the levels and the read counters of the cascade filter's
   * directory. The entries in memory are those of the logs; the capacity of a memory level and the
   * fan-out are those of the last writer; the counters are this reader's.
   */
  public CascadeStatistics statistics() {
    try (View now = holdView()) {
      MergePolicy policy = new MergePolicy(manifest.memoryEntries, manifest.fanOut);
      return new CascadeStatistics(now, 0, directory, policy);
    }
  }

  /**
   * Creates a copy of this directory with all its keys, which opens as a filter of its own. It has
   * hard links to the levels or, if the logs have operations, one new level.
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

  // ---- Verification ----

  /**
   * Reads and checks all pages of all levels of a cascade filter: their checksums, their places,
   * the order of the fingerprints, and the number of entries.
   *
   * @param pagesRead receives the number of pages read since the last call
   * @return the damage found, empty if there is none
   */
  public List<DamagedPageException> verify(LongConsumer pagesRead) {
    List<DamagedPageException> found = new ArrayList<>();
    try (View now = holdView()) {
      for (CascadeLevel level : now.levels) {
        verify(level, found, pagesRead);
      }
      return found;
    }
  }

  private void verify(
      CascadeLevel level, List<DamagedPageException> found, LongConsumer pagesRead) {
    String file = level.store.name();
    SlotBuffer slots = new SlotBuffer();
    int before = found.size();
    long entries = 0;
    long least = 0; // the smallest valid value of the next slot
    long more = manifest.shape.deletes ? 0 : 1;
    for (int page = 0; page < level.sections(); page += CascadeLevel.READ_PAGES) {
      int end = Math.min(page + CascadeLevel.READ_PAGES, level.sections());
      slots.size = 0;
      try {
        level.decode(
            page,
            end,
            slots,
            (source, bad, reason) -> found.add(DamagedPageException.of(file, bad, reason)));
      } catch (IOException e) {
        found.add(DamagedPageException.of(file, page, e));
      }
      boolean inOrder = true;
      for (int i = 0; i < slots.size; i++) {
        inOrder &= slots.slots[i] >= least && slots.slots[i] >>> manifest.shape.bits() == 0;
        least = slots.slots[i] + more;
      }
      if (!inOrder) {
        String pages =
            "the pages from here to " + (end - 1) + " have fingerprints that are not in order";
        found.add(new DamagedPageException(file, page, pages));
      }
      entries += slots.size;
      pagesRead.accept(end - page);
    }
    if (entries != level.entries() && found.size() == before) {
      String counts = "it has " + entries + " entries, but the manifest names " + level.entries();
      found.add(new DamagedPageException(file, 0, counts));
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

  @Override
  public String toString() {
    return directory.files.toString();
  }
}
