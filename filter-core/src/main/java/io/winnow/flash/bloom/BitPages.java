package io.winnow.flash.bloom;

import io.winnow.FilterFormatException;
import io.winnow.base.Arguments;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.HeadPair;
import io.winnow.flash.drive.IoCounters;
import io.winnow.flash.drive.Opening;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.VersionedPages;
import io.winnow.flash.store.DamagedPageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The bits of a Bloom filter in a page store: two head pages, the pages of the bits in order (the
 * lowest bit of each byte first), and the pages with their versions.
 *
 * <p>A page of another place or another filter counts as damaged, and so does an older version of a
 * page, if the drive has lost a write of it.
 *
 * <p>Schema-critical: {@code docs/format/bit-pages-v1.md}. Not thread-safe.
 */
public final class BitPages implements Closeable {
  private static final long MAGIC = 0x31_73_67_50_74_69_42_57L; // "WBitPgs1"
  private static final int VERSION = 1;

  /** Number of head pages in a Bloom filter's file. */
  private static final int HEADS = 2;

  private static final int COPIES_OF_VERSIONS = 2;

  /** Number of bytes of each write request while the filter's pages are created. */
  private static final int REQUEST_BYTES = 1 << 20;

  private static final SecureRandom RANDOM = new SecureRandom();

  final PageStore store;
  private final HeadPair<Head> heads;
  private final int bitsPerPage;

  /** Access to the pages that have the filter's bits, each with a version number. */
  VersionedPages pages;

  private boolean closed;

  /** Content of a head page of a Bloom filter's file: the filter's size and id. */
  private static final class Head {
    private final BloomSizing sizing;
    private final long id;
    private final long round;

    private Head(BloomSizing sizing, long id, long round) {
      this.sizing = sizing;
      this.id = id;
      this.round = round;
    }

    /**
     * Returns whether this Bloom filter has the same size and number of hash functions as another
     * one.
     */
    private boolean isOfSize(BloomSizing other) {
      return sizing.bits() == other.bits() && sizing.hashFunctions() == other.hashFunctions();
    }

    private boolean isOfSameFilter(Head other) {
      return id == other.id && isOfSize(other.sizing);
    }

    /** Returns the content of a head page; throws if the bytes are not one. */
    private static Head parse(ByteBuffer head) {
      HeadPair.readVersion(head, MAGIC, VERSION, VERSION, "a Bloom filter");
      int hashFunctions = head.getInt();
      head.position(HeadPair.SECOND);
      BloomSizing sizing = new BloomSizing(head.getLong(), hashFunctions);
      Head read = new Head(sizing, head.getLong(), head.getLong());
      Arguments.check(read.round >= 0, "round " + read.round);
      HeadPair.checkEnd(head);
      return read;
    }

    /** Writes this content into the payload of a head page. */
    private void put(ByteBuffer head) {
      head.putLong(MAGIC).putInt(VERSION).putInt(sizing.hashFunctions());
      head.position(HeadPair.SECOND);
      head.putLong(sizing.bits()).putLong(id).putLong(round);
    }
  }

  private BitPages(PageStore store) {
    this.store = store;
    this.heads = new HeadPair<>(store, Head::parse, Head::put);
    this.bitsPerPage = bitsPerPage(store.pageBytes);
  }

  /** Creates the pages of a Bloom filter with zero bits in an empty store. */
  static BitPages create(PageStore store, BloomSizing sizing) throws IOException {
    return create(store, sizing, RANDOM.nextLong(), () -> 0);
  }

  /**
   * Creates the pages of a Bloom filter in an empty store, with given bits. Closing them closes the
   * store, and so does a failure.
   *
   * @param id random number that distinguishes the pages from all others
   * @param words supplies the bits, 64 at a time; on each page those after the last bit have no
   *     meaning
   */
  public static BitPages create(PageStore store, BloomSizing sizing, long id, LongSupplier words)
      throws IOException {
    BitPages made = new BitPages(store);
    return Opening.orClose(
        made,
        () -> {
          Arguments.check(
              store.pages() == 0,
              store.name() + " has " + store.pages() + " pages, must have none");
          append(store.salted(id), HEADS, () -> 0);
          append(store.salted(id), HEADS + bitPages(store, sizing), words);
          append(store.salted(id), allPages(store, sizing), () -> 0);
          Head head = new Head(sizing, id, 0);
          made.heads.write(head, false);
          made.heads.write(head, false);
          return made.openPages();
        });
  }

  /**
   * Opens the pages of a Bloom filter in a store. Closing them closes the store, and so does a
   * failure.
   *
   * @throws IllegalArgumentException if they have another size or number of hash functions
   * @throws FilterFormatException if both heads are damaged, or the file is not a Bloom filter's
   */
  static BitPages open(PageStore store, BloomSizing sizing) throws IOException {
    BitPages there = new BitPages(store);
    return Opening.orClose(
        there,
        () -> {
          Head head = there.heads.readFilter(Head::isOfSameFilter);
          Arguments.check(
              head.isOfSize(sizing),
              String.format(
                  "%s has %s bits and %s hash functions, but is opened with %s and %s",
                  store.name(),
                  head.sizing.bits(),
                  head.sizing.hashFunctions(),
                  sizing.bits(),
                  sizing.hashFunctions()));
          return there.openPages();
        });
  }

  /**
   * Opens the pages of a Bloom filter in a file for reading, also on a read-only file system. No
   * other code may write to it. The page size is found from the heads; the store must not have a
   * salt.
   *
   * @throws FilterFormatException if the file is not that of a plain or an elevator Bloom filter,
   *     or both heads are damaged
   */
  public static BitPages openToRead(Path file) throws IOException {
    long size = Files.size(file);
    int max = (int) Math.min(PageStore.MAX_PAGE_BYTES, size / HEADS);
    for (int bytes = PageStore.MIN_PAGE_BYTES; bytes <= max; bytes += PageStore.MIN_PAGE_BYTES) {
      if (size % bytes == 0) {
        BitPages there =
            new BitPages(
                PageStore.open(FileAccess.SYSTEM, file, bytes, 0, false, false, new IoCounters()));
        if (Opening.orClose(there, () -> there.heads.verify().size() < HEADS)) {
          return Opening.orClose(
              there,
              () -> {
                there.heads.readFilter(Head::isOfSameFilter);
                return there.openPages();
              });
        }
        there.close();
      }
    }
    throw HeadPair.refused(
        file.toString(),
        "it is not a Bloom filter, or both of its heads are damaged, or it was cut",
        null);
  }

  /** Returns the number of pages that a Bloom filter's bits take. */
  private static long bitPages(PageStore store, BloomSizing sizing) {
    int bitsPerPage = bitsPerPage(store.pageBytes);
    return (sizing.bits() + bitsPerPage - 1) / bitsPerPage;
  }

  /** Returns the number of all pages of a Bloom filter: heads, bits and version numbers. */
  private static long allPages(PageStore store, BloomSizing sizing) {
    return HEADS
        + VersionedPages.withVersions(store.pageBytes, bitPages(store, sizing), COPIES_OF_VERSIONS);
  }

  /** Opens the pages of the filter's bits, as many as the head page says, and returns this. */
  private BitPages openPages() throws IOException {
    Head head = heads.newest();
    pages =
        VersionedPages.open(
            store.salted(head.id),
            HEADS,
            bitPages(store, head.sizing),
            COPIES_OF_VERSIONS,
            head.round);
    return this;
  }

  /** Returns the number of a Bloom filter's bits that fit into a page. */
  public static int bitsPerPage(int pageBytes) {
    return (pageBytes - PageStore.HEADER_BYTES) * Byte.SIZE;
  }

  /**
   * Appends pages of a Bloom filter's bits until the store has a given number of pages.
   *
   * @param words supplies their content, 8 bytes at a time
   */
  public static void append(PageStore store, long pages, LongSupplier words) throws IOException {
    int max = Math.max(1, REQUEST_BYTES / store.pageBytes);
    while (store.pages() < pages) {
      int count = (int) Math.min(max, pages - store.pages());
      try (PageFrame frame = PageFrames.allocate(count, store.pageBytes)) {
        for (int i = 0; i < count; i++) {
          frame.setVersion(i, 0);
          int end = (i + 1) * store.pageBytes;
          for (int at = frame.payloadOffset(i); at < end; at += Long.BYTES) {
            frame.bytes.putLong(at, words.getAsLong());
          }
        }
        store.append(count, frame);
      }
    }
  }

  /** Syncs all written pages of the filter and their version numbers. */
  void sync() throws IOException {
    Head head = heads.newest();
    long round = pages.sync();
    if (round != head.round) {
      heads.write(new Head(head.sizing, head.id, round), true);
    }
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      heads.close();
    }
  }

  // ---- Properties ----

  /** Returns the number of bits in the filter, and the number of bits that a key sets. */
  public BloomSizing sizing() {
    checkOpen();
    return heads.newest().sizing;
  }

  /** Returns the size of the filter's pages in bytes. */
  public int pageBytes() {
    checkOpen();
    return store.pageBytes;
  }

  /** Returns the number of all pages of the filter's file: heads, bits and version numbers. */
  public long pages() {
    checkOpen();
    return store.pages();
  }

  /** Returns whether the file of the filter's pages is closed. */
  boolean isClosed() {
    return closed;
  }

  /**
   * Checks that the file of the filter's pages is open.
   *
   * @throws IllegalStateException if it is closed
   */
  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the filter in " + store.name() + " is closed");
    }
  }

  /**
   * Reads and checks all pages of the Bloom filter's file: their checksums, their places, and that
   * none is an older version.
   *
   * @param pagesRead receives the number of pages read since the last call
   * @return the damage found, empty if there is none
   */
  public List<DamagedPageException> verify(LongConsumer pagesRead) throws IOException {
    checkOpen();
    List<DamagedPageException> found = new ArrayList<>(heads.verify());
    pagesRead.accept(HEADS);
    found.addAll(pages.verify(pagesRead));
    return found;
  }

  // ---- Bits ----

  /** Returns the number of the page that has a bit of the Bloom filter. */
  long page(long bit) {
    return HEADS + bit / bitsPerPage;
  }

  /**
   * Returns whether a bit of the Bloom filter is set in a page that was read. Its page is the i-th
   * of a frame.
   */
  boolean isSet(long bit, PageFrame frame, int i) {
    return isSet(frame.bytes, frame.payloadOffset(i), (int) (bit % bitsPerPage));
  }

  /** Sets a bit of the Bloom filter in a page that was read. Its page is the i-th of a frame. */
  void set(long bit, PageFrame frame, int i) {
    set(frame.bytes, frame.payloadOffset(i), (int) (bit % bitsPerPage));
  }

  /**
   * Returns whether a bit of a Bloom filter is set in the page whose payload begins at offset
   * {@code payloadOffset}.
   */
  public static boolean isSet(ByteBuffer bytes, int payloadOffset, int bit) {
    return (bytes.get(payloadOffset + (bit >>> 3)) & 1 << (bit & 7)) != 0;
  }

  /**
   * Sets a bit of a Bloom filter in the page whose payload begins at offset {@code payloadOffset}.
   */
  public static void set(ByteBuffer bytes, int payloadOffset, int bit) {
    int at = payloadOffset + (bit >>> 3);
    bytes.put(at, (byte) (bytes.get(at) | 1 << (bit & 7)));
  }
}
