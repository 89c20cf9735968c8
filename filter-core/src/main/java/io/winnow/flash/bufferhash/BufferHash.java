package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.drive.Opening;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.Durability;
import io.winnow.flash.store.FlashStatistics;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A hash table on flash, from keys to small values. It is far larger than memory, takes puts at the
 * speed of memory, and a lookup reads one page. Its flash is a ring of fixed size: new entries
 * overwrite the oldest ones.
 *
 * <p>Keys are {@code byte[]} ({@link BufferHashOptions#ofKeys}), or 64-bit fingerprints ({@link
 * BufferHashOptions#ofFingerprints}); values are {@code byte[]} up to a length that is fixed when
 * the directory is created.
 *
 * <p>The guarantee: {@link #get} returns the value that was put last, or null if the key was
 * deleted last, was never put, or was {@link Eviction evicted}. It never returns an older value,
 * nor that of another key; in a table of fingerprints two keys with the same fingerprint are one
 * key.
 *
 * <p>Damage: every page has a checksum. A lookup that needs a damaged page, or one that cannot be
 * read, throws: the page may have the newest value of the key, so neither an older value nor null
 * would be right. Keys with a newer value, in a buffer or a newer incarnation, are not affected; so
 * a {@link #put} or {@link #delete} repairs a key. If the pages that describe an incarnation are
 * damaged, its keys are unknown, and all lookups in its super table that find nothing newer fail.
 * The damage ends when the ring overwrites the pages. {@link #statistics} counts these lookups.
 *
 * <p>A crash loses the entries in buffers, unless a {@link Durability} is set that logs them.
 * Incarnations stay.
 *
 * <p>Cost: a put copies key and value into a buffer, which takes 100 to 200 ns; another thread
 * sorts, filters and writes. A put waits if that thread does not keep up, or still writes the last
 * buffer of the same super table; it does not wait for the buffers of others while there are spare
 * ones. A lookup reads one page for each incarnation whose filter answers maybe: a hit reads at
 * most 1 + rate pages, a miss rate pages, where the rate is {@link
 * BufferHashLayout#falseReadsPerLookup}. It allocates the value, and a few small objects per page
 * read. Entries are written once, in requests of whole erase blocks.
 *
 * <p>Thread-safe. Operations on one super table take turns, except while they read flash. Only one
 * table at a time can own a directory, in all processes.
 *
 * <p>Anand, Muthukrishnan, Kappes, Akella and Nath, "Cheap and Large CAMs for High Performance
 * Data-Intensive Networked Systems", NSDI 2010: BufferHash. Deviations: incarnations are sorted by
 * hash instead of being images of hash tables, so that pages are full and entries may have any
 * length; buffers are written in the background, with one fsync for several; the slots of all super
 * tables follow each other round by round, so that the drive is overwritten in order; Ribbon
 * filters can be used instead.
 */
public final class BufferHash implements Closeable {
  private final OpenTable table;
  private final TableLookups lookups;

  /**
   * Write path of the table: buffers, logs and the thread that writes buffers to flash. It is set
   * once, before other threads have the table.
   */
  private Writes writes;

  private BufferHash(OpenTable table) {
    this.table = table;
    this.lookups = new TableLookups(table);
  }

  /**
   * Opens the BufferHash in a directory, and creates one if the directory is missing or empty.
   * Operations in logs are applied.
   *
   * <p>Cost: one request for each incarnation, and a buffer's worth of reads per super table.
   * Filters are read with that, or built from all pages if their type or size has changed.
   *
   * @throws IOException if the directory cannot be read or written, or is open already
   * @throws FilterFormatException if its manifest, its table or a log is damaged or of another
   *     version
   * @throws IllegalArgumentException if the table was created with other options that cannot
   *     change, or the memory is too small
   */
  public static BufferHash open(Path directory, BufferHashOptions options) throws IOException {
    FlashDirectory files = BufferHashDirectory.KIND.open(options.access, directory);
    BufferHash opened =
        Opening.orClose(
            files,
            () -> {
              Geometry geometry = BufferHashDirectory.readOrBegin(files, options);
              return new BufferHash(new OpenTable(files, geometry, options));
            });
    return Opening.orClose(opened::stop, opened::recover);
  }

  /** Recovers the incarnations on flash and the operations in the logs. Returns this table. */
  private BufferHash recover() throws IOException {
    LogRecovery logs = table.surveyLogs();
    writes = Writes.of(table, logs);
    writes.begin(logs);
    return this;
  }

  /**
   * Opens the BufferHash in an existing directory with the options that it was created with, and
   * defaults for the others.
   *
   * @throws FilterFormatException as {@link #open(Path, BufferHashOptions)}, or if there is no
   *     table
   */
  public static BufferHash open(Path directory) throws IOException {
    BufferHashDirectory.KIND.checkHas(directory);
    return open(directory, BufferHashDirectory.optionsOf(BufferHashDirectory.read(directory)));
  }

  // ---- Puts and deletes ----

  /**
   * Stores a value for a fingerprint, and replaces an existing one.
   *
   * @throws IllegalStateException in a table of {@code byte[]} keys
   * @throws IllegalArgumentException if the value is too long
   * @throws IOException if the operation cannot be logged, or there is no room because buffers
   *     cannot be written. The value is not put then; earlier ones are unchanged. If only the fsync
   *     of the log fails, lookups find the value, and the next opening may not have it
   */
  public void put(long fingerprint, byte[] value) throws IOException {
    table.checkFingerprints();
    writes.apply(fingerprint, null, checkedValue(value));
  }

  /**
   * Stores a value for a key, and replaces an existing one. In a table of fingerprints the key's
   * fingerprint is its XXH3 hash.
   *
   * @throws IllegalArgumentException if key or value are too long
   * @throws IOException as {@link #put(long, byte[])}
   */
  public void put(byte[] key, byte[] value) throws IOException {
    checkKey(key);
    writes.apply(OpenTable.hash(key), table.stored(key), checkedValue(value));
  }

  /**
   * Deletes a fingerprint and its value, if the table has it.
   *
   * @throws IOException as {@link #put(long, byte[])}
   */
  public void delete(long fingerprint) throws IOException {
    table.checkFingerprints();
    writes.apply(fingerprint, null, null);
  }

  /**
   * Deletes a key and its value, if the table has it.
   *
   * @throws IOException as {@link #put(long, byte[])}
   */
  public void delete(byte[] key) throws IOException {
    checkKey(key);
    writes.apply(OpenTable.hash(key), table.stored(key), null);
  }

  /**
   * Waits until all earlier puts and deletes are safe from a crash of the process and of the
   * machine: by an fsync of the log or, with {@link Durability#NONE}, by writing all buffers to
   * flash. The latter writes an incarnation for each super table, however little its buffer has,
   * and evicts as many: do it rarely.
   *
   * @throws IOException if they are not safe. After a failed fsync all later calls fail, because
   *     the content of the drive is unknown: close the table, check the drive, and open it again
   */
  public void sync() throws IOException {
    table.checkOpen();
    syncAndCheck();
  }

  private void syncAndCheck() throws IOException {
    writes.sync();
    table.directory.checkOwned();
  }

  // ---- Lookups ----

  /**
   * Returns the value of a fingerprint, or null if the table has none.
   *
   * @throws IllegalStateException in a table of {@code byte[]} keys
   * @throws IOException if a page that may have it cannot be read; {@link DamagedPageException} if
   *     the page is damaged
   */
  public byte[] get(long fingerprint) throws IOException {
    table.checkFingerprints();
    table.checkOpen();
    return lookups.get(fingerprint, null);
  }

  /**
   * Returns the value of a key, or null if the table has none.
   *
   * @throws IOException as {@link #get(long)}
   */
  public byte[] get(byte[] key) throws IOException {
    checkKey(key);
    table.checkOpen();
    return lookups.get(OpenTable.hash(key), table.stored(key));
  }

  /**
   * Returns the values of several fingerprints, with null for those that have none. Several pages
   * are read at the same time, which a drive does several times faster than one by one.
   *
   * @throws IOException as {@link #get(long)}, if one of the lookups fails
   */
  public byte[][] get(long[] fingerprints, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, fingerprints.length);
    table.checkFingerprints();
    table.checkOpen();
    return lookups.get(i -> fingerprints[from + i], i -> null, count);
  }

  /**
   * Returns the values of several keys, with null for those that have none (see {@link #get(long[],
   * int, int)}).
   *
   * @throws IOException as {@link #get(long)}, if one of the lookups fails
   */
  public byte[][] get(List<byte[]> keys) throws IOException {
    keys.forEach(this::checkKey);
    table.checkOpen();
    return lookups.get(
        i -> OpenTable.hash(keys.get(i)), i -> table.stored(keys.get(i)), keys.size());
  }

  // ---- Arguments ----

  /** Checks that a key is not longer than the table allows. */
  private void checkKey(byte[] key) {
    Objects.requireNonNull(key, "key");
    if (table.geometry.keyed && key.length > table.geometry.maxKeyBytes) {
      throw new IllegalArgumentException(
          "a key of " + key.length + " bytes, must be at most " + table.geometry.maxKeyBytes);
    }
  }

  /** Checks that a value is not longer than the table allows, and returns it. */
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
   * Gives up the damaged pages of the BufferHash, which then count as empty. Lookups that failed
   * because of them succeed again. Put the entries that these pages may have had again: until then
   * a key whose newest value was there may have an older value, or none. This reads all pages of
   * the table; writes wait meanwhile.
   *
   * @return the number of pages that were given up; 0 if nothing is damaged
   * @throws IOException if a page cannot be written, or the drive cannot read one
   */
  public long forgetLost() throws IOException {
    table.checkOpen();
    return writes.writer.forgetLost();
  }

  /** Returns the table's division of flash and memory into buffers, filters and incarnations. */
  public BufferHashLayout layout() {
    return table.checkOpen().layout;
  }

  /** Waits until all full buffers are written to flash, except those that cannot be. */
  public void awaitWrites() {
    table.checkOpen();
    writes.queue.awaitIdle();
  }

  /** Returns the state of the table, and its counters since it was opened. */
  public FlashStatistics<BufferHashCount> statistics() {
    return table.checkOpen().statistics();
  }

  @Override
  public String toString() {
    return table.directory.toString();
  }

  /**
   * Syncs the table, closes it and releases its directory.
   *
   * @throws IOException if the sync failed; the table is closed anyway
   */
  @Override
  public void close() throws IOException {
    if (!table.directory.beginClose()) {
      return; // a put that holds a super table's monitor ends before its buffer is frozen
    }
    try {
      syncAndCheck();
      writes.markClosed();
    } finally {
      stop();
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
