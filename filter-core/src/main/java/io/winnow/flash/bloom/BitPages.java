package io.winnow.flash.bloom;

import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An array of bits on the pages of a store, and nothing else: a page takes as many as its payload
 * has, in order, the lowest bit of each byte first. Schema-critical.
 */
public final class BitPages {
  /** What one request writes while the pages are made. */
  private static final int REQUEST_BYTES = 1 << 20;

  final PageStore store;
  private final int bitsPerPage;
  private final long pages;

  private BitPages(PageStore store, long bits) {
    this.store = store;
    this.bitsPerPage = bitsPerPage(store.pageBytes());
    this.pages = (bits + bitsPerPage - 1) / bitsPerPage;
  }

  /** {@code bits} bits, all zero, in a store that is empty. */
  static BitPages create(PageStore store, long bits) throws IOException {
    checkPages(store, 0);
    BitPages made = new BitPages(store, bits);
    appendZeros(store, made.pages);
    return made;
  }

  /** {@code bits} bits, in a store that has exactly the pages for them. */
  static BitPages open(PageStore store, long bits) {
    BitPages there = new BitPages(store, bits);
    checkPages(store, there.pages);
    return there;
  }

  private static void checkPages(PageStore store, long expected) {
    Arguments.check(
        store.pages() == expected,
        store.name() + " has " + store.pages() + " pages, must have " + expected);
  }

  /** The bits that a page has. */
  public static int bitsPerPage(int pageBytes) {
    return (pageBytes - PageStore.HEADER_BYTES) * Byte.SIZE;
  }

  /** Appends pages whose bits are all zero, until the store has so many. */
  public static void appendZeros(PageStore store, long pages) throws IOException {
    long missing = pages - store.pages();
    if (missing <= 0) {
      return;
    }
    int most = (int) Math.min(missing, Math.max(1, REQUEST_BYTES / store.pageBytes()));
    try (PageFrame zeros = PageFrames.allocate(most, store.pageBytes())) {
      for (int i = 0; i < most; i++) {
        zeros.fill(i, 0, 0);
      }
      while (store.pages() < pages) {
        store.append((int) Math.min(most, pages - store.pages()), zeros);
      }
    }
  }

  /** The page that a bit is on. */
  long page(long bit) {
    return bit / bitsPerPage;
  }

  /** Whether a bit is set, on its page, which is the i-th of a frame. */
  boolean isSet(long bit, PageFrame frame, int i) {
    return isSet(frame.bytes(), frame.payloadOffset(i), (int) (bit % bitsPerPage));
  }

  /** Sets a bit on its page, which is the i-th of a frame. */
  void set(long bit, PageFrame frame, int i) {
    set(frame.bytes(), frame.payloadOffset(i), (int) (bit % bitsPerPage));
  }

  /** Whether a bit of the page is set whose payload begins at this offset. */
  public static boolean isSet(ByteBuffer bytes, int payloadOffset, int bit) {
    return (bytes.get(payloadOffset + (bit >>> 3)) & 1 << (bit & 7)) != 0;
  }

  /** Sets a bit of the page whose payload begins at this offset. */
  public static void set(ByteBuffer bytes, int payloadOffset, int bit) {
    int at = payloadOffset + (bit >>> 3);
    bytes.put(at, (byte) (bytes.get(at) | 1 << (bit & 7)));
  }
}
