package io.winnow.cascade;

import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The last pages of a level's file, which hold the fence (top bits of the first slot) of each page
 * of slots. Each of these names the file that it belongs to. Schema-critical.
 */
final class LevelFile {
  private static final int KIND_FENCES = 2;

  /** Bytes of the header of a page of fences: kind, file number, data pages, entries. */
  private static final int HEADER_BYTES = 32;

  private LevelFile() {}

  /**
   * Returns the number of pages that hold a fence (top bits of the first slot) for each of {@code
   * dataPages} pages of slots.
   */
  static long fencePages(long dataPages, int pageBytes) {
    int each = perPage(pageBytes);
    return (dataPages + each - 1) / each;
  }

  /**
   * Checks that an array can have the fences (the top bits of the first slot) of a level's pages.
   *
   * @throws IOException if an array cannot be that long
   */
  static void checkPages(long pages, int pageBytes) throws IOException {
    if (pages > Manifest.MAX_PAGES) {
      throw new IOException(
          String.format(
              "a level of more than %s pages of %s bytes: make the filter with larger pages, or"
                  + " several filters",
              Manifest.MAX_PAGES, pageBytes));
    }
  }

  /** Returns the number of pages' fences (32 bits each) that fit into a page. */
  private static int perPage(int pageBytes) {
    return (pageBytes - PageStore.HEADER_BYTES - HEADER_BYTES) / Integer.BYTES;
  }

  /** Returns a buffer over a frame's page that is at the first byte of its payload. */
  private static ByteBuffer payload(PageFrame frame) {
    return frame.bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).position(frame.payloadOffset(0));
  }

  /** Appends the fences of all pages of slots to a level's file. */
  static void append(PageStore store, long number, long entries, int[] fences) throws IOException {
    int each = perPage(store.pageBytes);
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes)) {
      for (long from = 0; from < fences.length; from += each) {
        frame.fill(0, 0, 0);
        payload(frame)
            .putLong((long) KIND_FENCES << 40)
            .putLong(number)
            .putLong(fences.length)
            .putLong(entries)
            .asIntBuffer()
            .put(fences, (int) from, (int) Math.min(each, fences.length - from));
        store.append(1, frame);
      }
    }
  }

  /**
   * Reads the fences of all pages of a level's file, and checks that they belong to the level that
   * the manifest names.
   */
  static int[] read(PageStore store, Manifest.LevelEntry level) throws IOException {
    int dataPages = level.pages;
    if (store.pages() != dataPages + fencePages(dataPages, store.pageBytes)) {
      throw store.damaged(
          store.pages(),
          String.format(
              "the file has %s pages, but the manifest names %s pages of slots",
              store.pages(), dataPages));
    }
    int[] fences = new int[dataPages];
    int each = perPage(store.pageBytes);
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes)) {
      for (long from = 0; from < fences.length; from += each) {
        long page = dataPages + from / each;
        store.read(page, frame);
        ByteBuffer payload = payload(frame);
        if (payload.getLong() != (long) KIND_FENCES << 40
            || payload.getLong() != level.number
            || payload.getLong() != dataPages
            || payload.getLong() != level.entries) {
          throw store.damaged(
              page, "it does not have the fences of the level that the manifest names");
        }
        payload.asIntBuffer().get(fences, (int) from, (int) Math.min(each, fences.length - from));
      }
    }
    return fences;
  }
}
