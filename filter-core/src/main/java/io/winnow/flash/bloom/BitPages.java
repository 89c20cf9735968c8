package io.winnow.flash.bloom;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.HeadPair;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import io.winnow.flash.store.VersionedPages;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.function.LongSupplier;

/**
 * The bits of a Bloom filter on the pages of a store: two heads, as many pages as the bits take, in
 * order, the lowest bit of each byte first, and the versions of these pages.
 *
 * <p>A page of another place or another filter counts as damaged, and so does an older version of a
 * page, if the drive has lost a write of it.
 *
 * <p>Schema-critical: {@code docs/format/bit-pages-v1.md}. One thread at a time.
 */
public final class BitPages implements Closeable {
  private static final long MAGIC = 0x31_73_67_50_74_69_42_57L; // "WBitPgs1"
  private static final int VERSION = 1;
  private static final int HEADS = 2;
  private static final int COPIES_OF_VERSIONS = 2;

  private static final int MAGIC_AT = HeadPair.FIRST;
  private static final int VERSION_AT = MAGIC_AT + 8;
  private static final int HASH_FUNCTIONS = VERSION_AT + 4;
  private static final int BITS = HeadPair.SECOND;
  private static final int ID = BITS + 8;
  private static final int ROUND = ID + 8;
  private static final int END = ROUND + 8;

  /** What one request writes while the pages are made. */
  private static final int REQUEST_BYTES = 1 << 20;

  private static final SecureRandom RANDOM = new SecureRandom();

  final PageStore store;
  private final HeadPair heads;
  private final int bitsPerPage;

  /** The content of the newest head. */
  private Head head;

  private VersionedPages pages;

  /** The content of a head. */
  private static final class Head {
    private final long bits;
    private final int hashFunctions;
    private final long id;
    private final long round;

    private Head(long bits, int hashFunctions, long id, long round) {
      this.bits = bits;
      this.hashFunctions = hashFunctions;
      this.id = id;
      this.round = round;
    }

    private boolean isOfSameFilter(Head other) {
      return bits == other.bits && hashFunctions == other.hashFunctions && id == other.id;
    }
  }

  private BitPages(PageStore store) {
    this.store = store;
    this.heads = new HeadPair(store);
    this.bitsPerPage = bitsPerPage(store.pageBytes());
  }

  /** Bits in a store that is empty, all zero. */
  static BitPages create(PageStore store, BloomSizing sizing) throws IOException {
    return create(store, sizing, RANDOM.nextLong(), () -> 0);
  }

  /**
   * Bits in a store that is empty, and is closed with them, or if they cannot be made.
   *
   * @param id tells the pages from those of all others: a random number
   * @param words the bits, 64 at a time; what comes after the last one on a page does not matter
   */
  public static BitPages create(PageStore store, BloomSizing sizing, long id, LongSupplier words)
      throws IOException {
    BitPages made = new BitPages(store);
    try {
      checkPages(store, 0);
      append(store.salted(id), HEADS, () -> 0);
      append(store.salted(id), HEADS + bitPages(store, sizing), words);
      append(store.salted(id), allPages(store, sizing), () -> 0);
      made.head = new Head(sizing.bits(), sizing.hashFunctions(), id, 0);
      made.writeHead(made.head);
      made.writeHead(made.head);
      made.openPages(sizing);
      return made;
    } catch (IOException | RuntimeException | Error e) {
      made.close();
      throw e;
    }
  }

  /**
   * The bits that are in a store, which is closed with them, or if they are refused.
   *
   * @throws IllegalArgumentException if they are not of this size
   * @throws FilterFormatException if no head can be believed
   */
  static BitPages open(PageStore store, BloomSizing sizing) throws IOException {
    BitPages there = new BitPages(store);
    try {
      checkPages(store, allPages(store, sizing));
      there.readHeads(sizing);
      there.openPages(sizing);
      return there;
    } catch (IOException | RuntimeException | Error e) {
      there.close();
      throw e;
    }
  }

  private static long bitPages(PageStore store, BloomSizing sizing) {
    int bitsPerPage = bitsPerPage(store.pageBytes());
    return (sizing.bits() + bitsPerPage - 1) / bitsPerPage;
  }

  private static long allPages(PageStore store, BloomSizing sizing) {
    return HEADS
        + VersionedPages.withVersions(
            store.pageBytes(), bitPages(store, sizing), COPIES_OF_VERSIONS);
  }

  private static void checkPages(PageStore store, long expected) {
    Arguments.check(
        store.pages() == expected,
        store.name() + " has " + store.pages() + " pages, must have " + expected);
  }

  private void openPages(BloomSizing sizing) throws IOException {
    pages =
        VersionedPages.open(
            store.salted(head.id), HEADS, bitPages(store, sizing), COPIES_OF_VERSIONS, head.round);
  }

  /** The bits that a page has. */
  public static int bitsPerPage(int pageBytes) {
    return (pageBytes - PageStore.HEADER_BYTES) * Byte.SIZE;
  }

  /**
   * Appends pages until the store has so many.
   *
   * @param words what is on them, 8 bytes at a time
   */
  public static void append(PageStore store, long pages, LongSupplier words) throws IOException {
    int most = Math.max(1, REQUEST_BYTES / store.pageBytes());
    while (store.pages() < pages) {
      int count = (int) Math.min(most, pages - store.pages());
      try (PageFrame frame = PageFrames.allocate(count, store.pageBytes())) {
        for (int i = 0; i < count; i++) {
          frame.setVersion(i, 0);
          int end = (i + 1) * store.pageBytes();
          for (int at = frame.payloadOffset(i); at < end; at += Long.BYTES) {
            frame.bytes().putLong(at, words.getAsLong());
          }
        }
        store.append(count, frame);
      }
    }
  }

  // ---- Heads ----

  private void readHeads(BloomSizing sizing) throws IOException {
    HeadPair.Read<Head> found = heads.read(this::parse);
    head = found.newer();
    if (head == null) {
      throw refused("both of its heads are damaged");
    }
    if (found.older() != null && !found.older().isOfSameFilter(head)) {
      throw refused("its two heads are of different filters");
    }
    Arguments.check(
        head.bits == sizing.bits() && head.hashFunctions == sizing.hashFunctions(),
        String.format(
            "%s has %s bits and %s hash functions, and is opened as if it had %s and %s",
            store.name(), head.bits, head.hashFunctions, sizing.bits(), sizing.hashFunctions()));
  }

  private Head parse(ByteBuffer bytes) {
    if (bytes.getLong(MAGIC_AT) != MAGIC) {
      throw refused("it is no Bloom filter");
    }
    int version = bytes.getInt(VERSION_AT);
    if (version != VERSION) {
      throw refused("it is of version " + version + ", and this is a reader of " + VERSION);
    }
    boolean isBlank = bytes.getLong(ROUND) >= 0;
    for (int i = END; i < bytes.capacity(); i += Long.BYTES) {
      isBlank &= bytes.getLong(i) == 0;
    }
    if (!isBlank) {
      throw refused("a head has bytes that it must not have");
    }
    return new Head(
        bytes.getLong(BITS), bytes.getInt(HASH_FUNCTIONS), bytes.getLong(ID), bytes.getLong(ROUND));
  }

  private FilterFormatException refused(String reason) {
    return new FilterFormatException(
        store.name()
            + " cannot be used ("
            + reason
            + "): put it back from a copy, or insert the keys into a new filter; nothing was"
            + " changed");
  }

  private void writeHead(Head next) throws IOException {
    heads.write(
        bytes -> {
          bytes.putLong(MAGIC_AT, MAGIC);
          bytes.putInt(VERSION_AT, VERSION);
          bytes.putInt(HASH_FUNCTIONS, next.hashFunctions);
          bytes.putLong(BITS, next.bits);
          bytes.putLong(ID, next.id);
          bytes.putLong(ROUND, next.round);
        },
        false);
  }

  // ---- Pages ----

  /** Reads adjacent pages to the frame's begin, as {@link VersionedPages#read}. */
  void read(long page, int count, PageFrame into) throws IOException {
    pages.read(page, count, into);
  }

  /** Writes the first {@code count} pages of a frame. */
  void write(long page, int count, PageFrame from) throws IOException {
    pages.write(page, count, from);
  }

  /** Makes all written pages and their versions safe, and returns then. */
  void makeSafe() throws IOException {
    long round = pages.makeSafe();
    if (round != head.round) {
      Head next = new Head(head.bits, head.hashFunctions, head.id, round);
      writeHead(next);
      store.force();
      head = next;
    }
  }

  @Override
  public void close() throws IOException {
    heads.close();
  }

  // ---- Bits ----

  /** The page that a bit is on. */
  long page(long bit) {
    return HEADS + bit / bitsPerPage;
  }

  /** Whether a bit is set, on its page, which is the i-th of a frame. */
  boolean isSet(long bit, PageFrame frame, int i) {
    return isSet(frame.bytes(), frame.payloadOffset(i), (int) (bit % bitsPerPage));
  }

  /** Sets a bit on its page, which is the i-th of a frame. */
  void set(long bit, PageFrame frame, int i) {
    set(frame.bytes(), frame.payloadOffset(i), (int) (bit % bitsPerPage));
  }

  /** Whether a bit of the page is set whose payload begins at this offset. */
  public static boolean isSet(ByteBuffer bytes, int payloadOffset, int bit) {
    return (bytes.get(payloadOffset + (bit >>> 3)) & 1 << (bit & 7)) != 0;
  }

  /** Sets a bit of the page whose payload begins at this offset. */
  public static void set(ByteBuffer bytes, int payloadOffset, int bit) {
    int at = payloadOffset + (bit >>> 3);
    bytes.put(at, (byte) (bytes.get(at) | 1 << (bit & 7)));
  }
}
