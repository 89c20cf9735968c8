package io.winnow.flash.bufferhash;

import io.winnow.base.HashMix;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.ReadThreads;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Recovers the incarnations (written buffers) of a BufferHash when it is opened, and decides about
 * the one that was being written.
 *
 * <p>It reads the index of every slot, and all pages of one slot per super table: the one after the
 * newest. It changes nothing before it has read everything; then {@link #settle} removes incomplete
 * incarnations, and writes those again that are not known to be durable.
 *
 * <pre>
 *   index is valid       an incarnation; unless it is older than one before it in the ring: then the
 *                        index is from an earlier round, and counts as damaged
 *   index is blank, and so is the first data page
 *                        an empty slot, if it is after the newest and so are all that follow
 *   index is damaged     built again from the data pages, each of which names its incarnation;
 *                        lookups that need a damaged data page fail
 *   all is damaged       lost: there was an incarnation, and lookups that need it fail
 *   the newest incarnation of the mark is missing
 *                        lost as well: the drive did not perform that write
 * </pre>
 *
 * <p>A power failure damages only slots that the mark allows to be overwritten. An incomplete slot
 * there was being written, or is the oldest incarnation, which was about to be evicted. It is
 * ignored, unless the next incarnation of its super table was begun: until then the writer has
 * synced the one before.
 */
final class Recovery implements Closeable {
  private static final int THREADS = 8;

  private final Geometry geometry;
  private final TableFile file;
  private final TableFile.Mark mark;
  private final PageFrame frame;
  private final PageReader reader;
  private final List<Long> torn = new ArrayList<>();

  /** First pages of incarnations that are not known to be durable, with their numbers of pages. */
  private final Map<Long, Integer> unsafe = new LinkedHashMap<>();

  private long lastSequence;

  private Recovery(OpenTable table) {
    this.geometry = table.geometry;
    this.file = table.file;
    this.mark = file.marks.newest();
    this.lastSequence = mark.safe;
    this.frame = PageFrames.allocate(geometry.slotPages(), geometry.pageBytes);
    this.reader = new PageReader(geometry, file.store, table.counters);
  }

  /**
   * Recovers the incarnations of all super tables, in several threads, which is faster on a drive.
   *
   * @param settles false for a reader: nothing is changed
   * @return a sequence that is not below any on flash or in a mark
   */
  static long run(OpenTable table, boolean settles) throws IOException {
    List<Recovery> parts = new ArrayList<>();
    int count = table.superTables.length;
    try (ReadThreads threads = new ReadThreads("winnow-recovery", Math.min(THREADS, count))) {
      for (int i = 0; i < threads.count(); i++) {
        parts.add(new Recovery(table));
      }
      threads.run(count, (thread, i) -> parts.get(thread).recover(table.superTables[i]));
      long lastSequence = Arrays.stream(table.file.newest).max().getAsLong();
      for (Recovery part : parts) {
        lastSequence = Math.max(lastSequence, part.lastSequence);
      }
      for (Recovery part : settles ? parts : List.<Recovery>of()) {
        part.settle();
      }
      return lastSequence;
    } finally {
      parts.forEach(Recovery::close);
    }
  }

  /** Content of a slot for an incarnation, as the recovery found it on flash. */
  private static final class Slot {
    /** Index of the slot's incarnation, or null if it cannot be read or there is none. */
    private Index index;

    private long sequence;

    /**
     * Highest sequence number on all pages of the incarnation's slot that are not damaged, or 0 if
     * not all pages were read.
     */
    private long highest;

    private boolean blank;

    /**
     * Is true if all pages of the incarnation's slot were read and none of those written last is
     * damaged.
     */
    private boolean whole;
  }

  /** Recovers the incarnations of one super table. */
  private void recover(SuperTable superTable) throws IOException {
    int number = superTable.number;
    int count = geometry.slots;
    Slot[] slots = new Slot[count];
    for (int i = 0; i < count; i++) {
      slots[i] = readIndex(number, i);
      if (slots[i].index == null && !slots[i].blank) {
        slots[i] = read(number, i, slots[i]);
      }
    }
    int newest = newest(slots);
    long highest = 0; // of those before in the ring, from the oldest on
    for (int age = count; age > 0; age--) {
      int i = (newest + 1 + count - age) % count;
      if (age < count && slots[i].index != null && slots[i].sequence <= highest) {
        Slot made = read(number, i, slots[i]); // its index is that of an earlier round
        slots[i] = made.index == null || made.sequence <= highest ? new Slot() : made;
      }
      highest = slots[i].index == null ? highest : slots[i].sequence;
    }
    newest = recoverNext(number, slots, newest);
    long named = file.newest[number];
    if (newest < 0 ? named > 0 : slots[newest].index != null && slots[newest].sequence < named) {
      newest = (newest + 1) % count;
      slots[newest] = new Slot(); // the drive did not do that write
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
        superTable.recover(i, Incarnation.lost(geometry.firstPage(number, i)), false, 0);
        newest = newest < 0 ? i : newest;
      }
    }
    superTable.recovered(newest);
  }

  /**
   * Reads all pages of a super table's newest slot and of the slot after it, which may be half
   * written.
   *
   * @return the newest slot after this
   */
  private int recoverNext(int superTable, Slot[] slots, int newest) throws IOException {
    boolean mayBeOverwritten = mark.overwritten.contains(superTable);
    int next = (newest + 1) % slots.length;
    long sequence = newest < 0 ? 0 : slots[newest].sequence;
    Slot made = read(superTable, next, slots[next]);
    if (sequence > mark.safe
        && mayBeOverwritten
        && made.highest < sequence // otherwise it was synced before the next one was begun
        && !read(superTable, newest, slots[newest]).whole) {
      drop(superTable, newest, slots);
      return newest(slots);
    }
    if (made.blank) {
      slots[next] = made;
    } else if (!made.whole && mayBeOverwritten) {
      drop(superTable, next, slots);
    } else if (made.index == null || made.sequence > sequence) {
      slots[next] = made; // it is lost, or its index is damaged or of an earlier round
      return next;
    }
    return newest;
  }

  /**
   * Records that a slot is incomplete and holds no incarnation, so that {@link #settle} overwrites
   * it with blank pages.
   */
  private void drop(int superTable, int slot, Slot[] slots) {
    slots[slot] = new Slot();
    slots[slot].blank = true;
    torn.add(geometry.firstPage(superTable, slot));
  }

  /**
   * Overwrites incomplete slots with blank pages; otherwise they would look damaged once later
   * incarnations are durable. Incarnations that are not known to be durable are written again:
   * after a failed fsync they may be only in the system's cache, marked as written.
   */
  private void settle() throws IOException {
    for (Map.Entry<Long, Integer> pages : unsafe.entrySet()) {
      if (file.isRead(pages.getKey(), pages.getValue(), frame)) { // otherwise it stays unchanged
        file.store.write(pages.getKey(), pages.getValue(), frame);
      }
    }
    if (!torn.isEmpty()) {
      for (int i = 0; i < geometry.slotPages(); i++) {
        frame.fill(i, 0, 0);
      }
      for (long first : torn) {
        file.store.write(first, geometry.slotPages(), frame);
      }
    }
    if (!torn.isEmpty() || !unsafe.isEmpty()) {
      file.store.force();
    }
  }

  /** Returns the slot whose incarnation has the highest sequence number, or -1. */
  private static int newest(Slot[] slots) {
    int newest = -1;
    for (int i = 0; i < slots.length; i++) {
      if (slots[i].index != null && (newest < 0 || slots[i].sequence > slots[newest].sequence)) {
        newest = i;
      }
    }
    return newest;
  }

  /** Reads the index of an incarnation in a slot. */
  private Slot readIndex(int superTable, int slot) throws IOException {
    Slot found = new Slot();
    int pages = geometry.indexPages;
    boolean whole = file.isRead(geometry.firstPage(superTable, slot), pages, frame);
    long sequence = TablePage.sequence(frame, 0);
    found.blank = true;
    for (int i = 0; i < pages; i++) {
      found.blank &= TablePage.isBlank(frame, i);
      lastSequence = whole ? Math.max(lastSequence, TablePage.sequence(frame, i)) : lastSequence;
      whole &=
          TablePage.sequence(frame, i) == sequence
              && TablePage.kind(frame, i) == TablePage.INDEX
              && TablePage.number(frame, i) == i;
    }
    if (found.blank) { // perhaps only the index was erased
      file.isRead(geometry.firstPage(superTable, slot) + pages, 1, reader.frame);
      found.blank = TablePage.isBlank(reader.frame, 0);
    }
    Index index = whole ? Index.read(frame, geometry) : null;
    if (index != null && index.superTable == superTable && index.slot == slot && sequence > 0) {
      found.index = index;
      found.sequence = sequence;
    }
    return found;
  }

  /** Content of a data page of an incarnation, as read from flash. */
  private static final class DataPage {
    /** Sequence number of the page's incarnation, or 0 if the page is damaged or blank. */
    private long sequence;

    private boolean blank;
    private int records;
    private long operation;
    private int first;
    private int last;
  }

  /** Reads all pages of a slot one by one, and builds an incarnation's index from them. */
  private Slot read(int superTable, int slot, Slot known) throws IOException {
    Slot found = new Slot();
    found.blank = true;
    DataPage[] data = new DataPage[geometry.dataPages()];
    long sequence = 0;
    long first = geometry.firstPage(superTable, slot);
    for (int i = 0; i < geometry.slotPages(); i++) {
      DataPage page = new DataPage();
      page.sequence =
          file.isRead(first + i, 1, reader.frame) ? TablePage.sequence(reader.frame, 0) : 0;
      page.blank = TablePage.isBlank(reader.frame, 0);
      found.blank &= page.blank;
      sequence = Math.max(sequence, page.sequence);
      if (i >= geometry.indexPages) {
        data[i - geometry.indexPages] = page;
        describe(page);
      }
    }
    lastSequence = Math.max(lastSequence, sequence);
    found.highest = sequence;
    if (sequence == 0) {
      return found;
    }
    int end = 0;
    for (int i = 0; i < data.length; i++) {
      boolean damaged = data[i].sequence == 0 && !data[i].blank;
      end = data[i].sequence == sequence || damaged ? i + 1 : end;
    }
    boolean whole = known.index != null && known.sequence == sequence;
    end = whole ? known.index.fences.length : end;
    int[] fences = new int[end];
    int records = 0;
    long operation = 0;
    int before = Integer.MIN_VALUE;
    for (int i = 0; i < end; i++) {
      boolean good = data[i].sequence == sequence;
      fences[i] = good ? data[i].first : before;
      before = good && data[i].records > 0 ? data[i].last : before;
      records += good ? data[i].records : 0;
      operation = good ? data[i].operation : operation;
      whole &= good;
    }
    for (int i = end - 1; i >= 0; i--) {
      if (data[i].sequence == sequence && data[i].records == 0) { // its records were given up
        fences[i] = i + 1 < end ? fences[i + 1] : Integer.MAX_VALUE;
      }
    }
    found.whole = whole;
    if (end > 0) {
      found.sequence = sequence;
      found.index =
          new Index(superTable, slot, operation, records, true, fences, StoredFilter.NONE);
    }
    return found;
  }

  /**
   * Describes the data page of an incarnation that was read last; a page of another kind counts as
   * damaged.
   */
  private void describe(DataPage page) {
    boolean isData = page.sequence != 0 && TablePage.kind(reader.frame, 0) == TablePage.DATA;
    if (!isData || !reader.hasWholeRecords()) {
      page.sequence = 0;
      return;
    }
    page.records = TablePage.number(reader.frame, 0);
    page.operation = TablePage.operation(reader.frame, 0);
    page.first = Integer.MIN_VALUE;
    page.last = Integer.MIN_VALUE;
    int at = TablePage.payload(reader.frame, 0);
    for (int i = 0; i < page.records; i++) {
      long mixed = HashMix.mix(Records.hash(reader.frame.bytes, at));
      page.last = geometry.fence(mixed) ^ Integer.MIN_VALUE;
      page.first = i == 0 ? page.last : page.first;
      at += Records.bytes(reader.frame.bytes, at);
    }
  }

  /**
   * Adds an incarnation (a written buffer) that was found on flash to the super table that it
   * belongs to.
   */
  private void install(SuperTable superTable, int slot, Slot found) throws IOException {
    Incarnation incarnation = found.index.incarnation(geometry, found.sequence);
    if (found.sequence > mark.safe) {
      int pages = geometry.indexPages + found.index.fences.length;
      unsafe.put(geometry.firstPage(superTable.number, slot), pages);
    }
    IncarnationFilters filters = superTable.filters;
    boolean filtered =
        filters.load(slot, found.index.filter) || rebuild(filters, slot, incarnation);
    superTable.recover(slot, incarnation, filtered, found.index.lastOperation);
  }

  /**
   * Builds an incarnation's filter from its records, for which it reads all pages, one at a time.
   *
   * @return false if some keys are unknown; lookups then always read the incarnation
   */
  private boolean rebuild(IncarnationFilters filters, int slot, Incarnation incarnation)
      throws IOException {
    long[] hashes = new long[incarnation.records];
    int count = 0;
    for (int page = 0; page < incarnation.pages(); page++) {
      try {
        reader.read(incarnation, page);
      } catch (DamagedPageException e) {
        return false;
      }
      int records = TablePage.number(reader.frame, 0);
      if (count + records > hashes.length) {
        return false;
      }
      ByteBuffer bytes = reader.frame.bytes;
      int at = TablePage.payload(reader.frame, 0);
      for (int i = 0; i < records; i++) {
        hashes[count++] = Records.hash(bytes, at);
        at += Records.bytes(bytes, at);
      }
    }
    if (count != hashes.length) {
      return false;
    }
    filters.build(slot, hashes, count);
    return true;
  }

  @Override
  public void close() {
    frame.close();
    reader.close();
  }
}
