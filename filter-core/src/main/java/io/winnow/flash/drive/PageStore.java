package io.winnow.flash.drive;

import io.winnow.base.Arguments;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A file that is an array of pages of one size and grows at its end: page {@code n} is at byte
 * {@code n * pageBytes}. It uses direct I/O where the file system supports it; {@link #isDirect}
 * says whether.
 *
 * <p>The length of a page is a multiple of 4096. Its first {@value #HEADER_BYTES} bytes are the
 * header: a CRC32C over the salted number and the payload, and the version (4 bytes, 0 to 2^16 -
 * 1), which the structure sets. The salted number is the page's number, exclusive-or the store's
 * salt, exclusive-or the version times 2^48 (8 bytes, little-endian). A write stores the checksum,
 * a read checks it. If the salt is a random number of the structure, a page of another structure or
 * another place counts as damaged.
 *
 * <p>Cost: a request is one {@code pread} or {@code pwrite}, and a CRC32C over its bytes (at most
 * about a microsecond per page of 4 KiB).
 *
 * <p>Thread-safe, as long as no page is read while it is written. Reads of several threads go to
 * the drive at the same time.
 */
public final class PageStore implements Closeable {
  /** Minimum of the size of a page in bytes; each page size is a multiple of it. */
  public static final int MIN_PAGE_BYTES = 4096;

  /** Maximum of the size of a page in bytes. */
  public static final int MAX_PAGE_BYTES = 1 << 20;

  /** Size in bytes of the header with which each page begins. */
  public static final int HEADER_BYTES = 8;

  private static final ThreadLocal<PageChecksum> CHECKSUM =
      ThreadLocal.withInitial(PageChecksum::new);

  private final FlashFile file;

  /** Size of the store's pages in bytes. */
  public final int pageBytes;

  private final long salt;

  /** Counters of this store's reads and writes. */
  public final IoCounters counters;

  private final AtomicLong pages;

  private PageStore(
      FlashFile file, int pageBytes, long salt, AtomicLong pages, IoCounters counters) {
    this.file = file;
    this.pageBytes = pageBytes;
    this.salt = salt;
    this.pages = pages;
    this.counters = counters;
  }

  /** Creates a file of pages, with direct I/O where possible. It must not exist yet. */
  public static PageStore create(Path path, int pageBytes) throws IOException {
    return create(FileAccess.SYSTEM, path, pageBytes, 0, true, new IoCounters());
  }

  /** Opens a file of whole pages, with direct I/O where possible. */
  public static PageStore open(Path path, int pageBytes) throws IOException {
    return open(FileAccess.SYSTEM, path, pageBytes, 0, true, true, new IoCounters());
  }

  /**
   * Creates a file of pages, which must not exist yet.
   *
   * @param salt random number that distinguishes its pages from those of other files
   * @param direct whether to use direct I/O where possible
   */
  public static PageStore create(
      FileAccess access, Path path, int pageBytes, long salt, boolean direct, IoCounters counters)
      throws IOException {
    checkPageBytes(pageBytes, MAX_PAGE_BYTES);
    FlashFile file = FlashFile.create(access, path, direct);
    return new PageStore(file, pageBytes, salt, new AtomicLong(), counters);
  }

  /**
   * Opens a file of whole pages that was created with this salt of its checksums.
   *
   * @param direct whether to use direct I/O where possible
   * @param toWrite false if the file is only read; it may be read-only then
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
    long size = Opening.orClose(file, () -> wholeBytes(file, pageBytes));
    return new PageStore(file, pageBytes, salt, new AtomicLong(size / pageBytes), counters);
  }

  /** Returns the size in bytes of a file, and checks that it has whole pages. */
  private static long wholeBytes(FlashFile file, int pageBytes) throws IOException {
    long size = file.size();
    if (size % pageBytes != 0) {
      throw new DamagedPageException(
          file.path.toString(),
          size / pageBytes,
          "the file ends after " + size % pageBytes + " of its " + pageBytes + " bytes");
    }
    return size;
  }

  /**
   * Returns a store for pages whose checksums have another salt, in this store's open file, which
   * is closed with this store. A structure reads the additional salt in pages of this store.
   */
  public PageStore salted(long more) {
    return new PageStore(file, pageBytes, salt ^ more, pages, counters);
  }

  /**
   * Checks that a page size is a multiple of the minimum and not too large.
   *
   * @param max the largest size that the structure allows
   * @throws IllegalArgumentException if the size is not a multiple of 4096, or larger
   */
  public static void checkPageBytes(int pageBytes, int max) {
    Arguments.check(
        pageBytes >= MIN_PAGE_BYTES && pageBytes <= max && pageBytes % MIN_PAGE_BYTES == 0,
        String.format(
            "pages of %s bytes, must be a multiple of %s up to %s",
            pageBytes, MIN_PAGE_BYTES, max));
  }

  // ---- Properties ----

  /** Returns the name of the store for messages: the file's path. */
  public String name() {
    return file.path.toString();
  }

  /** Returns the number of pages in the store's file. */
  public long pages() {
    return pages.get();
  }

  /** Returns whether the store's file uses direct I/O. */
  public boolean isDirect() {
    return file.isDirect();
  }

  // ---- Pages ----

  /**
   * Reads one page of the store to the start of a frame (page buffer).
   *
   * @throws DamagedPageException if its checksum does not match
   */
  public void read(long page, PageFrame into) throws IOException {
    read(page, 1, into);
  }

  /**
   * Reads adjacent pages of the store to the start of a frame (page buffer), in one request.
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
   * Writes the first {@code count} pages of a frame (page buffer) to the store, in one request.
   *
   * @param firstPage number of an existing page, or of the one after the last: there are no holes
   */
  public void write(long firstPage, int count, PageFrame from) throws IOException {
    check(firstPage, count, pages(), from);
    CHECKSUM.get().stamp(from, salt, firstPage, count);
    file.write(window(from, count), firstPage * pageBytes);
    counters.countWrite((long) count * pageBytes);
    pages.accumulateAndGet(firstPage + count, Math::max);
  }

  /**
   * Appends the first {@code count} pages of a frame (page buffer) to the store's file.
   *
   * @return the number of the first one
   */
  public synchronized long append(int count, PageFrame from) throws IOException {
    long firstPage = pages();
    write(firstPage, count, from);
    return firstPage;
  }

  /** A read and a check of one page of a structure. */
  public interface PageCheck {
    /**
     * Reads and checks a page.
     *
     * @throws DamagedPageException if it is damaged
     */
    void check(long page) throws IOException;
  }

  /** Returns an exception that says that a page of this store is damaged, and why. */
  public DamagedPageException damaged(long page, String reason) {
    return new DamagedPageException(name(), page, reason);
  }

  /** Checks a range of pages one by one, and returns the damage found. */
  public static List<DamagedPageException> damaged(long from, long to, PageCheck pages)
      throws IOException {
    List<DamagedPageException> found = new ArrayList<>();
    for (long page = from; page < to; page++) {
      try {
        pages.check(page);
      } catch (DamagedPageException e) {
        found.add(e);
      }
    }
    return found;
  }

  /** Checks that a read or write is within the store's pages and the frame. */
  private void check(long firstPage, int count, long lastFirstPage, PageFrame frame) {
    if (count < 1 || count > frame.pages() || frame.pageBytes != pageBytes) {
      throw new IllegalArgumentException(
          String.format(
              "%s pages of %s bytes in a frame of %s of %s",
              count, pageBytes, frame.pages(), frame.pageBytes));
    }
    if (firstPage < 0 || firstPage > lastFirstPage) {
      throw new IllegalArgumentException(
          count + " pages from " + firstPage + " on: " + name() + " has " + pages());
    }
  }

  private ByteBuffer window(PageFrame frame, int count) {
    return frame.bytes.duplicate().clear().limit(count * pageBytes);
  }

  /** Syncs the store's file: returns when all earlier writes are safe from a power failure. */
  public void force() throws IOException {
    file.force();
  }

  /** Returns the failure of an fsync of the store's file, as {@link FlashFile#failedSync}. */
  public Throwable failedSync() {
    return file.failedSync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
