package io.winnow.cascade;

import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.DamagedPageException;
import java.io.IOException;
import java.nio.ByteBuffer;

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
   * Returns the new length of an array of fences (the top bits of each page's first slot) that has
   * become too short.
   *
   * @throws IOException if an array cannot be that long
   */
  static int room(int now, long needed, int pageBytes) throws IOException {
    if (needed > Manifest.MAX_PAGES) {
      throw new IOException(
          String.format(
              "a level of more than %s pages of %s bytes: make the filter with larger pages, or"
                  + " several filters",
              Manifest.MAX_PAGES, pageBytes));
    }
    long size = Math.max(needed, now + (long) (now >> 2));
    return (int) Math.min(size, Manifest.MAX_PAGES);
  }

  /** Returns the number of pages' fences (32 bits each) that fit into a page. */
  private static int perPage(int pageBytes) {
    return (pageBytes - PageStore.HEADER_BYTES - HEADER_BYTES) / Integer.BYTES;
  }

  /** Appends the fences of all pages of slots to a level's file. */
  static void append(PageStore store, long number, long entries, int[] fences) throws IOException {
    int each = perPage(store.pageBytes);
    try (PageFrame frame = PageFrames.allocate(1, store.pageBytes)) {
      for (long from = 0; from < fences.length; from += each) {
        ByteBuffer page = frame.bytes;
        frame.fill(0, 0, 0);
        int at = frame.payloadOffset(0);
        page.putLong(at, (long) KIND_FENCES << 40);
        page.putLong(at + 8, number);
        page.putLong(at + 16, fences.length);
        page.putLong(at + 24, entries);
        int count = (int) Math.min(each, fences.length - from);
        for (int i = 0; i < count; i++) {
          page.putInt(at + HEADER_BYTES + i * Integer.BYTES, fences[(int) from + i]);
        }
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
      throw new DamagedPageException(
          store.name(),
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
        ByteBuffer bytes = frame.bytes;
        int at = frame.payloadOffset(0);
        if (bytes.getLong(at) != (long) KIND_FENCES << 40
            || bytes.getLong(at + 8) != level.number
            || bytes.getLong(at + 16) != dataPages
            || bytes.getLong(at + 24) != level.entries) {
          throw new DamagedPageException(
              store.name(),
              page,
              "it does not have the fences of the level that the manifest names");
        }
        int count = (int) Math.min(each, fences.length - from);
        for (int i = 0; i < count; i++) {
          fences[(int) from + i] = bytes.getInt(at + HEADER_BYTES + i * Integer.BYTES);
        }
      }
    }
    return fences;
  }
}
