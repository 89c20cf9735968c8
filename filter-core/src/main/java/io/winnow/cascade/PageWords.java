package io.winnow.cascade;

import io.winnow.flash.PageFrame;
import io.winnow.flash.PageStore;
import java.nio.ByteOrder;

/** A page's payload as the words that {@link SlotCoding} works on. */
final class PageWords {
  private static final ThreadLocal<long[]> SCRATCH = new ThreadLocal<>();

  private PageWords() {}

  /** How many words a page has. */
  static int count(int pageBytes) {
    return (pageBytes - PageStore.HEADER_BYTES) / Long.BYTES;
  }

  /** An array for a page, the thread's own. */
  static long[] scratch(int pageBytes) {
    long[] words = SCRATCH.get();
    if (words == null || words.length <= count(pageBytes)) {
      words = new long[count(pageBytes) + 1];
      SCRATCH.set(words);
    }
    return words;
  }

  static void load(PageFrame frame, int page, long[] words) {
    frame
        .bytes()
        .slice(frame.payloadOffset(page), count(frame.pageBytes()) * Long.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asLongBuffer()
        .get(words, 0, count(frame.pageBytes()));
  }

  static void store(long[] words, PageFrame frame, int page) {
    frame
        .bytes()
        .slice(frame.payloadOffset(page), count(frame.pageBytes()) * Long.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asLongBuffer()
        .put(words, 0, count(frame.pageBytes()));
  }
}
