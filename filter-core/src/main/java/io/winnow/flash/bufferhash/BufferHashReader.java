package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.Damage;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.DirectoryLock;
import io.winnow.flash.store.FlashDirectory;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.LogRecovery;
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
 * A {@link BufferHash}'s directory, to be read. It takes no lock and changes no file, so it works
 * on a read-only file system, and needs no options: the manifest has them.
 *
 * <p>The guarantee is that of {@link BufferHash#get}, for what was there at the opening. Nobody may
 * have the directory open then. If somebody opens it later and writes, lookups here of what was
 * overwritten throw.
 *
 * <p>Cost: a lookup is that of the table. In memory are its filters, and what the logs have.
 *
 * <p>Thread-safe.
 */
public final class BufferHashReader implements Closeable {
  private final Geometry geometry;
  private final OpenTable table;
  private final TableLookups lookups;

  /** What logs have that is in no incarnation; a delete is {@link Records#DELETED}. */
  private final Map<ByteBuffer, byte[]> logged = new HashMap<>();

  private BufferHashReader(OpenTable table) {
    this.table = table;
    this.geometry = table.geometry;
    this.lookups = new TableLookups(table);
  }

  /**
   * Opens a directory.
   *
   * @throws IOException if it cannot be read, or somebody has it open
   * @throws FilterFormatException if it is none of a BufferHash, or its manifest, its table or a
   *     log is damaged or of another version
   */
  public static BufferHashReader open(Path directory) throws IOException {
    FlashDirectory.checkHas(
        directory, BufferHashDirectory.MANIFEST, BufferHashDirectory.WHAT, "give the path of one");
    DirectoryLock.checkNotOpen(directory);
    Geometry geometry = BufferHashDirectory.read(directory);
    BufferHashOptions options = BufferHash.optionsOf(geometry).directIo(false);
    BufferHashReader reader =
        new BufferHashReader(new OpenTable(directory, geometry, options, false));
    try {
      reader.take();
      return reader;
    } catch (IOException | RuntimeException | Error e) {
      reader.close();
      throw e;
    }
  }

  private void take() throws IOException {
    try (LogRecovery logs = Writes.surveyLogs(table)) {
      Recovery.run(table, false);
      for (int i = 0; i < logs.logs().size(); i++) {
        logs.replay(i, this::take);
      }
    }
  }

  private void take(long operation, ByteBuffer block, int at) {
    long hash = Records.hash(block, at);
    if (operation > table.superTable(hash).lastOperation()) {
      byte[] key = Records.key(block, at, geometry);
      logged.put(entry(hash, key), Records.value(block, at));
    }
  }

  private static ByteBuffer entry(long hash, byte[] key) {
    return key == null ? ByteBuffer.allocate(Long.BYTES).putLong(0, hash) : ByteBuffer.wrap(key);
  }

  // ---- Lookups ----

  /** As {@link BufferHash#get(long)}. */
  public byte[] get(long fingerprint) throws IOException {
    table.checkFingerprints();
    return find(fingerprint, null);
  }

  /** As {@link BufferHash#get(byte[])}. */
  public byte[] get(byte[] key) throws IOException {
    return find(OpenTable.hash(key), table.kept(key));
  }

  private byte[] find(long hash, byte[] key) throws IOException {
    table.checkOpen();
    byte[] value = logged.get(entry(hash, key));
    if (value != null) {
      return value == Records.DELETED ? null : value.clone();
    }
    return lookups.get(hash, key);
  }

  // ---- What it is ----

  public Path path() {
    return table.checkOpen().directory;
  }

  /** Whether keys are {@code byte[]}, and not fingerprints. */
  public boolean keyed() {
    return table.checkOpen().geometry.keyed;
  }

  /** How flash is divided, and the memory of this reader. */
  public BufferHashLayout layout() {
    return table.checkOpen().layout;
  }

  /** Pages of all incarnations, those of their indices included. */
  public long pages() {
    long pages = 0;
    for (SuperTable superTable : table.checkOpen().superTables) {
      for (int slot = 0; slot < geometry.slots; slot++) {
        Incarnation there = superTable.incarnation(slot);
        pages += there == null || there.isLost() ? 0 : geometry.indexPages + there.pages();
      }
    }
    return pages;
  }

  /** The state of the table, and the counts of this reader. */
  public FlashStatistics<BufferHashCount> statistics() {
    return table.checkOpen().statistics();
  }

  /** Keys that were put or deleted in logs, and are in no incarnation. */
  public long logged() {
    table.checkOpen();
    return logged.size();
  }

  /**
   * Reads both marks and all pages of all incarnations, and checks them: their checksums, that each
   * is a page of this table, of its place and of its incarnation, and that records fit.
   *
   * @param pagesRead is told how many more were read, now and then
   * @return what is wrong
   */
  public List<Damage> verify(LongConsumer pagesRead) throws IOException {
    table.checkOpen();
    String name = table.file.store.name();
    List<Damage> found = new ArrayList<>(table.file.verify());
    try (PageReader reader = new PageReader(geometry, table.file.store, table.counters)) {
      for (SuperTable superTable : table.superTables) {
        for (int slot = 0; slot < geometry.slots; slot++) {
          Incarnation there = superTable.incarnation(slot);
          if (there != null && there.isLost()) {
            found.add(
                new Damage(name, there.page(0), "nobody knows what keys this incarnation had"));
          } else if (there != null) {
            verifyIndex(geometry.firstPage(superTable.number, slot), reader, found);
            found.addAll(reader.verify(there));
            pagesRead.accept(geometry.indexPages + there.pages());
          }
        }
      }
    }
    return found;
  }

  /** One that is damaged was made anew from the data pages when this was opened. */
  private void verifyIndex(long firstPage, PageReader reader, List<Damage> found)
      throws IOException {
    for (int i = 0; i < geometry.indexPages; i++) {
      try {
        table.file.store.read(firstPage + i, reader.frame);
      } catch (DamagedPageException e) {
        found.add(Damage.of(e.file(), firstPage + i, e));
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (table.beginClose()) {
      try (table) {
        lookups.close();
      }
    }
  }
}
