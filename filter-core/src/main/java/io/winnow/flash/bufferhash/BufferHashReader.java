package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.drive.Opening;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.FlashStatistics;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * A read-only view of a {@link BufferHash}'s directory. It takes no lock and changes no file, so it
 * works on a read-only file system. It needs no options: the manifest has them.
 *
 * <p>The guarantee is that of {@link BufferHash#get} for the entries at the opening. No table may
 * have the directory open then. If one opens it later and writes, lookups here of overwritten
 * entries throw.
 *
 * <p>Cost: a lookup costs the same as the table's. In memory are its filters, and the entries in
 * logs.
 *
 * <p>Thread-safe.
 */
public final class BufferHashReader implements Closeable {
  private final OpenTable table;
  private final TableLookups lookups;

  /**
   * Entries in logs that have not reached the table's file, by their keys; a delete is {@link
   * Records#DELETED}.
   */
  private final Map<ByteBuffer, byte[]> logged = new HashMap<>();

  private BufferHashReader(OpenTable table) {
    this.table = table;
    this.lookups = new TableLookups(table);
  }

  /**
   * Opens a BufferHash's directory for reading.
   *
   * @throws IOException if it cannot be read, or a table has it open
   * @throws FilterFormatException if it is not a BufferHash's directory, or its manifest, its table
   *     or a log is damaged or of another version
   */
  public static BufferHashReader open(Path directory) throws IOException {
    FlashDirectory files = BufferHashDirectory.KIND.read(FileAccess.SYSTEM, directory);
    Geometry geometry = BufferHashDirectory.read(directory);
    BufferHashOptions options = BufferHashDirectory.optionsOf(geometry).directIo(false);
    BufferHashReader reader = new BufferHashReader(new OpenTable(files, geometry, options));
    return Opening.orClose(reader, reader::load);
  }

  private BufferHashReader load() throws IOException {
    LogRecovery logs = table.surveyLogs();
    Recovery.run(table, false);
    logs.replay(this::load);
    return this;
  }

  private void load(long operation, ByteBuffer block, int at) {
    long hash = Records.hash(block, at);
    if (operation > table.superTable(hash).lastOperation()) {
      byte[] key = Records.key(block, at, table.geometry);
      logged.put(entry(hash, key), Records.value(block, at));
    }
  }

  /**
   * Returns the map key under which a logged entry is kept, for a key of the table or the
   * fingerprint that replaces it.
   */
  private static ByteBuffer entry(long hash, byte[] key) {
    return key == null ? ByteBuffer.allocate(Long.BYTES).putLong(0, hash) : ByteBuffer.wrap(key);
  }

  // ---- Lookups ----

  /** Returns the value of a fingerprint in the table, as {@link BufferHash#get(long)}. */
  public byte[] get(long fingerprint) throws IOException {
    table.checkFingerprints();
    return find(fingerprint, null);
  }

  /** Returns the value of a key in the table, as {@link BufferHash#get(byte[])}. */
  public byte[] get(byte[] key) throws IOException {
    return find(OpenTable.hash(key), table.stored(key));
  }

  private byte[] find(long hash, byte[] key) throws IOException {
    table.checkOpen();
    byte[] value = logged.get(entry(hash, key));
    if (value != null) {
      return value == Records.DELETED ? null : value.clone();
    }
    return lookups.get(hash, key);
  }

  // ---- Properties ----

  /** Returns the path of the BufferHash's directory. */
  public Path path() {
    return table.checkOpen().directory.path;
  }

  /** Returns whether the table's keys are {@code byte[]}; otherwise they are fingerprints. */
  public boolean keyed() {
    return table.checkOpen().geometry.keyed;
  }

  /** Returns the division of the table's flash, and of this reader's memory. */
  public BufferHashLayout layout() {
    return table.checkOpen().layout;
  }

  /**
   * Returns the number of pages of all incarnations (written buffers), including their index pages.
   */
  public long pages() {
    long pages = 0;
    for (SuperTable superTable : table.checkOpen().superTables) {
      for (int slot = 0; slot < table.geometry.slots; slot++) {
        Incarnation there = superTable.incarnation(slot);
        pages += there == null || there.isLost() ? 0 : table.geometry.indexPages + there.pages();
      }
    }
    return pages;
  }

  /** Returns the state of the table, and the counters of this reader's lookups. */
  public FlashStatistics<BufferHashCount> statistics() {
    return table.checkOpen().statistics();
  }

  /**
   * Returns the number of keys whose puts or deletes are only in logs, not yet in the table's file.
   */
  public long logged() {
    table.checkOpen();
    return logged.size();
  }

  /**
   * Reads and checks all pages of the table: the marks of durable incarnations, and each page's
   * checksum, place and records.
   *
   * @param pagesRead receives the number of pages read since the last call
   * @return the damage found, empty if there is none
   */
  public List<DamagedPageException> verify(LongConsumer pagesRead) throws IOException {
    table.checkOpen();
    List<DamagedPageException> found = new ArrayList<>(table.file.verify());
    try (PageReader reader = new PageReader(table.geometry, table.file.store, table.counters)) {
      for (SuperTable superTable : table.superTables) {
        for (int slot = 0; slot < table.geometry.slots; slot++) {
          Incarnation there = superTable.incarnation(slot);
          if (there != null && there.isLost()) {
            found.add(
                table.file.store.damaged(
                    there.page(0), "the keys of this incarnation are unknown"));
          } else if (there != null) {
            long index = table.geometry.firstPage(superTable.number, slot);
            found.addAll( // a damaged index was replaced from the data pages at the opening
                PageStore.damaged(
                    index,
                    index + table.geometry.indexPages,
                    page -> table.file.store.read(page, reader.frame)));
            found.addAll(reader.verify(there));
            pagesRead.accept(table.geometry.indexPages + there.pages());
          }
        }
      }
    }
    return found;
  }

  @Override
  public void close() throws IOException {
    if (table.directory.beginClose()) {
      try (table) {
        lookups.close();
      }
    }
  }

  @Override
  public String toString() {
    return table.directory.toString();
  }
}
