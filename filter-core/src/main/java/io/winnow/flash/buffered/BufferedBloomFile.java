package io.winnow.flash.buffered;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.FlashCounters;
import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.HeadPair;
import io.winnow.flash.drive.IoCounters;
import io.winnow.flash.drive.Opening;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.Pool;
import io.winnow.flash.drive.TextFile;
import io.winnow.flash.drive.VersionedPages;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The file of a {@link BufferedBloomFilter}: creates and opens it, with its head and pages, and
 * holds the lock of its directory. {@code docs/format/buffered-bloom-v3.md} describes the bytes.
 */
final class BufferedBloomFile implements Closeable {
  static final String NAME = "filter";

  static final String TEMPORARY_NAME = TextFile.temporary(NAME);

  /** Kind of a buffered Bloom filter's directory. */
  static final FlashDirectory.Kind KIND =
      new FlashDirectory.Kind(
          "a buffered Bloom filter", NAME, TEMPORARY_NAME::equals, HeadPair.REMEDY, false);

  /** Maximum of unused page buffers that are kept for later. */
  private static final int KEPT_FRAMES = 16;

  final FlashDirectory directory;
  final HeadPair<BufferedBloomHead> heads;
  final BufferedBloomSizing sizing;

  /** Hash function for keys, or null if the filter was created for hashes. */
  final KeyHash keyHash;

  /** Access to all pages of the filter's file, with the file's name, size and counters. */
  final PageStore store;

  /** Access to the pages that have the filter's bits, each with a version number. */
  final VersionedPages pages;

  final FlashCounters<BufferedBloomCount> counters = new FlashCounters<>(BufferedBloomCount.class);

  /** Pool of buffers of one page, for probes of a single key. */
  private final Pool<PageFrame> frames;

  private BufferedBloomFile(
      FlashDirectory directory,
      HeadPair<BufferedBloomHead> heads,
      PageStore store,
      VersionedPages pages) {
    this.directory = directory;
    this.heads = heads;
    this.sizing = heads.newest().sizing;
    this.keyHash = heads.newest().keyHash;
    this.store = store;
    this.pages = pages;
    int pageBytes = sizing.pageBytes();
    this.frames =
        new Pool<>(KEPT_FRAMES, () -> PageFrames.allocate(1, pageBytes), PageFrame::close);
  }

  // ---- Creation ----

  /**
   * Writes an empty buffered Bloom filter's file under a temporary name, syncs and renames it: a
   * crash leaves a complete filter or none.
   */
  private static void writeEmpty(FlashDirectory directory, BufferedBloomOptions options)
      throws IOException {
    FileAccess access = directory.access;
    BufferedBloomSizing sizing = options.sizing();
    BlockSweeps.blockBytes(sizing, options.memoryBytes); // throws before a file is created
    Path temporary = directory.path.resolve(TEMPORARY_NAME);
    long id = options.ids.getAsLong();
    BufferedBloomHead empty = BufferedBloomHead.empty(sizing, options.keyHash, id);
    access.delete(temporary);
    try (PageStore heads =
        PageStore.create(
            access, temporary, PageStore.MIN_PAGE_BYTES, 0, options.directIo, new IoCounters())) {
      empty.create(heads);
    }
    try (PageStore pages =
        directory.openPages(
            TEMPORARY_NAME, sizing.pageBytes(), id, options.directIo, new IoCounters())) {
      BitPages.append(pages, allPages(empty), () -> 0);
      pages.force();
    }
    TextFile.commit(access, directory.path, NAME);
  }

  /** Returns the number of all pages in the buffered Bloom filter's file. */
  private static long allPages(BufferedBloomHead head) {
    int pageBytes = head.sizing.pageBytes();
    return BufferedBloomHead.pagesBefore(pageBytes)
        + VersionedPages.withVersions(pageBytes, head.sizing.pages(), head.copies());
  }

  // ---- Opening ----

  /**
   * Opens the file of the buffered Bloom filter in a directory, or creates that of an empty one.
   *
   * @throws FilterFormatException if its head is damaged or of another version, or pages are
   *     missing
   */
  static BufferedBloomFile open(Path path, BufferedBloomOptions options) throws IOException {
    FlashDirectory directory = KIND.open(options.access, path);
    return Opening.orClose(
        directory,
        () -> {
          if (KIND.isIn(path)) {
            options.access.forceDirectory(path); // a crash may have followed the rename
          } else {
            writeEmpty(directory, options);
          }
          return open(directory, options);
        });
  }

  /**
   * Opens the file of the buffered Bloom filter in a directory, which is locked or of a reader, who
   * has checked that nobody has it open.
   */
  static BufferedBloomFile open(FlashDirectory directory, BufferedBloomOptions options)
      throws IOException {
    boolean direct = options.directIo;
    HeadPair<BufferedBloomHead> heads =
        BufferedBloomHead.pair(
            directory.openPages(NAME, PageStore.MIN_PAGE_BYTES, 0, direct, new IoCounters()));
    return Opening.orClose(
        heads,
        () -> {
          BufferedBloomHead head = BufferedBloomHead.read(heads);
          PageStore store =
              directory.openPages(NAME, head.sizing.pageBytes(), head.id, direct, new IoCounters());
          VersionedPages pages = Opening.orClose(store, () -> head.openPages(store));
          return new BufferedBloomFile(directory, heads, store, pages);
        });
  }

  /**
   * Returns the number in the file of the first page that has bits of the buffered Bloom filter.
   */
  long firstPage() {
    return BufferedBloomHead.pagesBefore(sizing.pageBytes());
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
          directory.path + " was made for hashes: insert and query by hash");
    }
    return keyHash.hash(key);
  }

  /**
   * Reads the page of the buffered Bloom filter that a key belongs to, and returns whether it has
   * all bits of the key. The caller holds a monitor with which nobody writes the page.
   *
   * @throws DamagedPageException if the page is damaged, or an older version
   */
  boolean hasKey(int group, long entry) throws IOException {
    PageFrame frame = frames.take();
    try {
      pages.read(firstPage() + (long) group * sizing.groupPages() + sizing.page(entry), 1, frame);
      return sizing.hasKey(frame.bytes, frame.payloadOffset(0), entry);
    } finally {
      frames.putBack(frame);
    }
  }

  // ---- Closing ----

  /**
   * Checks that this file of a buffered Bloom filter is open, and returns it.
   *
   * @throws IllegalStateException if it is closed
   */
  BufferedBloomFile checkOpen() {
    directory.checkOpen();
    return this;
  }

  @Override
  public void close() throws IOException {
    try (directory;
        store;
        heads) {
      frames.close();
    }
  }
}
