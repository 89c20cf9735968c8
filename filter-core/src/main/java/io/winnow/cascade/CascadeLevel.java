package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.DamagedPageException;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * A level of a cascade filter on flash: one immutable file of sorted fingerprints. Each page is
 * coded by itself. The fences of all pages are at the end of the file, and in memory (4 bytes a
 * page).
 *
 * <p>The fence of a page is the top 32 bits of its first fingerprint. Slots with the same fence
 * stay in one page unless they fill more than one; then all pages that begin with this fence have
 * it. So the fences name the one page that may have a fingerprint, and a lookup reads only that
 * page. It reads more only if thousands of fingerprints agree in their top 32 bits, which does not
 * happen by accident.
 *
 * <p>Thread-safe. The file is closed when the last view that holds the level is released.
 */
final class CascadeLevel extends Shared implements SlotSource, MergePolicy.Level {
  /** Number of pages that a merge reads by one request. */
  static final int READ_PAGES = 64;

  private final SlotShape shape;

  final Manifest.LevelEntry entry;

  /**
   * Rank of this level among the exponentially growing levels of a cascade filter, from 1: the
   * lowest rank that has room for its entries.
   */
  volatile int rank;

  private final int[] fences;
  final PageStore store;
  private final Consumer<CascadeLevel> closer;

  CascadeLevel(
      SlotShape shape,
      Manifest.LevelEntry entry,
      int[] fences,
      PageStore store,
      Consumer<CascadeLevel> closer) {
    this.shape = shape;
    this.entry = entry;
    this.rank = entry.rank;
    this.fences = fences;
    this.store = store;
    this.closer = closer;
  }

  /** Returns this level's line for a manifest, with the given rank. */
  Manifest.LevelEntry entry(int itsRank) {
    return new Manifest.LevelEntry(entry.number, itsRank, entry.entries, fences.length, entry.id);
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public long entries() {
    return entry.entries;
  }

  /** Returns the size of this level's file in bytes. */
  long bytes() {
    return store.pages() * store.pageBytes;
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
    return Math.max(1, bytes / store.pageBytes);
  }

  /**
   * Returns the first page of a level that may have slots with this fence (top bits), or -1 if none
   * may.
   */
  int firstPage(long fence) {
    int page = firstAtLeast((int) fence);
    return page < fences.length && fences[page] == (int) fence ? page : page - 1;
  }

  /** Returns whether the page after a given one may also have slots with this fence (top bits). */
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

  /** Returns a new buffer for one page of this level's file. */
  PageFrame frame() {
    return PageFrames.allocate(1, store.pageBytes);
  }

  /**
   * Looks a key's slot up in this level: reads one page, and the following ones if they may have
   * slots with the same fence.
   *
   * @param frame the page buffer. Frames come from a pool that all threads share, so a caller that
   *     reads several levels or slots uses one frame for all
   * @param reads counts the pages
   * @return the {@link Copies} of the slot's fingerprint
   */
  long find(long slot, PageFrame frame, CascadeCounters reads) throws IOException {
    long fence = shape.fence(slot);
    int page = firstPage(fence);
    if (page < 0) {
      return Copies.NONE;
    }
    long copies = findOn(page, slot, frame);
    reads.counts.count(CascadeCount.LOOKUP_READS);
    while (goesOn(page, fence)) {
      page++;
      copies = Copies.plus(copies, findOn(page, slot, frame));
      reads.counts.count(CascadeCount.LOOKUP_READS);
      reads.counts.count(CascadeCount.CROSSINGS);
    }
    return copies;
  }

  private long findOn(int page, long slot, PageFrame frame) throws IOException {
    store.read(page, frame);
    long[] words = CodedPages.scratch(store.pageBytes);
    CodedPages.load(frame, 0, words);
    check(words, page);
    return SlotCoding.find(words, CodedPages.wordCount(store.pageBytes), slot, shape.deletes);
  }

  @Override
  public void decode(int fromSection, int toSection, SlotBuffer out, Damage damage)
      throws IOException {
    int readPages = Math.min(READ_PAGES, toSection - fromSection);
    if (readPages <= 0) {
      return;
    }
    long[] words = new long[CodedPages.wordCount(store.pageBytes) + 1];
    try (PageFrame frame = PageFrames.allocate(readPages, store.pageBytes)) {
      for (int page = fromSection; page < toSection; page += readPages) {
        int pages = Math.min(readPages, toSection - page);
        int sizeBefore = out.size;
        try {
          decodePages(page, pages, frame, words, out);
        } catch (IOException e) {
          out.size = sizeBefore;
          decodeOneByOne(page, pages, frame, words, out, damage);
        }
      }
    }
  }

  private void decodePages(int page, int pages, PageFrame frame, long[] words, SlotBuffer out)
      throws IOException {
    store.read(page, pages, frame);
    for (int i = 0; i < pages; i++) {
      CodedPages.load(frame, i, words);
      check(words, page + i);
      out.ensure(out.size + SlotCoding.count(words));
      out.size +=
          SlotCoding.decode(words, CodedPages.wordCount(store.pageBytes), out.slots, out.size);
    }
  }

  /**
   * Decodes pages of a level one by one, so that a damaged one is known. A damaged page is read a
   * second time, since the damage may have happened on its way from the drive.
   */
  private void decodeOneByOne(
      int firstPage, int pages, PageFrame frame, long[] words, SlotBuffer out, Damage damage)
      throws IOException {
    for (int page = firstPage; page < firstPage + pages; page++) {
      try {
        decodePages(page, 1, frame, words, out);
      } catch (IOException once) {
        try {
          decodePages(page, 1, frame, words, out);
        } catch (IOException twice) {
          damage.found(this, page, twice);
        }
      }
    }
  }

  /**
   * Checks that a page of a level begins with the fence (top bits) that the level's list has for
   * it. The page's checksum, salted with the file's id and the page's number, is right already;
   * this check is a second line of defence.
   */
  private void check(long[] words, int page) throws DamagedPageException {
    int wordCount = CodedPages.wordCount(store.pageBytes);
    if (!SlotCoding.isSound(words, wordCount)
        || shape.fence(SlotCoding.first(words, wordCount)) != fence(page)) {
      throw store.damaged(page, "its first fingerprint does not match the page's fence");
    }
  }

  @Override
  void ended() {
    closer.accept(this);
  }
}
