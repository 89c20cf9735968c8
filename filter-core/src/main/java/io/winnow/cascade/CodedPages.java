package io.winnow.cascade;

import io.winnow.flash.PageFrame;
import io.winnow.flash.PageFrames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Slots coded into pages in frames, to be written in one request each. */
final class CodedPages implements AutoCloseable {
  /** Pages of one frame, and so of one write, at most. */
  private static final int FRAME_PAGES = 64;

  private final List<PageFrame> frames = new ArrayList<>();
  private final int pageBytes;
  private int[] fences = new int[FRAME_PAGES];
  private int pages;

  private CodedPages(int pageBytes) {
    this.pageBytes = pageBytes;
  }

  /**
   * Codes all of the slots: each page takes what it can hold, and ends where a fence does, unless
   * it begins with the same one.
   */
  static CodedPages of(SlotShape shape, SlotBuffer slots, int remainderBits, int pageBytes) {
    CodedPages coded = new CodedPages(pageBytes);
    int wordCount = PageWords.count(pageBytes);
    long[] words = PageWords.scratch(pageBytes);
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
      coded.add(words, (int) shape.fence(all[from]));
      from += count;
    }
    return coded;
  }

  private void add(long[] words, int fence) {
    if (pages % FRAME_PAGES == 0) {
      frames.add(PageFrames.allocate(FRAME_PAGES, pageBytes));
      fences = Arrays.copyOf(fences, pages + FRAME_PAGES);
    }
    PageWords.store(words, frames.get(frames.size() - 1), pages % FRAME_PAGES);
    fences[pages++] = fence;
  }

  int pages() {
    return pages;
  }

  int fence(int page) {
    return fences[page];
  }

  List<PageFrame> frames() {
    return frames;
  }

  /** How many pages of a frame are used. */
  int pagesOf(int frame) {
    return Math.min(FRAME_PAGES, pages - frame * FRAME_PAGES);
  }

  @Override
  public void close() {
    frames.forEach(PageFrame::close);
    frames.clear();
  }
}
