package io.winnow.flash.bufferhash;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes full buffers to flash, behind the backs of those who fill them, in one thread.
 *
 * <p>It takes what is waiting, writes one after the other, each in one request, and makes all of
 * them safe with one fsync. Until then lookups find the entries in the buffers.
 */
final class IncarnationWriter implements Closeable {
  /** How many incarnations share an fsync at most. */
  private static final int MOST_TOGETHER = 16;

  private final Geometry geometry;
  private final TableFile table;
  private final WriteQueue queue;
  private final LogTrimmer logs;
  private final Retention retention;
  private final Counters counters;
  private final IncarnationPacker packer;
  private final Thread thread;

  // ---- The thread's own ----

  private long lastSequence;

  /** Sequences whose pages may be on flash in part, until their slots are written whole. */
  private final Map<SuperTable, Long> begun = new HashMap<>();

  /** What is written, and not yet safe. */
  private static final class Written {
    final SuperTable superTable;
    final int slot;
    final Incarnation incarnation;

    Written(SuperTable superTable, int slot, Incarnation incarnation) {
      this.superTable = superTable;
      this.slot = slot;
      this.incarnation = incarnation;
    }
  }

  /**
   * @param retention null if all is evicted
   * @param lastSequence no incarnation has a higher one
   */
  IncarnationWriter(
      Geometry geometry,
      TableFile table,
      WriteQueue queue,
      LogTrimmer logs,
      Retention retention,
      Counters counters,
      String threadName,
      long lastSequence) {
    this.geometry = geometry;
    this.table = table;
    this.queue = queue;
    this.logs = logs;
    this.retention = retention;
    this.counters = counters;
    this.lastSequence = lastSequence;
    this.packer = new IncarnationPacker(geometry);
    this.thread = new Thread(this::run, threadName);
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    List<SuperTable> batch = new ArrayList<>();
    while (queue.take(batch, MOST_TOGETHER)) {
      if (!batch.isEmpty()) {
        write(batch);
        batch.clear();
      }
      logs.trim();
    }
  }

  private void write(List<SuperTable> batch) {
    List<Written> written = new ArrayList<>();
    for (SuperTable superTable : batch) {
      try {
        written.add(write(superTable));
      } catch (IOException | RuntimeException | Error e) {
        fail(superTable, e);
      }
    }
    if (written.isEmpty()) {
      return;
    }
    try {
      table.store().force();
    } catch (IOException | RuntimeException | Error e) {
      written.forEach(one -> fail(one.superTable, e));
      return;
    }
    long deletable = table.mark().firstLog(); // by a mark that is safe now
    for (Written one : written) {
      begun.remove(one.superTable);
      WriteBuffer free = one.superTable.install(one.slot, one.incarnation);
      counters.incarnationsWritten.increment();
      queue.free(free);
    }
    mark();
    logs.delete(deletable);
  }

  private Written write(SuperTable superTable) throws IOException {
    int slot = superTable.nextSlot();
    Incarnation oldest = superTable.incarnation(slot);
    if (oldest != null) {
      if (retention != null && !oldest.isLost()) {
        retention.retain(superTable, slot, oldest);
      }
      superTable.evict(slot);
      counters.incarnationsEvicted.increment();
    }
    long sequence = ++lastSequence;
    Index index =
        packer.pack(
            superTable.frozen(),
            sequence,
            superTable.number(),
            slot,
            superTable.frozenOperation(),
            superTable.filters());
    begun.putIfAbsent(superTable, sequence);
    table
        .store()
        .write(geometry.firstPage(superTable.number(), slot), packer.pages(), packer.frame());
    return new Written(superTable, slot, Incarnation.of(geometry, sequence, index));
  }

  private void fail(SuperTable superTable, Throwable e) {
    counters.lastFailure.set(e);
    queue.failed(superTable, e);
  }

  /** Says what is safe. If it cannot be written, the next opening looks at more. */
  private void mark() {
    long safe = lastSequence;
    for (long sequence : begun.values()) {
      safe = Math.min(safe, sequence - 1);
    }
    try {
      table.mark(safe, logs.firstNeeded());
    } catch (IOException | RuntimeException | Error e) {
      counters.lastFailure.set(e);
    }
  }

  /** Waits for what is being written now, and leaves the rest in the buffers. */
  @Override
  public void close() {
    queue.close();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    packer.close();
    if (retention != null) {
      retention.close();
    }
  }
}
