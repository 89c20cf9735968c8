package io.winnow.flash;

import java.io.IOException;

/**
 * An array of bits on the pages of a store, and nothing else: a page takes as many as its payload
 * has, in order, the lowest bit of each byte first. Schema-critical.
 */
final class BitPages {
  /** What one request writes while the pages are made. */
  private static final int REQUEST_BYTES = 1 << 20;

  private final PageStore store;
  private final int bitsPerPage;
  private final long pages;

  private BitPages(PageStore store, long bits) {
    this.store = store;
    this.bitsPerPage = (store.pageBytes() - PageStore.HEADER_BYTES) * Byte.SIZE;
    this.pages = (bits + bitsPerPage - 1) / bitsPerPage;
  }

  /** {@code bits} bits, all zero, in a store that is empty. */
  static BitPages create(PageStore store, long bits) throws IOException {
    checkPages(store, 0);
    BitPages made = new BitPages(store, bits);
    int most = (int) Math.min(made.pages, REQUEST_BYTES / store.pageBytes());
    try (PageFrame zeros = PageFrames.allocate(most, store.pageBytes())) {
      for (int at = 0; at < zeros.bytes().capacity(); at += Long.BYTES) {
        zeros.bytes().putLong(at, 0);
      }
      while (store.pages() < made.pages) {
        store.append((int) Math.min(most, made.pages - store.pages()), zeros);
      }
    }
    return made;
  }

  /** {@code bits} bits, in a store that has exactly the pages for them. */
  static BitPages open(PageStore store, long bits) {
    BitPages there = new BitPages(store, bits);
    checkPages(store, there.pages);
    return there;
  }

  private static void checkPages(PageStore store, long expected) {
    if (store.pages() != expected) {
      throw new IllegalArgumentException(
          store.name() + " has " + store.pages() + " pages, must have " + expected);
    }
  }

  PageStore store() {
    return store;
  }

  /** The page that a bit is on. */
  long page(long bit) {
    return bit / bitsPerPage;
  }

  /** Whether a bit is set, on its page, which is the i-th of a frame. */
  boolean isSet(long bit, PageFrame frame, int i) {
    return (frame.bytes().get(offset(bit, frame, i)) & 1 << (bit % bitsPerPage & 7)) != 0;
  }

  /** Sets a bit on its page, which is the i-th of a frame. */
  void set(long bit, PageFrame frame, int i) {
    int at = offset(bit, frame, i);
    frame.bytes().put(at, (byte) (frame.bytes().get(at) | 1 << (bit % bitsPerPage & 7)));
  }

  private int offset(long bit, PageFrame frame, int i) {
    return frame.payloadOffset(i) + (int) (bit % bitsPerPage >>> 3);
  }
}
