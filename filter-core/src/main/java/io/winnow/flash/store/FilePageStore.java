package io.winnow.flash.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Pages in a file, page {@code n} at byte {@code n * pageBytes}, with direct I/O where the file
 * system has it; {@link #mode} says whether.
 *
 * <p>Cost: a request is one {@code pread} or {@code pwrite}, and a CRC32C over its bytes (about a
 * microsecond a page of 4 KiB at most).
 */
public final class FilePageStore implements PageStore {
  private static final ThreadLocal<PageChecksum> CHECKSUM =
      ThreadLocal.withInitial(PageChecksum::new);

  private final FlashFile file;
  private final int pageBytes;
  private final long salt;
  private final IoCounters counters;

  private volatile long pages;

  private FilePageStore(FlashFile file, int pageBytes, long salt, long pages, IoCounters counters) {
    this.file = file;
    this.pageBytes = pageBytes;
    this.salt = salt;
    this.pages = pages;
    this.counters = counters;
  }

  /** Creates a file, which must not be there yet, and asks for direct I/O. */
  public static FilePageStore create(Path path, int pageBytes) throws IOException {
    return create(FileAccess.SYSTEM, path, pageBytes, true, new IoCounters());
  }

  /** Opens a file of whole pages, and asks for direct I/O. */
  public static FilePageStore open(Path path, int pageBytes) throws IOException {
    return open(FileAccess.SYSTEM, path, pageBytes, true, new IoCounters());
  }

  /** Creates a file, which must not be there yet. */
  public static FilePageStore create(
      FileAccess access, Path path, int pageBytes, boolean direct, IoCounters counters)
      throws IOException {
    return create(access, path, pageBytes, 0, direct, counters);
  }

  /**
   * Creates a file, which must not be there yet.
   *
   * @param salt what tells its pages from those of all other files: a random number
   */
  public static FilePageStore create(
      FileAccess access, Path path, int pageBytes, long salt, boolean direct, IoCounters counters)
      throws IOException {
    checkPageBytes(pageBytes);
    FlashFile file = FlashFile.create(access, path, direct);
    return new FilePageStore(file, pageBytes, salt, 0, counters);
  }

  /** Opens a file of whole pages. */
  public static FilePageStore open(
      FileAccess access, Path path, int pageBytes, boolean direct, IoCounters counters)
      throws IOException {
    return open(access, path, pageBytes, 0, direct, counters);
  }

  /** Opens a file of whole pages, which has this salt. */
  public static FilePageStore open(
      FileAccess access, Path path, int pageBytes, long salt, boolean direct, IoCounters counters)
      throws IOException {
    checkPageBytes(pageBytes);
    return of(FlashFile.open(access, path, direct), pageBytes, salt, counters);
  }

  /** Opens a file of whole pages, which has this salt, and is not written to. */
  public static FilePageStore openToRead(
      FileAccess access, Path path, int pageBytes, long salt, boolean direct, IoCounters counters)
      throws IOException {
    checkPageBytes(pageBytes);
    return of(FlashFile.openToRead(access, path, direct), pageBytes, salt, counters);
  }

  private static FilePageStore of(FlashFile file, int pageBytes, long salt, IoCounters counters)
      throws IOException {
    try {
      long size = file.size();
      if (size % pageBytes != 0) {
        throw new DamagedPageException(
            file.path().toString(),
            size / pageBytes,
            "the file ends " + size % pageBytes + " bytes into it, of " + pageBytes);
      }
      return new FilePageStore(file, pageBytes, salt, size / pageBytes, counters);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  public static void checkPageBytes(int pageBytes) {
    if (pageBytes < MIN_PAGE_BYTES
        || pageBytes > MAX_PAGE_BYTES
        || pageBytes % MIN_PAGE_BYTES != 0) {
      throw new IllegalArgumentException(
          String.format(
              "pages are multiples of %s bytes up to %s, not %s",
              MIN_PAGE_BYTES, MAX_PAGE_BYTES, pageBytes));
    }
  }

  // ---- The bounds of a request, the same for all stores ----

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
          String.format(
              "%s pages of %s bytes in a frame of %s of %s",
              count, store.pageBytes(), frame.pages(), frame.pageBytes()));
    }
  }

  private static IllegalArgumentException outside(PageStore store, long firstPage, int count) {
    return new IllegalArgumentException(
        count + " pages from " + firstPage + " on: " + store.name() + " has " + store.pages());
  }

  // ---- Pages ----

  @Override
  public String name() {
    return file.path().toString();
  }

  @Override
  public int pageBytes() {
    return pageBytes;
  }

  @Override
  public long pages() {
    return pages;
  }

  @Override
  public IoMode mode() {
    return file.mode();
  }

  @Override
  public IoCounters counters() {
    return counters;
  }

  @Override
  public void read(long firstPage, int count, PageFrame into) throws IOException {
    checkRead(this, firstPage, count, into);
    file.read(window(into, count), firstPage * pageBytes);
    counters.countRead((long) count * pageBytes);
    CHECKSUM.get().check(name(), into, salt, firstPage, count);
  }

  @Override
  public void write(long firstPage, int count, PageFrame from) throws IOException {
    checkWrite(this, firstPage, count, from);
    writeStamped(firstPage, count, from);
  }

  @Override
  public synchronized long append(int count, PageFrame from) throws IOException {
    long firstPage = pages;
    checkWrite(this, firstPage, count, from);
    writeStamped(firstPage, count, from);
    return firstPage;
  }

  private void writeStamped(long firstPage, int count, PageFrame from) throws IOException {
    CHECKSUM.get().stamp(from, salt, firstPage, count);
    file.write(window(from, count), firstPage * pageBytes);
    counters.countWrite((long) count * pageBytes);
    grow(firstPage + count);
  }

  private synchronized void grow(long atLeast) {
    pages = Math.max(pages, atLeast);
  }

  private ByteBuffer window(PageFrame frame, int count) {
    return frame.bytes().duplicate().clear().limit(count * pageBytes);
  }

  @Override
  public void force() throws IOException {
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
