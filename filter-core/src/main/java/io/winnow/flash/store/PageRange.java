package io.winnow.flash.store;

/** The bounds of a request, the same for all stores. */
final class PageRange {
  private PageRange() {}

  static void checkRead(PageStore store, long firstPage, int count, PageFrame frame) {
    checkFrame(store, count, frame);
    if (firstPage < 0 || firstPage > store.pages() - count) {
      throw outside(store, firstPage, count);
    }
  }

  static void checkWrite(PageStore store, long firstPage, int count, PageFrame frame) {
    checkFrame(store, count, frame);
    if (firstPage < 0 || firstPage > store.pages()) {
      throw outside(store, firstPage, count);
    }
  }

  private static void checkFrame(PageStore store, int count, PageFrame frame) {
    if (count < 1 || count > frame.pages() || frame.pageBytes() != store.pageBytes()) {
      throw new IllegalArgumentException(
          count
              + " pages of "
              + store.pageBytes()
              + " bytes in a frame of "
              + frame.pages()
              + " of "
              + frame.pageBytes());
    }
  }

  private static IllegalArgumentException outside(PageStore store, long firstPage, int count) {
    return new IllegalArgumentException(
        count + " pages from " + firstPage + " on: " + store.name() + " has " + store.pages());
  }
}
