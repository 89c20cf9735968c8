package io.winnow.cascade;

import io.winnow.base.Buffers;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sorted fingerprints coded into pages of a cascade filter's level, in frames that are written by
 * one request each. The static methods convert a page's payload from and to the words that {@link
 * SlotCoding} works on.
 */
final class CodedPages implements AutoCloseable {
  /** Maximum of pages in one frame (page buffer), and so in one write. */
  private static final int FRAME_PAGES = 64;

  private static final ThreadLocal<long[]> SCRATCH = new ThreadLocal<>();

  final List<PageFrame> frames = new ArrayList<>();
  private final int pageBytes;

  /** Fence (top bits of the first slot) of each coded page; the array may be longer. */
  int[] fences = new int[FRAME_PAGES];

  int pages;

  /** Number of pages in use in the last frame of coded pages. */
  private int used;

  private CodedPages(int pageBytes) {
    this.pageBytes = pageBytes;
  }

  /**
   * Codes all fingerprint slots of a buffer into pages. A page takes as many slots as it holds, but
   * ends before slots that share their fence with the next page, unless all its slots have that
   * fence.
   */
  static CodedPages of(SlotShape shape, SlotBuffer slots, int remainderBits, int pageBytes) {
    CodedPages coded = new CodedPages(pageBytes);
    int wordCount = wordCount(pageBytes);
    long[] words = scratch(pageBytes);
    long[] all = slots.slots;
    for (int from = 0; from < slots.size; ) {
      int fitting = SlotCoding.fitting(all, from, slots.size, remainderBits, wordCount);
      int count = fitting;
      if (from + count < slots.size) {
        long next = shape.fence(all[from + count]);
        while (count > 0 && shape.fence(all[from + count - 1]) == next) {
          count--;
        }
        count = count == 0 ? fitting : count;
      }
      SlotCoding.encode(all, from, count, remainderBits, words, wordCount);
      int pagesLeft = (slots.size - from + count - 1) / count; // if they are all like this one
      coded.add(words, (int) shape.fence(all[from]), pagesLeft);
      from += count;
    }
    return coded;
  }

  /**
   * Adds a coded page to the last frame, or to a new one.
   *
   * @param pagesLeft estimate of the pages to come, including this one
   */
  private void add(long[] words, int fence, int pagesLeft) {
    if (frames.isEmpty() || used == frames.get(frames.size() - 1).pages()) {
      frames.add(PageFrames.allocate(Math.min(pagesLeft, FRAME_PAGES), pageBytes));
      used = 0;
    }
    store(words, frames.get(frames.size() - 1), used++);
    fences = pages < fences.length ? fences : Arrays.copyOf(fences, pages + FRAME_PAGES);
    fences[pages++] = fence;
  }

  /** Writes all coded pages after the last page of a file. */
  void appendTo(PageStore store) throws IOException {
    for (int i = 0; i < frames.size(); i++) {
      PageFrame frame = frames.get(i);
      store.append(i < frames.size() - 1 ? frame.pages() : used, frame);
    }
  }

  @Override
  public void close() {
    frames.forEach(PageFrame::close);
    frames.clear();
  }

  // ---- Pages as words ----

  /** Returns the number of 64-bit words in the payload of a level's page. */
  static int wordCount(int pageBytes) {
    return (pageBytes - PageStore.HEADER_BYTES) / Long.BYTES;
  }

  /** Returns an array for the 64-bit words of a page, which belongs to the calling thread. */
  static long[] scratch(int pageBytes) {
    long[] words = SCRATCH.get();
    if (words == null || words.length <= wordCount(pageBytes)) {
      words = new long[wordCount(pageBytes) + 1];
      SCRATCH.set(words);
    }
    return words;
  }

  /** Copies the payload of a level's page to an array of 64-bit words. */
  static void load(PageFrame frame, int page, long[] words) {
    words(frame, page).get(words, 0, wordCount(frame.pageBytes));
  }

  /** Copies an array of 64-bit words to the payload of a level's page. */
  static void store(long[] words, PageFrame frame, int page) {
    frame.setVersion(page, 0);
    words(frame, page).put(words, 0, wordCount(frame.pageBytes));
  }

  private static LongBuffer words(PageFrame frame, int page) {
    return Buffers.slice(
            frame.bytes, frame.payloadOffset(page), wordCount(frame.pageBytes) * Long.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asLongBuffer();
  }
}
