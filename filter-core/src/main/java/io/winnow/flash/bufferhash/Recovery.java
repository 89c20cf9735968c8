package io.winnow.flash.bufferhash;

import io.winnow.flash.DamagedPageException;
import io.winnow.flash.PageFrame;
import io.winnow.flash.PageFrames;
import io.winnow.flash.PageStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the incarnations that are in a table, and what became of the one that was being written.
 *
 * <p>It reads the index of every slot, and all of one slot per super table: that which was being
 * written when the process ended, if any was. It changes nothing before all was looked at; then {@link #erase} removes what was being
 * written.
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
  private final Geometry geometry;
  private final PageStore store;
  private final long safe;
  private final PageFrame frame;
  private final PageFrame one;
  private final List<Long> torn = new ArrayList<>();
  private long lastSequence;

  Recovery(Geometry geometry, PageStore store, long safe) {
    this.geometry = geometry;
    this.store = store;
    this.safe = safe;
    this.lastSequence = safe;
    this.frame = PageFrames.allocate(geometry.indexPages(), geometry.pageBytes());
    this.one = PageFrames.allocate(1, geometry.pageBytes());
  }

  /** A sequence that is less than none that is on flash. */
  long lastSequence() {
    return lastSequence;
  }

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
  void recover(SuperTable superTable) throws IOException {
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
   * Overwrites the slots that do not count with blank pages. Else they would look damaged once later
   * incarnations are safe.
   */
  void erase() throws IOException {
    if (!torn.isEmpty()) {
      try (PageFrame blank = PageFrames.allocate(geometry.slotPages(), geometry.pageBytes())) {
        for (int i = 0; i < geometry.slotPages(); i++) {
          TablePage.clear(blank, i, 0);
        }
        for (long first : torn) {
          store.write(first, geometry.slotPages(), blank);
        }
      }
      store.force();
    }
  }

  private static int newest(Slot[] slots) {
    int newest = -1;
    for (int i = 0; i < slots.length; i++) {
      if (slots[i].index != null
          && (newest < 0 || slots[i].sequence > slots[newest].sequence)) {
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
      found.blank = isBlank(pages); // a read fills the frame before it checks it
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
    if (index != null
        && index.superTable() == superTable
        && index.slot() == slot
        && sequence > 0) {
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

  /** Reads all pages of a slot. */
  private State state(int superTable, int slot, Slot found) throws IOException {
    boolean whole = found.index != null;
    boolean newer = false;
    boolean blank = true;
    long first = geometry.firstPage(superTable, slot);
    for (int i = 0; i < geometry.slotPages(); i++) {
      boolean needed =
          whole && i < geometry.indexPages() + found.index.fences().length;
      try {
        store.read(first + i, one);
        long sequence = TablePage.sequence(one, 0);
        lastSequence = Math.max(lastSequence, sequence);
        newer |= sequence > safe;
        blank &= TablePage.isBlank(one, 0);
        whole &= !needed || sequence == found.sequence;
      } catch (DamagedPageException e) {
        blank &= TablePage.isBlank(one, 0);
        whole &= !needed;
      }
    }
    return whole ? State.WHOLE : blank ? State.BLANK : newer ? State.TORN : State.DAMAGED;
  }

  private void install(SuperTable superTable, int slot, Slot found) throws IOException {
    Incarnation incarnation = Incarnation.of(geometry, found.sequence, found.index);
    boolean filtered =
        superTable.filters().load(slot, found.index.filter())
            || rebuild(superTable, slot, incarnation);
    superTable.recover(slot, incarnation, filtered, found.index.lastOperation());
  }

  /** Makes the filter anew; without one the incarnation is asked each time. */
  private boolean rebuild(SuperTable superTable, int slot, Incarnation incarnation)
      throws IOException {
    long[] hashes = new long[incarnation.records()];
    int count = 0;
    for (int page = 0; page < incarnation.pages(); page++) {
      try {
        store.read(incarnation.page(page), one);
      } catch (DamagedPageException e) {
        return false; // its keys are not known
      }
      int records = TablePage.number(one, 0);
      if (TablePage.sequence(one, 0) != incarnation.sequence()
          || PageReader.end(one, 0, geometry) < 0
          || count + records > hashes.length) {
        return false;
      }
      ByteBuffer bytes = one.bytes();
      int at = TablePage.payload(one, 0);
      for (int i = 0; i < records; i++) {
        hashes[count++] = Records.hash(bytes, at);
        at += Records.bytes(bytes, at);
      }
    }
    if (count != hashes.length) {
      return false;
    }
    superTable.filters().build(slot, hashes, count);
    return true;
  }

  @Override
  public void close() {
    frame.close();
    one.close();
  }
}
