package io.winnow.flash.bufferhash;

import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageStore;
import java.nio.ByteBuffer;

/**
 * The header of a page of a BufferHash's file, after the header that every page has:
 * schema-critical.
 *
 * <pre>
 *   8 sequence (8) | 16 kind (4) | 20 number (4) | 24 last logged operation (8) | 32 payload
 * </pre>
 *
 * <p>The sequence distinguishes the pages of an incarnation from earlier ones in its slot.
 */
final class TablePage {
  /** Number that marks an index page of an incarnation in its header. */
  static final int INDEX = 2;

  /** Number that marks a data page of an incarnation in its header. */
  static final int DATA = 3;

  private static final int SEQUENCE = PageStore.HEADER_BYTES;
  private static final int KIND = SEQUENCE + 8;
  private static final int NUMBER = KIND + 4;
  private static final int OPERATION = NUMBER + 4;
  static final int HEADER_BYTES = OPERATION + 8;

  private TablePage() {}

  /** Returns the number of bytes of a BufferHash's page that follow its headers. */
  static int payloadBytes(int pageBytes) {
    return pageBytes - HEADER_BYTES;
  }

  /**
   * Returns the offset in a frame (page buffer) at which the payload of one of its pages begins.
   */
  static int payload(PageFrame frame, int page) {
    return page * frame.pageBytes + HEADER_BYTES;
  }

  /** Writes the header of a page of a BufferHash's file. */
  static void writeHead(
      PageFrame frame, int page, long sequence, int kind, int number, long operation) {
    ByteBuffer bytes = frame.bytes;
    int at = page * frame.pageBytes;
    frame.setVersion(page, 0);
    bytes.putLong(at + SEQUENCE, sequence);
    bytes.putInt(at + KIND, kind);
    bytes.putInt(at + NUMBER, number);
    bytes.putLong(at + OPERATION, operation);
  }

  /** Returns the sequence number of the incarnation that a page belongs to. */
  static long sequence(PageFrame frame, int page) {
    return frame.bytes.getLong(page * frame.pageBytes + SEQUENCE);
  }

  /** Returns the kind of a BufferHash's page: index or data. */
  static int kind(PageFrame frame, int page) {
    return frame.bytes.getInt(page * frame.pageBytes + KIND);
  }

  /** Returns the number of records on a data page, or the place of an index page in the index. */
  static int number(PageFrame frame, int page) {
    return frame.bytes.getInt(page * frame.pageBytes + NUMBER);
  }

  /** Returns the number of the last logged operation in the page's incarnation or an older one. */
  static long operation(PageFrame frame, int page) {
    return frame.bytes.getLong(page * frame.pageBytes + OPERATION);
  }

  /**
   * Returns whether a BufferHash's page was never written, or was erased: all zeros, except the
   * header that every page has.
   */
  static boolean isBlank(PageFrame frame, int page) {
    ByteBuffer bytes = frame.bytes;
    int begin = page * frame.pageBytes;
    int end = begin + frame.pageBytes;
    for (int at = begin + PageStore.HEADER_BYTES; at < end; at += Long.BYTES) {
      if (bytes.getLong(at) != 0) {
        return false;
      }
    }
    return true;
  }
}
