package io.winnow.flash.bufferhash;

import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the incarnations that are in a table, and what became of the one that was being written.
 *
 * <p>It reads the index of every slot, and all of one slot per super table: that which was being
 * written when the process ended, if any was. It changes nothing before all was looked at; then
 * {@link #settle} removes what was being written, and writes once more what is not known to be
 * safe.
 *
 * <pre>
 *   index is whole     incarnation; unless it is the newest, not known to be safe, and not whole:
 *                      then it was being written, and does not count
 *   index is blank     an empty slot, if it is after the newest and so are all that follow
 *   else               lost: there was an incarnation, and lookups that have to look there fail;
 *                      unless the slot is the next one, and has a page that is newer than what is
 *                      safe: then it was being written
 * </pre>
 */
final class Recovery implements Closeable {
  private static final int THREADS = 8;

  private final Geometry geometry;
  private final PageStore store;
  private final long safe;
  private final PageFrame frame;
  private final PageFrame one;
  private Throwable failure;
  private final List<Long> torn = new ArrayList<>();
  private final List<Unsafe> unsafe = new ArrayList<>();
  private long lastSequence;

  private Recovery(Geometry geometry, PageStore store, long safe) {
    this.geometry = geometry;
    this.store = store;
    this.safe = safe;
    this.lastSequence = safe;
    this.frame = PageFrames.allocate(geometry.slotPages(), geometry.pageBytes());
    this.one = PageFrames.allocate(1, geometry.pageBytes());
  }

  /**
   * Takes in what all super tables have, by several threads, which a drive answers faster.
   *
   * @return a sequence that is no less than any on flash
   */
  static long run(Geometry geometry, PageStore store, long safe, SuperTable[] superTables)
      throws IOException {
    int count = Math.min(THREADS, superTables.length);
    Recovery[] parts = new Recovery[count];
    Thread[] threads = new Thread[count];
    for (int t = 0; t < count; t++) {
      int first = t;
      Recovery part = new Recovery(geometry, store, safe);
      parts[t] = part;
      threads[t] = new Thread(() -> part.recover(superTables, first, count), "winnow-recovery");
      threads[t].setDaemon(true);
      threads[t].start();
    }
    boolean interrupted = false;
    for (int t = 0; t < count; ) {
      try {
        threads[t].join();
        t++;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    long lastSequence = safe;
    try {
      for (Recovery part : parts) {
        part.throwFailure();
        lastSequence = Math.max(lastSequence, part.lastSequence);
      }
      for (Recovery part : parts) {
        part.settle();
      }
    } finally {
      for (Recovery part : parts) {
        part.close();
      }
    }
    return lastSequence;
  }

  private void recover(SuperTable[] superTables, int first, int step) {
    try {
      for (int i = first; i < superTables.length; i += step) {
        recover(superTables[i]);
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
  }

  private void throwFailure() throws IOException {
    if (failure instanceof IOException e) {
      throw new IOException(e.getMessage(), e);
    } else if (failure instanceof RuntimeException e) {
      throw e;
    } else if (failure instanceof Error e) {
      throw e;
    }
  }

  /** An incarnation that no mark says is safe. */
  private record Unsafe(long firstPage, int pages) {}

  /** What is in a slot. */
  private static final class Slot {
    private Index index;
    private long sequence;
    private boolean blank;

    void empty() {
      index = null;
      blank = true;
    }
  }

  /** How the pages of a slot are. */
  private enum State {
    WHOLE,
    TORN,
    BLANK,
    DAMAGED
  }

  /** Takes in what a super table has. */
  private void recover(SuperTable superTable) throws IOException {
    int count = geometry.slots();
    Slot[] slots = new Slot[count];
    for (int i = 0; i < count; i++) {
      slots[i] = readIndex(superTable.number(), i);
    }
    int newest = newest(slots);
    if (newest >= 0
        && slots[newest].sequence > safe
        && state(superTable.number(), newest, slots[newest]) == State.TORN) {
      drop(superTable.number(), newest, slots);
      newest = newest(slots);
    } else {
      newest = recoverNext(superTable.number(), slots, newest);
    }
    int lastWritten = count - 1;
    while (lastWritten > newest && slots[lastWritten].blank) {
      lastWritten--;
    }
    for (int i = 0; i <= lastWritten; i++) {
      boolean isNext = i == (newest + 1) % count;
      if (slots[i].index != null) {
        install(superTable, i, slots[i]);
      } else if (!(isNext && slots[i].blank)) {
        superTable.recover(i, Incarnation.lost(geometry, superTable.number(), i), false, 0);
        newest = newest < 0 ? i : newest;
      }
    }
    superTable.recovered(newest);
  }

  /** Looks at the slot after the newest one; which is the newest then, is returned. */
  private int recoverNext(int superTable, Slot[] slots, int newest) throws IOException {
    int next = (newest + 1) % slots.length;
    State state = state(superTable, next, slots[next]);
    if (state == State.TORN) {
      drop(superTable, next, slots);
    } else if (state == State.BLANK) {
      slots[next].empty();
    } else if (slots[next].index == null) {
      return next; // damaged, and it may be the newest
    }
    return newest;
  }

  private void drop(int superTable, int slot, Slot[] slots) {
    slots[slot].empty();
    torn.add(geometry.firstPage(superTable, slot));
  }

  /**
   * Overwrites the slots that do not count with blank pages. Else they would look damaged once
   * later incarnations are safe. Incarnations that are not known to be safe are written once more:
   * a failed fsync may have left them in the system's cache alone, and marked as written.
   */
  private void settle() throws IOException {
    for (Unsafe one : unsafe) {
      try {
        store.read(one.firstPage, one.pages, frame);
        store.write(one.firstPage, one.pages, frame);
      } catch (DamagedPageException e) {
        // it stays as it is: lookups that have to look there fail
      }
    }
    if (!torn.isEmpty()) {
      for (int i = 0; i < geometry.slotPages(); i++) {
        TablePage.clear(frame, i, 0);
      }
      for (long first : torn) {
        store.write(first, geometry.slotPages(), frame);
      }
    }
    if (!torn.isEmpty() || !unsafe.isEmpty()) {
      store.force();
    }
  }

  private static int newest(Slot[] slots) {
    int newest = -1;
    for (int i = 0; i < slots.length; i++) {
      if (slots[i].index != null && (newest < 0 || slots[i].sequence > slots[newest].sequence)) {
        newest = i;
      }
    }
    return newest;
  }

  private Slot readIndex(int superTable, int slot) throws IOException {
    Slot found = new Slot();
    int pages = geometry.indexPages();
    try {
      store.read(geometry.firstPage(superTable, slot), pages, frame);
    } catch (DamagedPageException e) {
      found.blank = isBlank(pages); // a read fills the frame before it checks the pages
      return found;
    }
    long sequence = TablePage.sequence(frame, 0);
    for (int i = 0; i < pages; i++) {
      lastSequence = Math.max(lastSequence, TablePage.sequence(frame, i));
      if (TablePage.sequence(frame, i) != sequence
          || TablePage.kind(frame, i) != TablePage.INDEX
          || TablePage.number(frame, i) != i) {
        found.blank = isBlank(pages);
        return found;
      }
    }
    Index index = Index.read(frame, geometry);
    if (index != null && index.superTable() == superTable && index.slot() == slot && sequence > 0) {
      found.index = index;
      found.sequence = sequence;
    }
    return found;
  }

  private boolean isBlank(int pages) {
    for (int i = 0; i < pages; i++) {
      if (!TablePage.isBlank(frame, i)) {
        return false;
      }
    }
    return true;
  }

  /** Looks at all pages of a slot, also at those that its incarnation does not use. */
  private State state(int superTable, int slot, Slot found) throws IOException {
    long first = geometry.firstPage(superTable, slot);
    boolean together = readTogether(first);
    if (!together && isBlank(geometry.slotPages())) {
      return State.BLANK;
    }
    boolean whole = found.index != null;
    int needed = whole ? geometry.indexPages() + found.index.fences().length : 0;
    boolean newer = false;
    boolean blank = true;
    for (int i = 0; i < geometry.slotPages(); i++) {
      PageFrame page = together ? frame : one;
      int at = together ? i : 0;
      if (together || readAlone(first + i)) {
        long sequence = TablePage.sequence(page, at);
        lastSequence = Math.max(lastSequence, sequence);
        newer |= sequence > safe;
        whole &= i >= needed || sequence == found.sequence;
      } else {
        whole &= i >= needed;
      }
      blank &= TablePage.isBlank(page, at);
    }
    return whole ? State.WHOLE : blank ? State.BLANK : newer ? State.TORN : State.DAMAGED;
  }

  /** Reads a slot in one request; false if a page is damaged, or was never written. */
  private boolean readTogether(long first) throws IOException {
    try {
      store.read(first, geometry.slotPages(), frame);
      return true;
    } catch (DamagedPageException e) {
      return false;
    }
  }

  private boolean readAlone(long page) throws IOException {
    try {
      store.read(page, one);
      return true;
    } catch (DamagedPageException e) {
      return false;
    }
  }

  private void install(SuperTable superTable, int slot, Slot found) throws IOException {
    Incarnation incarnation = Incarnation.of(geometry, found.sequence, found.index);
    if (found.sequence > safe) {
      int pages = geometry.indexPages() + found.index.fences().length;
      unsafe.add(new Unsafe(geometry.firstPage(superTable.number(), slot), pages));
    }
    IncarnationFilters filters = superTable.filters();
    boolean filtered =
        filters.load(slot, found.index.filter())
            || FilterRebuild.build(filters, slot, incarnation, geometry, store, one);
    superTable.recover(slot, incarnation, filtered, found.index.lastOperation());
  }

  @Override
  public void close() {
    frame.close();
    one.close();
  }
}
