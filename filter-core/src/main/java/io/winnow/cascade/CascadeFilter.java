package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.DirectoryLock;
import io.winnow.flash.store.Durability;
import io.winnow.flash.store.LogRecovery;
import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/**
 * A set of 64-bit key hashes that is larger than memory: it lives in a directory on flash, takes
 * inserts at the speed of memory, and answers a lookup with at most one page read per level.
 *
 * <p>The guarantee: a hash that was inserted, and not deleted since as often as it was inserted, is
 * found, always. For another one the answer is {@code true} with a probability of at most the rate,
 * up to the expected maximum of keys, and in proportion to their number beyond it. Whatever cannot
 * be read is answered {@code true}.
 *
 * <p>Deletes, if they were asked for, take back one insert each. As in every filter of
 * fingerprints, the delete of a key that is not in it may take away another key that has the same
 * fingerprint: delete only what was inserted. A key that is inserted {@value Copies#MANY} times and
 * more cannot be deleted any more.
 *
 * <p>Thread-safe. Inserts and deletes take turns; lookups wait for neither them nor merges. One
 * filter at a time has a directory, in this process and in any other.
 *
 * <p>Cost: an insert is an append to a partition in memory, some 50 to 100 ns with its share of
 * sorting, and its share of merges in other threads; it waits a little now and then where merges
 * would not keep up, and never for a whole one. A lookup of an absent key reads a page per level
 * whose fences include it.
 *
 * <p>Bender et al., "Don't Thrash: How to Cache Your Hash on Flash" (HotStorage 2011), section 2;
 * {@code docs/design/cascade.md} says where this differs.
 */
public final class CascadeFilter implements CascadeSet {
  final SlotShape shape;
  private final DirectoryLock lock;
  private final CascadeDirectory directory;
  private final MergePolicy policy;
  final Levels levels;
  private final Lookups lookups;
  private final KeyHash keyHash;
  private final Inserts inserts;

  private CascadeFilter(
      CascadeDirectory directory,
      DirectoryLock lock,
      Manifest manifest,
      MemoryShares memory,
      MergePolicy policy) {
    this.directory = directory;
    this.lock = lock;
    this.shape = manifest.shape;
    this.keyHash = manifest.keyHash;
    this.policy = policy;
    this.lookups = new Lookups(directory);
    this.levels = new Levels(directory, manifest, policy, memory);
    this.inserts = new Inserts(levels, directory, policy);
  }

  /**
   * Opens a directory, which is made if it is not there or empty.
   *
   * @throws IOException if it cannot be read or written, or is open already; {@link
   *     DamagedPageException} if a level's fences are damaged
   * @throws FilterFormatException if its manifest or a log is damaged or of another version
   * @throws IllegalArgumentException if the options are not those that it was made with
   */
  public static CascadeFilter open(Path directory, CascadeOptions asked) throws IOException {
    CascadeCounters counters = new CascadeCounters(asked.listener);
    CascadeOptions options = asked.fileAccess(counters.listening(asked.fileAccess()));
    CascadeDirectory.make(options.fileAccess(), directory);
    DirectoryLock lock = DirectoryLock.of(directory);
    CascadeFilter filter = null;
    try {
      MemoryShares memory = new MemoryShares(options, options.shape());
      MergePolicy policy = new MergePolicy(memory.levelEntries, options.fanOut());
      Manifest like =
          Manifest.first(0, options.shape(), options.keyHash, options.pageBytes)
              .by(memory.levelEntries, policy.fanOut);
      CascadeDirectory files = new CascadeDirectory(directory, options, counters, like, lock);
      Manifest manifest = files.readOrBegin();
      LogRecovery logs = files.surveyLogs(manifest);
      if (!LogFlush.isNeedless(logs, memory.levelEntries)) {
        manifest = new LogFlush(files, manifest, memory, policy).flush(logs);
        logs = files.surveyLogs(manifest);
      }
      filter = new CascadeFilter(files, lock, manifest, memory, policy);
      filter.recover(manifest, logs);
      return filter;
    } catch (IOException | RuntimeException | Error e) {
      try (lock) {
        if (filter != null) {
          filter.stop();
        }
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /**
   * Opens a directory that is there, as it was made, with what else options have by default; a new
   * one is made with {@link CascadeOptions#defaults}.
   *
   * @throws IOException as {@link #open(Path, CascadeOptions)}
   */
  public static CascadeFilter open(Path directory) throws IOException {
    CascadeOptions options = CascadeOptions.defaults();
    return open(
        directory,
        Manifest.isThere(directory) ? options.asMade(Manifest.read(directory)) : options);
  }

  /** Nothing is changed in the directory before all of it was looked at. */
  private void recover(Manifest manifest, LogRecovery logs) throws IOException {
    levels.open();
    levels.catalog.clean();
    logs.repair();
    inserts.recover(manifest, logs);
    levels.plan();
  }

  // ---- Inserts and deletes ----

  /**
   * Inserts a key by its hash.
   *
   * @throws IOException if it cannot be logged, or there is no place for it since merges failed;
   *     then it is not in, what was inserted before is, and later inserts may succeed. After a
   *     failed fsync of the log a power failure may bring it back
   */
  public void insert(long keyHash) throws IOException {
    inserts.apply(shape.slotOf(keyHash));
  }

  /** Inserts a key; as {@link #insert(long)} of its {@link #hash}. */
  public void insert(byte[] key) throws IOException {
    insert(hash(key));
  }

  /**
   * Inserts {@code count} keys by their hashes, faster than one by one; with few syncs, where each
   * operation is synced.
   *
   * @throws IOException as {@link #insert(long)}, or if there is no memory; its message says how
   *     many keys, from the first one on, are in. The others are not
   */
  public void insert(long[] keyHashes, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, keyHashes.length);
    inserts.apply(keyHashes, from, count);
  }

  /** Inserts keys; as {@link #insert(long[], int, int)} of their hashes. */
  public void insert(List<byte[]> keys) throws IOException {
    insert(hashes(keys), 0, keys.size());
  }

  /**
   * Takes back one insert of a key.
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

  /** Takes back one insert of a key; as {@link #delete(long)} of its {@link #hash}. */
  public void delete(byte[] key) throws IOException {
    delete(hash(key));
  }

  @Override
  public long hash(byte[] key) {
    levels.openView();
    return keyHash.hash(key);
  }

  /**
   * Returns when everything that was inserted and deleted before is safe from a crash of the
   * process and of the machine: by an fsync of the log, or, with {@link Durability#NONE}, by
   * writing the level in memory to flash. Others insert meanwhile.
   *
   * @throws IOException if that is not so
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

  public int fingerprintBits() {
    levels.openView();
    return shape.fingerprintBits;
  }

  // ---- While it runs ----

  /** Waits until no merge is running and none is due. Inserts wait too. */
  public void awaitMerges() throws IOException {
    inserts.withoutInserts(levels::awaitMerges);
  }

  /** Changes the fan-out from the next merges on: more is fewer reads, less is fewer writes. */
  public void setFanOut(int times) {
    CascadeOptions.checkFanOut(times);
    levels.setFanOut(times);
  }

  /**
   * Changes the number of merge threads. They share the memory that was set apart for merges at the
   * opening: the next merges take smaller chunks with more of them.
   */
  public void setMergeThreads(int threads) {
    CascadeOptions.checkMergeThreads(threads);
    levels.openView();
    levels.merges.setThreads(threads);
  }

  /** Changes what merges may read and write in a second; 0 is no limit. */
  public void setMergeBytesPerSecond(long bytes) {
    CascadeOptions.checkMergeBytesPerSecond(bytes);
    levels.openView();
    levels.merges.setBytesPerSecond(bytes);
  }

  /** How the filter is now, and what it did since it was opened. Waits for nobody. */
  public CascadeStatistics statistics() {
    // Without the monitor: a listener may ask with that of another filter.
    int running = levels.merges.running.size(); // before the view: what has ended is in that
    try (View now = levels.holdView()) {
      return new CascadeStatistics(now, running, directory, policy);
    }
  }

  @Override
  public void snapshot(Path target) throws IOException {
    inserts.snapshot(target);
  }

  /**
   * Syncs, gives up the merges that run (the next opening begins them again) and lets go of the
   * directory. After sessions that were too short for their merges it finishes one of them before,
   * so that levels stay few.
   *
   * @throws IOException if the sync failed; the filter is closed all the same
   */
  @Override
  public void close() throws IOException {
    inserts.withoutInserts(
        () -> {
          if (levels.isOpen()) {
            try (lock) {
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
}
