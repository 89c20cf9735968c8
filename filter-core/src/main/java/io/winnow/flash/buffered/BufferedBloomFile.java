package io.winnow.flash.buffered;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.drive.DirectoryLock;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.FlashCounters;
import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.IoCounters;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.Pool;
import io.winnow.flash.drive.TextFile;
import io.winnow.flash.drive.VersionedPages;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The file of a {@link BufferedBloomFilter}: creates and opens it, with its head and pages, and
 * holds the lock of its directory. {@code docs/format/buffered-bloom-v3.md} describes the bytes.
 */
final class BufferedBloomFile implements Closeable {
  static final String NAME = "filter";

  /** Description of a buffered Bloom filter's directory in messages. */
  private static final String DESCRIPTION = "a buffered Bloom filter";

  static final String TEMPORARY_NAME = TextFile.temporary(NAME);

  /** Maximum of unused page buffers that are kept for later. */
  private static final int KEPT_FRAMES = 16;

  final Path directory;

  /** Lock of the filter's directory, or null for a reader. */
  final DirectoryLock lock;

  final BufferedBloomHead head;
  final BufferedBloomSizing sizing;

  /** Hash function for keys, or null if the filter was created for hashes. */
  final KeyHash keyHash;

  /** Access to all pages of the filter's file, with the file's name, size and counters. */
  final PageStore store;

  /** Access to the pages that have the filter's bits, each with a version number. */
  final VersionedPages pages;

  final FlashCounters<BufferedBloomCount> counters = new FlashCounters<>(BufferedBloomCount.class);

  private final AtomicBoolean closing = new AtomicBoolean();

  private BufferedBloomFile(
      Path directory,
      DirectoryLock lock,
      BufferedBloomHead head,
      PageStore store,
      VersionedPages pages) {
    this.directory = directory;
    this.lock = lock;
    this.head = head;
    this.sizing = head.content.sizing;
    this.keyHash = head.content.keyHash;
    this.store = store;
    this.pages = pages;
  }

  // ---- Creation ----

  /**
   * Creates an empty buffered Bloom filter in a directory, which is created if it is missing, and
   * opens its file.
   *
   * @throws FileAlreadyExistsException if the directory already has a filter
   */
  static BufferedBloomFile create(Path directory, BufferedBloomOptions options) throws IOException {
    FlashDirectory.make(options.access, directory, DESCRIPTION, NAME, TEMPORARY_NAME::equals);
    DirectoryLock lock = DirectoryLock.of(directory);
    try {
      Path file = directory.resolve(NAME);
      if (Files.exists(file)) {
        throw new FileAlreadyExistsException(
            file.toString(), null, "it exists: open the filter, or create another one elsewhere");
      }
      writeEmpty(directory, options);
      return open(directory, lock, options);
    } catch (IOException | RuntimeException | Error e) {
      close(lock, e);
      throw e;
    }
  }

  /**
   * Writes an empty buffered Bloom filter's file under a temporary name, syncs and renames it: a
   * crash leaves a complete filter or none.
   */
  private static void writeEmpty(Path directory, BufferedBloomOptions options) throws IOException {
    FileAccess access = options.access;
    BufferedBloomSizing sizing = options.sizing();
    Path temporary = directory.resolve(TEMPORARY_NAME);
    long id = options.ids.getAsLong();
    BufferedBloomHead.Content empty = BufferedBloomHead.Content.empty(sizing, options.keyHash, id);
    access.delete(temporary);
    try (PageStore heads =
        PageStore.create(
            access, temporary, PageStore.MIN_PAGE_BYTES, 0, options.directIo, new IoCounters())) {
      BufferedBloomHead.create(heads, empty);
    }
    try (PageStore pages =
        PageStore.open(
            access, temporary, sizing.pageBytes(), id, options.directIo, true, new IoCounters())) {
      BitPages.append(pages, allPages(empty), () -> 0);
      pages.force();
    }
    TextFile.commit(access, directory, NAME);
  }

  /** Returns the number of all pages in the buffered Bloom filter's file. */
  private static long allPages(BufferedBloomHead.Content head) {
    int pageBytes = head.sizing.pageBytes();
    return BufferedBloomHead.pagesBefore(pageBytes)
        + VersionedPages.withVersions(pageBytes, head.sizing.pages(), head.copies());
  }

  // ---- Opening ----

  /**
   * Opens the file of the buffered Bloom filter in a directory.
   *
   * @throws NoSuchFileException if there is none
   * @throws FilterFormatException if its head is damaged or of another version, or pages are
   *     missing
   */
  static BufferedBloomFile open(Path directory, BufferedBloomOptions options) throws IOException {
    checkIsThere(directory);
    DirectoryLock lock = DirectoryLock.of(directory);
    try {
      options.access.forceDirectory(directory); // a crash may have followed the rename
      return open(directory, lock, options);
    } catch (IOException | RuntimeException | Error e) {
      close(lock, e);
      throw e;
    }
  }

  /**
   * Checks that a directory has a buffered Bloom filter.
   *
   * @throws NoSuchFileException if it has none
   */
  static void checkIsThere(Path directory) throws IOException {
    FlashDirectory.checkNoFile(directory, DESCRIPTION);
    if (!Files.exists(directory.resolve(NAME))) {
      throw new NoSuchFileException(
          directory.resolve(NAME).toString(),
          null,
          "it is not the directory of " + DESCRIPTION + ": create one, or give the path of one");
    }
  }

  /**
   * Opens the file of the buffered Bloom filter in a directory whose lock the caller holds.
   *
   * @param lock the lock, or null to read a filter that nobody has open
   */
  static BufferedBloomFile open(Path directory, DirectoryLock lock, BufferedBloomOptions options)
      throws IOException {
    Path file = directory.resolve(NAME);
    PageStore heads = openPages(file, PageStore.MIN_PAGE_BYTES, 0, lock != null, options);
    Closeable opened = heads;
    PageStore store = null;
    try {
      BufferedBloomHead head = BufferedBloomHead.open(heads);
      opened = head;
      BufferedBloomSizing sizing = head.content.sizing;
      store = openPages(file, sizing.pageBytes(), head.content.id, lock != null, options);
      VersionedPages pages =
          VersionedPages.open(
              store,
              BufferedBloomHead.pagesBefore(sizing.pageBytes()),
              sizing.pages(),
              head.content.copies(),
              head.content.round);
      return new BufferedBloomFile(directory, lock, head, store, pages);
    } catch (IOException | RuntimeException | Error e) {
      close(store, e);
      close(opened, e);
      throw e;
    }
  }

  /**
   * Opens the buffered Bloom filter's file with a page size and a salt for its checksums; reports a
   * file that was cut.
   */
  private static PageStore openPages(
      Path file, int pageBytes, long salt, boolean toWrite, BufferedBloomOptions options)
      throws IOException {
    try {
      return PageStore.open(
          options.access, file, pageBytes, salt, options.directIo, toWrite, new IoCounters());
    } catch (DamagedPageException e) {
      throw new FilterFormatException(
          file + " was cut: put it back from a copy, or insert the keys into a new filter", e);
    }
  }

  /**
   * Returns the number in the file of the first page that has bits of the buffered Bloom filter.
   */
  long firstPage() {
    return BufferedBloomHead.pagesBefore(sizing.pageBytes());
  }

  /** Returns a pool of buffers of one page, for readers. */
  Pool<PageFrame> framePool() {
    int bytes = sizing.pageBytes();
    return new Pool<>(KEPT_FRAMES, () -> PageFrames.allocate(1, bytes), PageFrame::close);
  }

  // ---- One key ----

  /**
   * Returns the hash of a key, by the filter's hash function.
   *
   * @throws IllegalStateException if the filter was created for hashes, or is closed
   */
  long hash(byte[] key) {
    checkOpen();
    if (keyHash == null) {
      throw new IllegalStateException(
          directory + " was made without hashedBy: insert and query by hash");
    }
    return keyHash.hash(key);
  }

  /**
   * Reads the page of the buffered Bloom filter that a key belongs to. The caller holds the monitor
   * of its group.
   *
   * @throws DamagedPageException if the page is damaged, or an older version
   */
  void read(int group, long entry, PageFrame frame) throws IOException {
    pages.read(firstPage() + (long) group * sizing.groupPages() + sizing.page(entry), 1, frame);
  }

  /** Returns whether a page of the buffered Bloom filter has all bits of a key. */
  boolean hasKey(long entry, PageFrame frame) {
    return sizing.hasKey(frame.bytes, frame.payloadOffset(0), entry);
  }

  // ---- Closing ----

  /**
   * Begins to close the buffered Bloom filter's file: all later operations are refused.
   *
   * @return false if this was called before
   */
  boolean beginClose() {
    return closing.compareAndSet(false, true);
  }

  /**
   * Checks that this file of a buffered Bloom filter is open, and returns it.
   *
   * @throws IllegalStateException if it is closed
   */
  BufferedBloomFile checkOpen() {
    if (closing.get()) {
      throw new IllegalStateException(directory + " is closed");
    }
    return this;
  }

  @Override
  public void close() throws IOException {
    try (lock;
        store) {
      head.close();
    }
  }

  /** Closes a resource after a failure, if it was opened. */
  static void close(Closeable opened, Throwable failure) {
    try (opened) {
      // closing is all
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }
}
