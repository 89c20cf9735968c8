package io.winnow.cascade;

import io.winnow.flash.DamagedPageException;
import io.winnow.flash.PageFrame;
import io.winnow.flash.PageFrames;
import io.winnow.flash.PageStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A level on flash: one file of sorted slots, in pages that are each complete in themselves, and
 * their fences at its end, which are kept in memory (4 bytes a page).
 *
 * <p>The fence of a page is that of its first slot. Slots with one fence stay in one page unless
 * they fill more than one; then all pages that begin with it have it. So a fingerprint is in one
 * page that the fences name, and a lookup reads that one: more only where 32 equal bits at the top
 * of thousands of fingerprints are no accident.
 *
 * <p>Immutable and thread-safe. The file is closed with the last view of it.
 */
final class CascadeLevel extends Shared implements SlotSource {
  /** Pages that one request reads in a merge. */
  static final int READ_PAGES = 64;

  private final SlotShape shape;
  private final long number;
  private volatile int rank;
  private final long entries;
  private final int[] fences;
  private final PageStore store;
  private final Consumer<CascadeLevel> closer;

  CascadeLevel(
      SlotShape shape,
      long number,
      int rank,
      long entries,
      int[] fences,
      PageStore store,
      Consumer<CascadeLevel> closer) {
    this.shape = shape;
    this.number = number;
    this.rank = rank;
    this.entries = entries;
    this.fences = fences;
    this.store = store;
    this.closer = closer;
  }

  /** Its file's number. */
  long number() {
    return number;
  }

  /** Which of the exponentially growing levels it is: 1 and up. */
  int rank() {
    return rank;
  }

  /** What a merge of this level alone would come to. */
  void setRank(int rank) {
    this.rank = rank;
  }

  PageStore store() {
    return store;
  }

  @Override
  public long entries() {
    return entries;
  }

  @Override
  public int sections() {
    return fences.length;
  }

  @Override
  public long fence(int section) {
    return Integer.toUnsignedLong(fences[section]);
  }

  @Override
  public int sectionsFor(int bytes) {
    return Math.max(1, bytes / store.pageBytes());
  }

  /** The page that a slot with this fence is on, or the first of them; -1 if it is on none. */
  int firstPage(long fence) {
    int page = firstAtLeast((int) fence);
    return page < fences.length && fences[page] == (int) fence ? page : page - 1;
  }

  /** Whether the page after this one may have slots with this fence too. */
  boolean goesOn(int page, long fence) {
    return page + 1 < fences.length && fences[page + 1] == (int) fence;
  }

  private int firstAtLeast(int fence) {
    int low = 0;
    int high = fences.length;
    while (low < high) {
      int middle = low + high >>> 1;
      if (Integer.compareUnsigned(fences[middle], fence) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * What there is of a key's slot: reads one page, and the following ones where a run goes on.
   *
   * @param reads what counts the pages
   */
  long find(long slot, ReadCounters reads) throws IOException {
    long fence = shape.fence(slot);
    int page = firstPage(fence);
    if (page < 0) {
      return Copies.NONE;
    }
    long copies = findOn(page, slot);
    reads.countPage();
    while (goesOn(page, fence)) {
      page++;
      copies = Copies.plus(copies, findOn(page, slot));
      reads.countCrossing();
    }
    return copies;
  }

  private long findOn(int page, long slot) throws IOException {
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes())) {
      store.read(page, frame);
      long[] words = PageWords.scratch(store.pageBytes());
      PageWords.load(frame, 0, words);
      check(words, page);
      return SlotCoding.find(words, PageWords.count(store.pageBytes()), slot, shape.deletes());
    }
  }

  @Override
  public void decode(int fromSection, int toSection, SlotBuffer out) throws IOException {
    int pageBytes = store.pageBytes();
    int wordCount = PageWords.count(pageBytes);
    long[] words = new long[wordCount + 1];
    int readPages = Math.min(READ_PAGES, toSection - fromSection);
    if (readPages <= 0) {
      return;
    }
    try (PageFrame frame = PageFrames.allocate(readPages, pageBytes)) {
      for (int page = fromSection; page < toSection; page += readPages) {
        int pages = Math.min(readPages, toSection - page);
        store.read(page, pages, frame);
        for (int i = 0; i < pages; i++) {
          PageWords.load(frame, i, words);
          check(words, page + i);
          out.ensure(out.size + SlotCoding.count(words));
          out.size += SlotCoding.decode(words, wordCount, out.slots, out.size);
        }
      }
    }
  }

  /** A page of another kind with a right checksum is one of another file. */
  private void check(long[] words, long page) throws DamagedPageException {
    if (!SlotCoding.isSound(words, PageWords.count(store.pageBytes()))) {
      throw new DamagedPageException(store.name(), page, "it is not a page of slots");
    }
  }

  @Override
  void ended() {
    closer.accept(this);
  }

  /** Pages of fences: what a level's file ends with. Schema-critical. */
  static final class Fences {
    static final int KIND_FENCES = 2;

    /** Kind, file number, data pages, entries. */
    private static final int HEADER_BYTES = 32;

    private Fences() {}

    static int pages(int dataPages, int pageBytes) {
      int each = perPage(pageBytes);
      return (dataPages + each - 1) / each;
    }

    private static int perPage(int pageBytes) {
      return (pageBytes - PageStore.HEADER_BYTES - HEADER_BYTES) / Integer.BYTES;
    }

    /** Appends the fences of all data pages. */
    static void append(PageStore store, long number, long entries, int[] fences)
        throws IOException {
      int each = perPage(store.pageBytes());
      try (PageFrame frame = PageFrames.allocate(1, store.pageBytes())) {
        for (int from = 0; from < fences.length; from += each) {
          ByteBuffer page = frame.bytes();
          for (int at = 0; at < store.pageBytes(); at += Long.BYTES) {
            page.putLong(at, 0);
          }
          int at = frame.payloadOffset(0);
          page.putLong(at, (long) KIND_FENCES << 40);
          page.putLong(at + 8, number);
          page.putLong(at + 16, fences.length);
          page.putLong(at + 24, entries);
          for (int i = from; i < Math.min(from + each, fences.length); i++) {
            page.putInt(at + HEADER_BYTES + (i - from) * Integer.BYTES, fences[i]);
          }
          store.append(1, frame);
        }
      }
    }

    /** Reads the fences and checks that they are those of the file that the manifest means. */
    static int[] read(PageStore store, long number, long entries, int dataPages)
        throws IOException {
      if (store.pages() != dataPages + (long) pages(dataPages, store.pageBytes())) {
        throw new DamagedPageException(
            store.name(),
            store.pages(),
            "the file has "
                + store.pages()
                + " pages, the manifest knows of "
                + dataPages
                + " and their fences");
      }
      int[] fences = new int[dataPages];
      int each = perPage(store.pageBytes());
      try (PageFrame frame = PageFrames.allocate(1, store.pageBytes())) {
        for (int from = 0; from < fences.length; from += each) {
          long page = dataPages + from / each;
          store.read(page, frame);
          int at = frame.payloadOffset(0);
          if (frame.bytes().getLong(at) != (long) KIND_FENCES << 40
              || frame.bytes().getLong(at + 8) != number
              || frame.bytes().getLong(at + 16) != dataPages
              || frame.bytes().getLong(at + 24) != entries) {
            throw new DamagedPageException(
                store.name(), page, "it has not the fences that the manifest means");
          }
          for (int i = from; i < Math.min(from + each, fences.length); i++) {
            fences[i] = frame.bytes().getInt(at + HEADER_BYTES + (i - from) * Integer.BYTES);
          }
        }
      }
      return fences;
    }
  }
}
