package io.winnow.flash.bufferhash;

import io.winnow.flash.drive.Pool;
import io.winnow.flash.drive.ReadThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/** Lookups of keys in a BufferHash: in the buffers, then in the incarnations from the newest on. */
final class TableLookups implements Closeable {
  /**
   * Number of threads that read pages for a batch of keys: as many requests as a drive handles at
   * the same time.
   */
  private static final int THREADS = 16;

  private final OpenTable table;

  /** Pool of readers of pages, as many as there were simultaneous lookups. */
  private final Pool<PageReader> readers;

  private final ReadThreads threads;

  TableLookups(OpenTable table) {
    this.table = table;
    this.readers =
        new Pool<>(
            Integer.MAX_VALUE,
            () -> new PageReader(table.geometry, table.file.store, table.counters),
            PageReader::close);
    this.threads = new ReadThreads(table.directory.threadName("read"), THREADS);
  }

  /** Returns the value of a key in the BufferHash, or null if it has none. */
  byte[] get(long hash, byte[] key) throws IOException {
    table.counters.count(BufferHashCount.LOOKUPS);
    SuperTable superTable = table.superTable(hash);
    byte[] value = superTable.find(hash, key, null);
    boolean inMemory = value != Records.NOT_HERE;
    if (!inMemory) {
      value = onFlash(superTable, hash, key);
    }
    if (value == null || value == Records.DELETED || value == Records.NOT_HERE) {
      return null;
    }
    table.counters.count(BufferHashCount.HITS);
    if (inMemory) {
      table.counters.count(BufferHashCount.HITS_IN_MEMORY);
    }
    return value;
  }

  /** Returns the values of several keys, whose pages several threads read. */
  byte[][] get(IntToLongFunction hashes, IntFunction<byte[]> keys, int count) throws IOException {
    byte[][] values = new byte[count][];
    threads.run(count, (thread, i) -> values[i] = get(hashes.applyAsLong(i), keys.apply(i)));
    return values;
  }

  /** Returns the value of a key in the incarnations on flash. */
  private byte[] onFlash(SuperTable superTable, long hash, byte[] key) throws IOException {
    PageReader reader = readers.take();
    try {
      while (true) {
        byte[] value = superTable.find(hash, key, reader);
        if (value != Records.NOT_HERE) {
          return value;
        }
        value = reader.find(hash, key);
        if (value != null) {
          reinsertIfOld(superTable, hash, key, value, reader);
          return value;
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      table.counters.count(BufferHashCount.FAILED_LOOKUPS);
      table.counters.recordFailure(e);
      throw e;
    } finally {
      readers.putBack(reader);
    }
  }

  /**
   * Puts an old entry that a lookup found back into a buffer, if the configured eviction requires
   * it.
   */
  private void reinsertIfOld(
      SuperTable superTable, long hash, byte[] key, byte[] value, PageReader reader) {
    if (table.options.eviction.reinsertsOnUse()
        && value != Records.DELETED
        && value != Records.NOT_HERE
        && reader.foundAge >= table.geometry.slots / 2
        && superTable.reinsert(hash, key, value, reader.changes)) {
      table.counters.count(BufferHashCount.REINSERTED);
    }
  }

  @Override
  public void close() {
    threads.close();
    readers.close();
  }
}
