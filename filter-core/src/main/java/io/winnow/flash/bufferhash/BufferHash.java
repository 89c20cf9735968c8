package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.DirectoryLock;
import io.winnow.flash.store.Durability;
import io.winnow.flash.store.FlashDirectory;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.LogRecovery;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A hash table on flash, from keys to small values: far larger than memory, with puts at the speed
 * of memory, and a lookup that reads one page. Its flash is a ring of fixed size: the oldest
 * entries go when new ones need their place.
 *
 * <p>Keys are {@code byte[]} ({@link BufferHashOptions#ofKeys}), or 64-bit fingerprints ({@link
 * BufferHashOptions#ofFingerprints}); values are {@code byte[]} up to a length that is chosen when
 * the directory is made.
 *
 * <p>The guarantee: {@link #get} answers what was put last, or null if the key was deleted last,
 * was never put, or was {@link Eviction evicted}. It never answers an older value, nor one of
 * another key; in a table of fingerprints two keys with the same fingerprint are one key.
 *
 * <p>Damage: every page has a checksum. A lookup that has to look at a damaged page, or one that
 * cannot be read, throws: there may be the newest value of the key on it, so that neither an older
 * one nor null would be right. Keys with a newer value, in a buffer or a newer incarnation, are
 * answered as ever; so {@link #put} and {@link #delete} mend a key. If the pages that describe an
 * incarnation are damaged, nobody knows what keys it had, and all lookups of its super table fail
 * that find nothing newer. The damage is gone when the ring has come round. {@link #statistics}
 * counts these lookups.
 *
 * <p>A crash loses what is in buffers, unless a {@link Durability} is asked for that logs it.
 * Incarnations stay.
 *
 * <p>Cost: a put copies key and value into a buffer, some 100 to 200 ns, and its share of sorting,
 * filtering and writing in another thread. It waits if that thread does not keep up, or writes this
 * very super table's last buffer still; never for a write that is another one's while there are
 * spare buffers. A lookup reads one page for each incarnation whose filter says maybe: a hit 1 +
 * rate at most, a miss the rate, where the rate is {@link BufferHashLayout#falseReadsPerLookup}. It
 * allocates the value, and per page read a few small objects for the request. Entries are written
 * once, in requests of whole erase blocks.
 *
 * <p>Thread-safe. Operations on one super table take turns, but not while one reads flash. One
 * table at a time has a directory, in this process and in any other.
 *
 * <p>Anand, Muthukrishnan, Kappes, Akella and Nath, "Cheap and Large CAMs for High Performance
 * Data-Intensive Networked Systems", NSDI 2010: BufferHash. Deviations: incarnations are sorted by
 * hash instead of being images of hash tables, so that pages are full and entries may have any
 * length; buffers are written behind, with one fsync for several; slots of all super tables follow
 * each other round by round, so that the drive is overwritten in order; Ribbon filters as another
 * choice.
 */
public final class BufferHash implements Closeable {
  private final OpenTable table;
  private final DirectoryLock lock;
  private final TableLookups lookups;

  /** Set once, before anybody else has the table. */
  private Writes writes;

  private BufferHash(OpenTable table, DirectoryLock lock) {
    this.table = table;
    this.lock = lock;
    this.lookups = new TableLookups(table);
  }

  /**
   * Opens a directory, which is made if it is not there or empty. What logs have is taken in.
   *
   * <p>Cost: a request for each incarnation, and a buffer's worth of reads per super table. Filters
   * are read with that, or made anew from all pages if they are now to be of another kind or size.
   *
   * @throws IOException if it cannot be read or written, or is open already
   * @throws FilterFormatException if its manifest, its table or a log is damaged or of another
   *     version
   * @throws IllegalArgumentException if the options are not those that it was made with, or memory
   *     is too small
   */
  public static BufferHash open(Path directory, BufferHashOptions options) throws IOException {
    BufferHashDirectory.make(options.access, directory);
    DirectoryLock lock = DirectoryLock.of(directory);
    BufferHash opened = null;
    try {
      Geometry geometry = BufferHashDirectory.readOrBegin(directory, options);
      OpenTable table = new OpenTable(directory, geometry, options, true);
      opened = new BufferHash(table, lock);
      LogRecovery logs = Writes.surveyLogs(table);
      opened.writes = Writes.of(table, logs);
      opened.writes.begin(logs);
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      try (lock) {
        if (opened != null) {
          opened.stop();
        }
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /**
   * Opens a directory that is there, as it was made, with what else options have by default.
   *
   * @throws FilterFormatException as {@link #open(Path, BufferHashOptions)}, or if there is none
   */
  public static BufferHash open(Path directory) throws IOException {
    FlashDirectory.checkHas(
        directory,
        BufferHashDirectory.MANIFEST,
        BufferHashDirectory.WHAT,
        "give the path of one, or options to make one");
    return open(directory, optionsOf(BufferHashDirectory.read(directory)));
  }

  /** What a directory was made with, and defaults. */
  static BufferHashOptions optionsOf(Geometry geometry) {
    return geometry.keyed
        ? BufferHashOptions.ofKeys(geometry.maxKeyBytes, geometry.maxValueBytes)
        : BufferHashOptions.ofFingerprints(geometry.maxValueBytes);
  }

  // ---- Puts and deletes ----

  /**
   * Puts a value for a fingerprint, over the one that is there.
   *
   * @throws IllegalStateException in a table of {@code byte[]} keys
   * @throws IllegalArgumentException if the value is too long
   * @throws IOException if it cannot be logged, or there is no place for it since buffers cannot be
   *     written; then it is not in, and what was put before is. After a failed fsync of the log it
   *     may be in at the next opening
   */
  public void put(long fingerprint, byte[] value) throws IOException {
    table.checkFingerprints();
    writes.apply(fingerprint, null, checkedValue(value));
  }

  /**
   * Puts a value for a key, over the one that is there. In a table of fingerprints the key's
   * fingerprint is its XXH3 hash.
   *
   * @throws IllegalArgumentException if key or value are too long
   * @throws IOException as {@link #put(long, byte[])}
   */
  public void put(byte[] key, byte[] value) throws IOException {
    checkKey(key);
    writes.apply(OpenTable.hash(key), table.kept(key), checkedValue(value));
  }

  /**
   * Deletes a fingerprint, if it is there.
   *
   * @throws IOException as {@link #put(long, byte[])}
   */
  public void delete(long fingerprint) throws IOException {
    table.checkFingerprints();
    writes.apply(fingerprint, null, null);
  }

  /**
   * Deletes a key, if it is there.
   *
   * @throws IOException as {@link #put(long, byte[])}
   */
  public void delete(byte[] key) throws IOException {
    checkKey(key);
    writes.apply(OpenTable.hash(key), table.kept(key), null);
  }

  /**
   * Returns when everything that was put and deleted before is safe from a crash of the process and
   * of the machine: by an fsync of the log, or, with {@link Durability#NONE}, by writing all
   * buffers to flash. That writes an incarnation for each super table, however little is in its
   * buffer, and evicts as many: do it seldom.
   *
   * @throws IOException if that is not so. After a failed fsync it never is, since nobody knows
   *     what the drive has: close the table, see to the drive, and open it again
   */
  public void sync() throws IOException {
    table.checkOpen();
    makeSafe();
  }

  private void makeSafe() throws IOException {
    writes.makeSafe();
    lock.check();
  }

  // ---- Lookups ----

  /**
   * The value of a fingerprint, or null if it has none.
   *
   * @throws IllegalStateException in a table of {@code byte[]} keys
   * @throws IOException if a page that may have it cannot be read; {@link DamagedPageException} if
   *     it is damaged
   */
  public byte[] get(long fingerprint) throws IOException {
    table.checkFingerprints();
    table.checkOpen();
    return lookups.get(fingerprint, null);
  }

  /**
   * The value of a key, or null if it has none.
   *
   * @throws IOException as {@link #get(long)}
   */
  public byte[] get(byte[] key) throws IOException {
    checkKey(key);
    table.checkOpen();
    return lookups.get(OpenTable.hash(key), table.kept(key));
  }

  /**
   * The values of {@code count} fingerprints, from {@code fingerprints[from]} on; null for those
   * that have none. Several pages are read at once, which a drive answers several times faster than
   * one by one.
   *
   * @throws IOException as {@link #get(long)}, if it is so for one of them
   */
  public byte[][] get(long[] fingerprints, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, fingerprints.length);
    table.checkFingerprints();
    table.checkOpen();
    return lookups.get(i -> fingerprints[from + i], i -> null, count);
  }

  /**
   * The values of keys, as {@link #get(long[], int, int)}.
   *
   * @throws IOException as {@link #get(long)}, if it is so for one of them
   */
  public byte[][] get(List<byte[]> keys) throws IOException {
    keys.forEach(this::checkKey);
    table.checkOpen();
    return lookups.get(i -> OpenTable.hash(keys.get(i)), i -> table.kept(keys.get(i)), keys.size());
  }

  // ---- Arguments ----

  private void checkKey(byte[] key) {
    Objects.requireNonNull(key, "key");
    if (table.geometry.keyed && key.length > table.geometry.maxKeyBytes) {
      throw new IllegalArgumentException(
          "a key of " + key.length + " bytes, must be at most " + table.geometry.maxKeyBytes);
    }
  }

  private byte[] checkedValue(byte[] value) {
    Objects.requireNonNull(value, "value");
    if (value.length > table.geometry.maxValueBytes) {
      throw new IllegalArgumentException(
          "a value of " + value.length + " bytes, must be at most " + table.geometry.maxValueBytes);
    }
    return value;
  }

  // ---- While it runs ----

  /**
   * Goes on without what is damaged: pages that cannot be read any more count as empty. Lookups
   * that failed because of them answer again. Put anew what these pages may have had: of a key
   * whose newest value was there an older one may be answered until then, or none. It reads all
   * pages of the table, and writes wait meanwhile.
   *
   * @return how many pages were forgotten; 0 if nothing is damaged
   * @throws IOException if a page cannot be written, or the drive does not give one
   */
  public long forgetLost() throws IOException {
    table.checkOpen();
    return writes.writer.forgetLost();
  }

  /** How flash and memory are divided. */
  public BufferHashLayout layout() {
    return table.checkOpen().layout;
  }

  /** Waits until all buffers that are full are written, but for those that cannot be. */
  public void awaitWrites() {
    table.checkOpen();
    writes.queue.awaitIdle();
  }

  /** How the table is now, and what it did since it was opened. */
  public FlashStatistics<BufferHashCount> statistics() {
    return table.checkOpen().statistics();
  }

  /** The layout, as people read it. */
  @Override
  public String toString() {
    return table.layout.toString();
  }

  /**
   * Syncs, and lets go of the directory.
   *
   * @throws IOException if the sync failed; the table is closed all the same
   */
  @Override
  public void close() throws IOException {
    if (!table.beginClose()) {
      return;
    }
    try {
      makeSafe();
      writes.markClosed();
    } finally {
      try (lock) {
        stop();
      }
    }
  }

  private void stop() throws IOException {
    Writes ended = writes;
    try (table;
        ended) {
      lookups.close();
    }
  }
}
