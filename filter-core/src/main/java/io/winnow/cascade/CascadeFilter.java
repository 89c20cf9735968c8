package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.drive.Opening;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/**
 * A set of 64-bit key hashes that is larger than memory, in a directory on flash. It lives in a
 * directory on flash, takes inserts at the speed of memory, and a lookup reads at most one page per
 * level.
 *
 * <p>The guarantee: a hash that was inserted, and not deleted since as often as it was inserted, is
 * found, always. For any other hash the answer is {@code true} with a probability of at most the
 * rate, as long as there are at most the expected maximum of keys; beyond it the probability grows
 * in proportion to their number. Where a page cannot be read, the answer is {@code true}.
 *
 * <p>A delete takes back one insert, if the filter was made with deletes. As in every filter of
 * fingerprints, the delete of a key that was not inserted may remove another key with the same
 * fingerprint: delete only keys that were inserted. A key that was inserted {@value Copies#MANY}
 * times or more cannot be deleted any more.
 *
 * <p>Thread-safe. Inserts and deletes take turns; lookups wait for neither of them, nor for merges.
 * Only one filter at a time can own a directory, in all processes.
 *
 * <p>Cost: an insert appends to a partition in memory, which takes 50 to 100 ns with its share of
 * sorting; merges run in other threads. Where merges would not keep up, some inserts wait a little,
 * but not for a whole merge. A lookup of an absent key reads a page per level whose fences include
 * it.
 *
 * <p>Bender et al., "Don't Thrash: How to Cache Your Hash on Flash" (HotStorage 2011), section 2;
 * {@code docs/design/cascade.md} says where this differs.
 */
public final class CascadeFilter implements CascadeSet {
  final SlotShape shape;
  private final CascadeDirectory directory;
  final Levels levels;
  private final Lookups lookups;
  private final Inserts inserts;

  private CascadeFilter(
      CascadeDirectory directory, Manifest manifest, MemoryShares memory, MergePolicy policy) {
    this.directory = directory;
    this.shape = manifest.shape;
    this.lookups = new Lookups(directory);
    this.levels = new Levels(directory, manifest, policy, memory);
    this.inserts = new Inserts(levels, directory);
  }

  /**
   * Opens the cascade filter in a directory; creates it if the directory is missing or empty.
   *
   * @throws IOException if the directory cannot be read or written, or is open already; {@link
   *     DamagedPageException} if the fences of a level are damaged
   * @throws FilterFormatException if the manifest or a log is damaged or of another version
   * @throws IllegalArgumentException if the filter was made with other options that cannot change
   */
  public static CascadeFilter open(Path directory, CascadeOptions given) throws IOException {
    CascadeCounters counters = new CascadeCounters(given.listener);
    CascadeOptions options = given.fileAccess(counters.reportingFsyncs(given.fileAccess()));
    FlashDirectory locked = CascadeDirectory.KIND.open(options.fileAccess(), directory);
    return Opening.orClose(
        locked,
        () -> {
          MemoryShares memory = new MemoryShares(options, options.shape());
          MergePolicy policy = new MergePolicy(memory.levelEntries, options.fanOut());
          Manifest like =
              new Manifest(0, options.shape(), options.keyHash, options.pageBytes)
                  .writtenBy(memory.levelEntries, policy.fanOut);
          CascadeDirectory files = new CascadeDirectory(locked, options, counters, like);
          Manifest manifest = files.readOrBegin(like);
          LogRecovery logs = files.logs(manifest);
          logs.survey(manifest.closed);
          CascadeFilter filter = new CascadeFilter(files, manifest, memory, policy);
          return Opening.orClose(filter::stop, () -> filter.recover(manifest, logs));
        });
  }

  /**
   * Opens the cascade filter in an existing directory with the options that it was made with, and
   * defaults for the others.
   *
   * @throws IOException as {@link #open(Path, CascadeOptions)}
   * @throws FilterFormatException as {@link #open(Path, CascadeOptions)}, or if there is no filter:
   *     one that was lost is not taken for an empty one
   */
  public static CascadeFilter open(Path directory) throws IOException {
    CascadeDirectory.KIND.checkHas(directory);
    return open(directory, CascadeOptions.defaults().asMade(Manifest.read(directory)));
  }

  /**
   * Opens all levels and logs before anything in the directory is changed, then deletes leftovers
   * and loads the logs. Returns this filter.
   */
  private CascadeFilter recover(Manifest manifest, LogRecovery logs) throws IOException {
    levels.open();
    levels.catalog.clean();
    logs.repair();
    inserts.recover(manifest, logs);
    levels.merges.setBytesPerSecond(directory.options.mergeBytesPerSecond);
    levels.plan();
    return this;
  }

  // ---- Inserts and deletes ----

  /**
   * Inserts a key, given by its hash, into this set.
   *
   * @throws IOException if the insert cannot be logged, or has no room because merges failed. The
   *     key is not in the filter then; earlier keys are, and later inserts may succeed. If the
   *     fsync of the log failed, a power failure may bring the key back
   */
  public void insert(long keyHash) throws IOException {
    inserts.apply(shape.slotOf(keyHash));
  }

  /** Inserts a key into this set: calls {@link #insert(long)} with its {@link #hash}. */
  public void insert(byte[] key) throws IOException {
    insert(hash(key));
  }

  /**
   * Inserts many keys by their hashes, which is faster than one call for each. If each operation is
   * synced, several keys share a sync.
   *
   * @throws IOException as {@link #insert(long)}, or if there is no memory. Its message says how
   *     many keys, counted from the first one, are in the filter; the others are not
   */
  public void insert(long[] keyHashes, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, keyHashes.length);
    inserts.apply(keyHashes, from, count);
  }

  /** Inserts keys into this set: calls {@link #insert(long[], int, int)} with their hashes. */
  public void insert(List<byte[]> keys) throws IOException {
    insert(hashes(keys), 0, keys.size());
  }

  /**
   * Takes back one insert of a key, given by its hash.
   *
   * @throws IllegalStateException if the filter was not made with deletes
   * @throws IOException as {@link #insert(long)}
   */
  public void delete(long keyHash) throws IOException {
    if (!shape.deletes) {
      throw new IllegalStateException(directory.path + " was not made with deletes");
    }
    inserts.apply(shape.tombstone(shape.fingerprint(keyHash)));
  }

  /** Takes back one insert of a key: calls {@link #delete(long)} with its {@link #hash}. */
  public void delete(byte[] key) throws IOException {
    delete(hash(key));
  }

  @Override
  public long hash(byte[] key) {
    levels.openView();
    return directory.options.keyHash.hash(key);
  }

  /**
   * Waits until all earlier inserts and deletes are safe from a crash of the process and of the
   * machine: syncs the log or, with {@link Durability#NONE}, writes the memory level to flash.
   * Other threads can insert meanwhile.
   *
   * @throws IOException if they are not safe
   */
  public void sync() throws IOException {
    inserts.sync();
  }

  // ---- Lookups ----

  @Override
  public boolean mightContain(long keyHash) {
    return lookups.mightContain(levels.holdView(), keyHash);
  }

  @Override
  public BitSet mightContain(long[] keyHashes, int from, int count) {
    return lookups.mightContain(levels.holdView(), keyHashes, from, count);
  }

  /** Returns the number of bits in each fingerprint that the filter stores. */
  public int fingerprintBits() {
    levels.openView();
    return shape.fingerprintBits;
  }

  // ---- While it runs ----

  /** Waits until no merge of levels runs and none is due. Inserts wait too. */
  public void awaitMerges() throws IOException {
    inserts.withoutInserts(levels::awaitMerges);
  }

  /**
   * Changes the fan-out, the factor between the sizes of levels, from the next merge on. A larger
   * one saves reads, a smaller one saves writes.
   */
  public void setFanOut(int times) {
    CascadeMix.checkFanOut(times);
    levels.setFanOut(times);
  }

  /**
   * Changes the number of merge threads. The memory for merges stays as large as it was at the
   * opening: more threads take smaller chunks.
   */
  public void setMergeThreads(int threads) {
    CascadeOptions.checkMergeThreads(threads);
    levels.openView();
    levels.merges.setThreads(threads);
  }

  /** Changes the limit of bytes that merges read and write per second; 0 means no limit. */
  public void setMergeBytesPerSecond(long bytes) {
    CascadeOptions.checkMergeBytesPerSecond(bytes);
    levels.openView();
    levels.merges.setBytesPerSecond(bytes);
  }

  /**
   * Returns the state of the filter, and its counters since it was opened. It waits for no lock.
   */
  public CascadeStatistics statistics() {
    // Without the monitor: a listener may call this while it holds another filter's monitor.
    int running = levels.merges.running.size(); // before the view: what has ended is in that
    try (View now = levels.holdView()) {
      return new CascadeStatistics(now, running, directory, levels.policy);
    }
  }

  @Override
  public void snapshot(Path target) throws IOException {
    inserts.snapshot(target);
  }

  /**
   * Syncs all operations, abandons the running merges (the next opening begins them again) and
   * releases the directory. If sessions were too short for their merges, it first waits for one
   * merge, to keep the number of levels small.
   *
   * @throws IOException if the sync failed; the filter is closed anyway
   */
  @Override
  public void close() throws IOException {
    inserts.withoutInserts(
        () -> {
          if (levels.isOpen()) {
            try (directory.files) {
              try {
                inserts.sync();
                inserts.endLogs();
              } finally {
                stop();
              }
              levels.catalog.markClosed();
            }
          }
        });
  }

  private void stop() throws IOException {
    try (inserts;
        levels) {
      lookups.close();
    }
  }

  @Override
  public String toString() {
    return directory.files.toString();
  }
}
