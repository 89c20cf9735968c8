package io.winnow.flash.store;

import java.io.Closeable;
import java.io.IOException;

/**
 * An array of pages of one size that grows at its end.
 *
 * <p>A page is {@link #pageBytes} long, a multiple of 4096, of which the first {@value
 * #HEADER_BYTES} are its header: a CRC32C over its number and its payload, and its version (4
 * bytes, 0 to 2^16 - 1), of whoever writes it. The number is that of the page, exclusive-or the
 * store's salt, exclusive-or the version times 2^48 (8 bytes, little-endian). A write puts the
 * checksum there, a read checks it. With a salt that is a random number of the structure's own, a
 * page of another structure or of another place is damaged here.
 *
 * <p>Thread-safe, as long as no page is read while it is written; reads of many threads at once go
 * to the medium at once.
 */
public interface PageStore extends Closeable {
  /** The smallest page, and what every page is a multiple of. */
  int MIN_PAGE_BYTES = 4096;

  /** The largest page. */
  int MAX_PAGE_BYTES = 1 << 20;

  /** What the store keeps of each page for itself, at its begin. */
  int HEADER_BYTES = 8;

  /** Names the store in messages: a file's path. */
  String name();

  int pageBytes();

  /** How many pages there are. */
  long pages();

  /** Whether pages go past the page cache. */
  IoMode mode();

  /** What has been read and written through this store. */
  IoCounters counters();

  /**
   * Reads one page to the frame's begin.
   *
   * @throws DamagedPageException if its checksum does not match
   */
  default void read(long page, PageFrame into) throws IOException {
    read(page, 1, into);
  }

  /**
   * Reads adjacent pages to the frame's begin, in one request.
   *
   * @throws DamagedPageException if a checksum does not match
   */
  void read(long firstPage, int count, PageFrame into) throws IOException;

  /**
   * Writes the first {@code count} pages of a frame, in one request. The first of them may be any
   * page that is there, or the one after the last; there are no holes.
   */
  void write(long firstPage, int count, PageFrame from) throws IOException;

  /** Writes the first {@code count} pages of a frame after the last one; where, is returned. */
  long append(int count, PageFrame from) throws IOException;

  /** Returns when all that was written is safe from a power failure. */
  void force() throws IOException;
}
