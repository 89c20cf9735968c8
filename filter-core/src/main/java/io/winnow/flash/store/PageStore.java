package io.winnow.flash.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A file that is an array of pages of one size, and grows at its end: page {@code n} is at byte
 * {@code n * pageBytes}. Direct I/O is used where the file system has it; {@link #mode} says
 * whether.
 *
 * <p>A page is {@link #pageBytes} long, a multiple of 4096, of which the first {@value
 * #HEADER_BYTES} are its header: a CRC32C over its number and its payload, and its version (4
 * bytes, 0 to 2^16 - 1), of whoever writes it. The number is that of the page, exclusive-or the
 * store's salt, exclusive-or the version times 2^48 (8 bytes, little-endian). A write puts the
 * checksum there, a read checks it. With a salt that is a random number of the structure's own, a
 * page of another structure or of another place is damaged here.
 *
 * <p>Cost: a request is one {@code pread} or {@code pwrite}, and a CRC32C over its bytes (about a
 * microsecond a page of 4 KiB at most).
 *
 * <p>Thread-safe, as long as no page is read while it is written; reads of many threads at once go
 * to the drive at once.
 */
public final class PageStore implements Closeable {
  /** The smallest page, and what every page is a multiple of. */
  public static final int MIN_PAGE_BYTES = 4096;

  /** The largest page. */
  public static final int MAX_PAGE_BYTES = 1 << 20;

  /** What the store keeps of each page for itself, at its begin. */
  public static final int HEADER_BYTES = 8;

  private static final ThreadLocal<PageChecksum> CHECKSUM =
      ThreadLocal.withInitial(PageChecksum::new);

  private final FlashFile file;
  private final int pageBytes;
  private final long salt;
  private final IoCounters counters;

  private final AtomicLong pages;

  private PageStore(
      FlashFile file, int pageBytes, long salt, AtomicLong pages, IoCounters counters) {
    this.file = file;
    this.pageBytes = pageBytes;
    this.salt = salt;
    this.pages = pages;
    this.counters = counters;
  }

  /** Creates a file, which must not be there yet, and asks for direct I/O. */
  public static PageStore create(Path path, int pageBytes) throws IOException {
    return create(FileAccess.SYSTEM, path, pageBytes, 0, true, new IoCounters());
  }

  /** Opens a file of whole pages, and asks for direct I/O. */
  public static PageStore open(Path path, int pageBytes) throws IOException {
    return open(FileAccess.SYSTEM, path, pageBytes, 0, true, true, new IoCounters());
  }

  /**
   * Creates a file, which must not be there yet.
   *
   * @param salt what tells its pages from those of all other files: a random number
   */
  public static PageStore create(
      FileAccess access, Path path, int pageBytes, long salt, boolean direct, IoCounters counters)
      throws IOException {
    checkPageBytes(pageBytes, MAX_PAGE_BYTES);
    FlashFile file = FlashFile.create(access, path, direct);
    return new PageStore(file, pageBytes, salt, new AtomicLong(), counters);
  }

  /**
   * Opens a file of whole pages, which has this salt.
   *
   * @param toWrite false if it is not written to, and may be one that cannot be
   */
  public static PageStore open(
      FileAccess access,
      Path path,
      int pageBytes,
      long salt,
      boolean direct,
      boolean toWrite,
      IoCounters counters)
      throws IOException {
    checkPageBytes(pageBytes, MAX_PAGE_BYTES);
    FlashFile file = FlashFile.open(access, path, direct, toWrite);
    try {
      long size = file.size();
      if (size % pageBytes != 0) {
        throw new DamagedPageException(
            file.path().toString(),
            size / pageBytes,
            "the file ends " + size % pageBytes + " bytes into it, of " + pageBytes);
      }
      return new PageStore(file, pageBytes, salt, new AtomicLong(size / pageBytes), counters);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /**
   * The same open file, closed with it, for pages of another salt: what its owner finds in pages of
   * this one.
   */
  public PageStore salted(long more) {
    return new PageStore(file, pageBytes, salt ^ more, pages, counters);
  }

  /** Refuses a size that pages cannot have, or that a structure with smaller ones cannot. */
  public static void checkPageBytes(int pageBytes, int most) {
    Arguments.check(
        pageBytes >= MIN_PAGE_BYTES && pageBytes <= most && pageBytes % MIN_PAGE_BYTES == 0,
        String.format(
            "pages of %s bytes, must be a multiple of %s up to %s",
            pageBytes, MIN_PAGE_BYTES, most));
  }

  // ---- What it is ----

  /** Names the store in messages: the file's path. */
  public String name() {
    return file.path().toString();
  }

  public int pageBytes() {
    return pageBytes;
  }

  /** How many pages there are. */
  public long pages() {
    return pages.get();
  }

  /** Whether pages go past the page cache. */
  public IoMode mode() {
    return file.mode();
  }

  /** What has been read and written through this store. */
  public IoCounters counters() {
    return counters;
  }

  // ---- Pages ----

  /**
   * Reads one page to the frame's begin.
   *
   * @throws DamagedPageException if its checksum does not match
   */
  public void read(long page, PageFrame into) throws IOException {
    read(page, 1, into);
  }

  /**
   * Reads adjacent pages to the frame's begin, in one request.
   *
   * @throws DamagedPageException if a checksum does not match
   */
  public void read(long firstPage, int count, PageFrame into) throws IOException {
    check(firstPage, count, pages() - count, into);
    file.read(window(into, count), firstPage * pageBytes);
    counters.countRead((long) count * pageBytes);
    CHECKSUM.get().check(name(), into, salt, firstPage, count);
  }

  /**
   * Writes the first {@code count} pages of a frame, in one request. The first of them may be any
   * page that is there, or the one after the last; there are no holes.
   */
  public void write(long firstPage, int count, PageFrame from) throws IOException {
    check(firstPage, count, pages(), from);
    CHECKSUM.get().stamp(from, salt, firstPage, count);
    file.write(window(from, count), firstPage * pageBytes);
    counters.countWrite((long) count * pageBytes);
    pages.accumulateAndGet(firstPage + count, Math::max);
  }

  /** Writes the first {@code count} pages of a frame after the last one; where, is returned. */
  public synchronized long append(int count, PageFrame from) throws IOException {
    long firstPage = pages();
    write(firstPage, count, from);
    return firstPage;
  }

  private void check(long firstPage, int count, long lastFirstPage, PageFrame frame) {
    if (count < 1 || count > frame.pages() || frame.pageBytes() != pageBytes) {
      throw new IllegalArgumentException(
          String.format(
              "%s pages of %s bytes in a frame of %s of %s",
              count, pageBytes, frame.pages(), frame.pageBytes()));
    }
    if (firstPage < 0 || firstPage > lastFirstPage) {
      throw new IllegalArgumentException(
          count + " pages from " + firstPage + " on: " + name() + " has " + pages());
    }
  }

  private ByteBuffer window(PageFrame frame, int count) {
    return frame.bytes().duplicate().clear().limit(count * pageBytes);
  }

  /** Returns when all that was written is safe from a power failure. */
  public void force() throws IOException {
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
