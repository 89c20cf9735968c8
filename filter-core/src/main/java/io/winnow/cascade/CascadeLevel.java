package io.winnow.cascade;

import io.winnow.cascade.Chunks.SlotSource;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import java.io.IOException;
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
final class CascadeLevel extends Shared implements SlotSource, MergePolicy.Level {
  /** Pages that one request reads in a merge. */
  static final int READ_PAGES = 64;

  private final SlotShape shape;

  final Manifest.LevelEntry entry;

  /**
   * Which of the exponentially growing levels it is, 1 and up: what a merge of this level alone
   * would come to.
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

  /** How a manifest names it, with a rank. */
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

  /** How large the file is. */
  long bytes() {
    return store.pages() * store.pageBytes();
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

  /** Memory for one of its pages. */
  PageFrame frame() {
    return PageFrames.allocate(1, store.pageBytes());
  }

  /**
   * What there is of a key's slot: reads one page, and the following ones where a run goes on.
   *
   * @param frame for the page; whoever looks into several levels, or up many slots, has one for
   *     all, since frames come from a pool that all threads share
   * @param reads what counts the pages
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
    long[] words = CodedPages.scratch(store.pageBytes());
    CodedPages.load(frame, 0, words);
    check(words, page);
    return SlotCoding.find(words, CodedPages.wordCount(store.pageBytes()), slot, shape.deletes);
  }

  @Override
  public void decode(int fromSection, int toSection, SlotBuffer out, Damage damage)
      throws IOException {
    int readPages = Math.min(READ_PAGES, toSection - fromSection);
    if (readPages <= 0) {
      return;
    }
    long[] words = new long[CodedPages.wordCount(store.pageBytes()) + 1];
    try (PageFrame frame = PageFrames.allocate(readPages, store.pageBytes())) {
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
          SlotCoding.decode(words, CodedPages.wordCount(store.pageBytes()), out.slots, out.size);
    }
  }

  /** What is damaged is read twice, since it may have been damaged on its way. */
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
   * Checks that a page, whose checksum is right, has what the fences mean. Its checksum has the
   * file's salt and its place; this is one line more of defence.
   */
  private void check(long[] words, int page) throws DamagedPageException {
    int wordCount = CodedPages.wordCount(store.pageBytes());
    if (!SlotCoding.isSound(words, wordCount)
        || shape.fence(SlotCoding.first(words, wordCount)) != fence(page)) {
      throw new DamagedPageException(
          store.name(), page, "it is not the page of slots that the fences mean");
    }
  }

  @Override
  void ended() {
    closer.accept(this);
  }
}
