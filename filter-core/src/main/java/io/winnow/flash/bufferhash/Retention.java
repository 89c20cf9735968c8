package io.winnow.flash.bufferhash;

import io.winnow.flash.drive.FlashCounters;
import io.winnow.flash.drive.PageFrame;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Partial discard: reads the incarnation that is about to be evicted, and puts back into a buffer
 * those entries that have priority and are the newest of their keys.
 *
 * <p>Only the thread that writes incarnations uses it, except for {@link #draining}.
 */
final class Retention implements Closeable {
  private final OpenTable table;
  private final TableLog logs;
  private final PageReader evicted;
  private final PageReader newer;

  /**
   * Is true while a sync writes all buffers and must leave none with entries: meanwhile an entry is
   * retained only if it fits into the buffer that is being written.
   */
  volatile boolean draining;

  Retention(OpenTable table, TableLog logs) {
    this.table = table;
    this.logs = logs;
    FlashCounters<BufferHashCount> unused = new FlashCounters<>(BufferHashCount.class);
    this.evicted = new PageReader(table.geometry, table.file.store, unused);
    this.newer = new PageReader(table.geometry, table.file.store, unused);
  }

  /**
   * Puts those entries of a super table's oldest incarnation back into a buffer that should stay.
   */
  void retain(SuperTable superTable, int slot, Incarnation oldest) throws IOException {
    boolean any = false;
    PageFrame frame = evicted.frame;
    ByteBuffer bytes = frame.bytes;
    for (int page = 0; page < oldest.pages(); page++) {
      try {
        evicted.read(oldest, page);
      } catch (IOException e) {
        table.counters.recordFailure(e);
        table.counters.count(BufferHashCount.NOT_RETAINED); // at least one entry
        continue;
      }
      int at = TablePage.payload(frame, 0);
      for (int left = TablePage.number(frame, 0); left > 0; left--) {
        if (!Records.isDelete(bytes, at)) {
          any |=
              retain(
                  superTable,
                  slot,
                  Records.hash(bytes, at),
                  Records.key(bytes, at, table.geometry),
                  Records.value(bytes, at));
        }
        at += Records.bytes(bytes, at);
      }
    }
    if (any && logs.isLogging()) {
      logs.force(); // the durable copy is about to be overwritten
    }
  }

  /**
   * Puts an entry of the oldest incarnation back into a buffer if it has priority and is the newest
   * of its key.
   *
   * @return whether it must be durable before its old copy is overwritten
   */
  private boolean retain(SuperTable superTable, int slot, long hash, byte[] key, byte[] value)
      throws IOException {
    if (!table.options.eviction.priority.isHigh(hash, key, value)) {
      return false;
    }
    synchronized (superTable) {
      if (superTable.isInBuffers(hash, key)) {
        return true; // it may be from a failed attempt, and must be durable too
      }
      if (!superTable.mayBeOnFlash(hash, slot, newer)) {
        return putBack(superTable, hash, key, value);
      }
    }
    try {
      if (newer.find(hash, key) != Records.NOT_HERE) {
        return false;
      }
    } catch (IOException e) {
      table.counters.recordFailure(e);
      table.counters.count(BufferHashCount.NOT_RETAINED);
      return false; // the newer entries cannot be read: this one may be too old
    }
    synchronized (superTable) {
      return !superTable.isInBuffers(hash, key) && putBack(superTable, hash, key, value);
    }
  }

  /**
   * Puts an entry of an evicted incarnation back into the buffer that is being written, or into
   * half of the active one.
   *
   * @return false if there is no room
   */
  private boolean putBack(SuperTable superTable, long hash, byte[] key, byte[] value)
      throws IOException {
    int bytes = Records.bytes(key, value);
    boolean withTheRest = superTable.frozen.hasRoom(bytes);
    if (!withTheRest && (draining || !superTable.hasRoomToRetain(bytes))) {
      table.counters.count(BufferHashCount.NOT_RETAINED);
      return false;
    }
    long number = logs.number();
    long operation = logs.append(hash, key, value);
    if (withTheRest) {
      superTable.putIntoFrozen(hash, key, value, number);
    } else {
      superTable.putRetained(hash, key, value, operation, number);
    }
    table.counters.count(BufferHashCount.RETAINED);
    return true;
  }

  @Override
  public void close() {
    evicted.close();
    newer.close();
  }
}
