package io.winnow.flash.bufferhash;

import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.Uninterrupted;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * Writes full buffers to flash in a background thread.
 *
 * <p>It takes all waiting buffers, writes each in one request, and syncs them with one fsync. Until
 * then lookups find the entries in the buffers.
 */
final class IncarnationWriter implements Closeable {
  /** Maximum of incarnations that share an fsync. */
  private static final int MAX_PER_FSYNC = 16;

  private final OpenTable table;
  private final WriteQueue queue;
  private final TableLog logs;
  private final Retention retention;
  private final IncarnationPacker packer;
  private final Thread thread;

  // ---- Used only by the thread, or with the monitor ----

  private long lastSequence;

  /**
   * Super tables whose next slot may be overwritten, because the last synced mark page in the file
   * names them.
   */
  private Set<Integer> declared = Set.of();

  /**
   * Is true if the file may have a later mark page that says that all incarnations are durable and
   * no slot is being overwritten.
   */
  private boolean settled = true;

  /**
   * Sequence numbers of the newest incarnations of the super tables that were written last, oldest
   * first.
   */
  private final Map<Integer, Long> newest = new LinkedHashMap<>();

  /**
   * Lowest sequence number of an incarnation that may be partly on flash, for each super table,
   * until its slot is completely written.
   */
  private final Map<Integer, Long> begun = new HashMap<>();

  /**
   * Creates the writer of full buffers; {@link #start} starts its thread.
   *
   * @param retention null if all entries are evicted
   * @param lastSequence no incarnation has a higher one
   */
  IncarnationWriter(
      OpenTable table, WriteQueue queue, TableLog logs, Retention retention, long lastSequence) {
    this.table = table;
    this.queue = queue;
    this.logs = logs;
    this.retention = retention;
    this.newest.putAll(table.file.marks.newest().newest);
    this.lastSequence = lastSequence;
    this.packer = new IncarnationPacker(table.geometry, table.layout.bufferEntries);
    this.thread = new Thread(this::run, table.directory.threadName("write"));
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    List<SuperTable> batch = new ArrayList<>();
    while (queue.take(batch, MAX_PER_FSYNC)) {
      if (!batch.isEmpty()) {
        write(batch);
        batch.clear();
      }
      long firstToKeep = logs.firstToKeep();
      if (firstToKeep > 0) {
        trim(firstToKeep);
      }
    }
  }

  /** Freezes those buffers whose operations keep the logs before a given one from being deleted. */
  private void trim(long firstToKeep) {
    for (SuperTable superTable : table.superTables) {
      synchronized (superTable) {
        boolean isOld = superTable.activeLog < firstToKeep;
        if (isOld && !queue.freeze(superTable) && !superTable.isFrozen()) {
          return; // no spare buffer: it continues when some are written
        }
      }
    }
  }

  /** Writes the full buffers of some super tables to flash and syncs them. */
  private synchronized void write(List<SuperTable> batch) {
    try {
      declare(batch);
    } catch (IOException | RuntimeException | Error e) {
      queue.failed(batch, e);
      return;
    }
    Map<SuperTable, Incarnation> written = new LinkedHashMap<>(); // not synced yet
    for (SuperTable superTable : batch) {
      try {
        written.put(superTable, write(superTable));
      } catch (IOException | RuntimeException | Error e) {
        queue.failed(List.of(superTable), e);
      }
    }
    if (written.isEmpty()) {
      return;
    }
    Set<Integer> next = overwrittenNext(batch);
    boolean marked = mark(next, false);
    try {
      table.file.store.force();
    } catch (IOException | RuntimeException | Error e) {
      queue.failed(written.keySet(), e);
      return;
    }
    declared = marked ? next : declared;
    written.forEach(
        (superTable, incarnation) -> {
          begun.remove(superTable.number);
          newest.remove(superTable.number);
          newest.put(superTable.number, incarnation.sequence);
          WriteBuffer free = superTable.install(incarnation);
          table.counters.count(BufferHashCount.INCARNATIONS_WRITTEN);
          queue.free(free);
        });
    logs.delete(table.file.marks.newest().firstLog);
  }

  /**
   * Writes a mark page to the file that says, before buffers are written to flash, that the slots
   * for them may be overwritten. The mark of the last incarnations has usually named them already;
   * otherwise, or after a sync, this is a write and an fsync.
   */
  private void declare(List<SuperTable> batch) throws IOException {
    if (!batch.stream().allMatch(superTable -> declared.contains(superTable.number))) {
      Set<Integer> next = overwrittenNext(batch);
      writeMark(next, false);
      table.file.store.force();
      declared = next;
    } else if (settled) { // overwrites the later mark: the one before names them, and is synced
      writeMark(declared, true);
      table.file.store.force();
    }
    settled = false;
  }

  /**
   * Writes a mark page to the file that says, after a sync, that all incarnations are durable and
   * no slot is being overwritten. With it, an opening after a crash mistakes no damaged page for a
   * torn write. The mark itself is not synced: after a power failure the mark before it is valid,
   * and the opening reads more.
   */
  synchronized void settle() {
    if (!settled) {
      settled = true; // the file may have the mark even if this fails
      mark(new TreeSet<>(begun.keySet()), true);
    }
  }

  /**
   * Returns the numbers of the super tables that are being written to flash, and of those that will
   * be soon.
   */
  private Set<Integer> overwrittenNext(List<SuperTable> batch) {
    Set<Integer> next = new TreeSet<>(begun.keySet());
    batch.forEach(superTable -> next.add(superTable.number));
    for (int i = 0; i < table.superTables.length && next.size() < TableFile.MAX_OVERWRITTEN; i++) {
      SuperTable one = table.superTables[i];
      if (one.isFrozen() || one.isNearlyFull()) {
        next.add(i);
      }
    }
    return next;
  }

  /** Writes a mark page, which says which incarnations are durable, without a sync. */
  private void writeMark(Set<Integer> overwritten, boolean ahead) throws IOException {
    table.file.mark(syncedSequence(), logs.firstNeeded(), overwritten, newest, ahead);
  }

  /** Evicts the oldest incarnation of a super table, and writes the full buffer in its place. */
  private Incarnation write(SuperTable superTable) throws IOException {
    int slot = superTable.nextSlot();
    Incarnation oldest = superTable.incarnation(slot);
    if (oldest != null) {
      if (retention != null && !oldest.isLost()) {
        retention.retain(superTable, slot, oldest);
      }
      superTable.evict(slot);
      table.counters.count(BufferHashCount.INCARNATIONS_EVICTED);
    }
    long sequence = ++lastSequence;
    Index index = packer.pack(superTable, sequence);
    begun.putIfAbsent(superTable.number, sequence);
    long first = table.geometry.firstPage(superTable.number, slot);
    table.file.store.write(first, packer.pages, packer.frame);
    return index.incarnation(table.geometry, sequence);
  }

  /** Returns the highest sequence number up to which all incarnations are durable. */
  private long syncedSequence() {
    long synced = lastSequence;
    for (long sequence : begun.values()) {
      synced = Math.min(synced, sequence - 1);
    }
    return synced;
  }

  /**
   * Writes a mark page, which says which incarnations are durable; a failure is only counted. If it
   * cannot be written, the next opening reads more.
   *
   * @return whether it was written
   */
  private boolean mark(Set<Integer> overwritten, boolean ahead) {
    try {
      writeMark(overwritten, ahead);
      return true;
    } catch (IOException | RuntimeException | Error e) {
      table.counters.recordFailure(e);
      return false;
    }
  }

  /**
   * Records in the file that the table was closed, after the thread has ended and all writes are
   * durable.
   */
  synchronized void markClosed() throws IOException {
    writeMark(new TreeSet<>(begun.keySet()), false);
    table.file.store.force(); // the mark of the close overwrites the one before this
    SortedMap<Long, Long> closed =
        LogRecovery.lengths(table.directory.path, table.file.marks.newest().firstLog);
    long[] sequences =
        Arrays.stream(table.superTables).mapToLong(SuperTable::newestSequence).toArray();
    table.file.markClosed(closed, sequences);
  }

  /**
   * Replaces damaged pages, and incarnations that cannot be read, by empty ones.
   *
   * @return the number of replaced pages
   */
  synchronized long forgetLost() throws IOException {
    Geometry geometry = table.geometry;
    long forgotten = 0;
    try (PageFrame frame = PageFrames.allocate(geometry.slotPages(), geometry.pageBytes);
        PageReader reader = new PageReader(geometry, table.file.store, table.counters)) {
      for (SuperTable superTable : table.superTables) {
        for (int slot = 0; slot < geometry.slots; slot++) {
          Incarnation there = superTable.incarnation(slot);
          if (there != null) {
            forgotten +=
                there.isLost() ? forget(superTable, slot, frame) : forgetPages(there, reader);
          }
        }
      }
    }
    if (forgotten > 0) {
      table.file.store.force();
    }
    return forgotten;
  }

  /** Replaces an incarnation that cannot be read by an empty one. */
  private long forget(SuperTable superTable, int slot, PageFrame frame) throws IOException {
    Geometry geometry = table.geometry;
    int back = 0;
    Incarnation before;
    do {
      back++;
      before = superTable.incarnation((slot + geometry.slots - back) % geometry.slots);
    } while (before != null && before.isLost() && back < geometry.slots);
    long after = back + (before == null ? 0 : Math.max(before.sequence, 0)); // no other has it
    boolean isNewest = superTable.nextSlot() == (slot + 1) % geometry.slots;
    long sequence = isNewest ? Math.max(after, table.file.newest[superTable.number]) : after;
    int[] fences = {Integer.MIN_VALUE};
    Index index = new Index(superTable.number, slot, 0, 0, true, fences, StoredFilter.NONE);
    index.write(frame, sequence, geometry);
    int data = geometry.indexPages;
    frame.fill(data, 0, 0);
    TablePage.writeHead(frame, data, sequence, TablePage.DATA, 0, 0);
    table.file.store.write(geometry.firstPage(superTable.number, slot), data + 1, frame);
    superTable.recover(slot, index.incarnation(geometry, sequence), false, 0);
    return data + 1;
  }

  /** Replaces the damaged pages of an incarnation by empty ones. */
  private long forgetPages(Incarnation there, PageReader reader) throws IOException {
    List<DamagedPageException> damaged = reader.verify(there);
    for (DamagedPageException one : damaged) {
      reader.frame.fill(0, 0, 0);
      TablePage.writeHead(reader.frame, 0, there.sequence, TablePage.DATA, 0, 0);
      table.file.store.write(one.page(), 1, reader.frame);
    }
    return damaged.size();
  }

  /**
   * Ends the writer's thread, and waits for the present writes; buffers that are not written yet
   * stay in memory.
   */
  void end() {
    queue.close();
    Uninterrupted.join(thread);
  }

  @Override
  public void close() {
    end();
    packer.close();
    if (retention != null) {
      retention.close();
    }
  }
}
