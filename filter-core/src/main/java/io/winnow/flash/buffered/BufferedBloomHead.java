package io.winnow.flash.buffered;

import io.winnow.FilterFormatException;
import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import io.winnow.flash.store.PageStore;
import io.winnow.hash.KeyHash;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The first two pages of a {@link BufferedBloomFilter}'s file, of 4096 bytes each: its shape, and
 * whether all that was inserted is in the pages. A new head is written over the older one of the
 * two, so that one of them is whole whatever happens.
 *
 * <p>A head that is damaged may have been the newer one, and may have said that keys come in. So
 * the other one is not believed if it says that the filter is whole.
 *
 * <p>Schema-critical: {@code docs/format/buffered-bloom-v2.md}. One thread at a time.
 */
final class BufferedBloomHead implements Closeable {
  /** Both heads fit into it, for every page size. */
  static final int BYTES = 2 * PageStore.MIN_PAGE_BYTES;

  private static final long MAGIC = 0x31_6D_6F_6F_6C_42_66_42L; // "BfBloom1"
  private static final int VERSION = 2;
  private static final int WHOLE = 1;
  private static final int CHANGING = 2;
  private static final int USED_BYTES = 64;

  private final PageStore store;
  private final PageFrame frame;
  private final BufferedBloomSizing sizing;
  private final KeyHash keyHash;
  private final long id;
  private Content content;
  private boolean damaged;

  /** What changes. */
  static final class Content {
    private final long sequence;
    private final boolean whole;
    private final long mark;
    private final long keys;

    Content(long sequence, boolean whole, long mark, long keys) {
      this.sequence = sequence;
      this.whole = whole;
      this.mark = mark;
      this.keys = keys;
    }

    /** 1 and up; an odd one is in page 1, an even one in page 0. */
    long sequence() {
      return sequence;
    }

    /** Whether each key that was inserted is in the pages. */
    boolean whole() {
      return whole;
    }

    /** The caller's, of the last sync that had one. */
    long mark() {
      return mark;
    }

    /** How many were inserted until the last sync. */
    long keys() {
      return keys;
    }
  }

  private BufferedBloomHead(
      PageStore store,
      PageFrame frame,
      BufferedBloomSizing sizing,
      KeyHash keyHash,
      long id,
      Content content) {
    this.store = store;
    this.frame = frame;
    this.sizing = sizing;
    this.keyHash = keyHash;
    this.id = id;
    this.content = content;
  }

  /**
   * The number of pages of the filter's size that the heads take: the first group is after them.
   */
  static long pagesBefore(int pageBytes) {
    return Math.max(1, BYTES / pageBytes);
  }

  /** Writes the heads of an empty filter into an empty store, whose pages are of 4096 bytes. */
  static void create(PageStore store, BufferedBloomSizing sizing, KeyHash keyHash, long id)
      throws IOException {
    BitPages.appendZeros(
        store, pagesBefore(sizing.pageBytes()) * sizing.pageBytes() / PageStore.MIN_PAGE_BYTES);
    try (PageFrame frame = PageFrames.allocate(1, PageStore.MIN_PAGE_BYTES)) {
      BufferedBloomHead head = new BufferedBloomHead(store, frame, sizing, keyHash, id, null);
      head.write(new Content(1, true, 0, 0));
      head.write(new Content(2, true, 0, 0));
    }
  }

  /**
   * Reads the heads of a store, whose pages are of 4096 bytes, and which it closes when it is
   * closed.
   *
   * @throws FilterFormatException if neither of them can be believed
   */
  static BufferedBloomHead open(PageStore store) throws IOException {
    if (store.pages() < 2) {
      throw refused(store, "it has no head", null);
    }
    PageFrame frame = PageFrames.allocate(1, PageStore.MIN_PAGE_BYTES);
    try {
      BufferedBloomHead even = read(store, frame, 0);
      BufferedBloomHead odd = read(store, frame, 1);
      if (even == null && odd == null) {
        throw refused(store, "both of its heads are damaged", null);
      }
      if (even == null || odd == null) {
        BufferedBloomHead left = even == null ? odd : even;
        left.damaged = true;
        return left;
      }
      if (even.id != odd.id || !even.sizing.equals(odd.sizing) || even.keyHash != odd.keyHash) {
        throw refused(store, "its two heads are of different filters", null);
      }
      return even.content.sequence > odd.content.sequence ? even : odd;
    } catch (IOException | RuntimeException | Error e) {
      frame.close();
      throw e;
    }
  }

  /** The head in a page, or null if the page is damaged. */
  private static BufferedBloomHead read(PageStore store, PageFrame frame, int page)
      throws IOException {
    try {
      store.read(page, frame);
    } catch (DamagedPageException e) {
      if (frame.bytes().getLong(frame.payloadOffset(0)) == MAGIC
          && frame.bytes().getInt(frame.payloadOffset(0) + 8) == 1) {
        throw otherVersion(store, 1);
      }
      return null;
    }
    ByteBuffer bytes = frame.bytes();
    int at = frame.payloadOffset(0);
    if (bytes.getLong(at) != MAGIC) {
      throw refused(store, "it is no buffered Bloom filter", null);
    }
    if (bytes.getInt(at + 8) != VERSION) {
      throw otherVersion(store, bytes.getInt(at + 8));
    }
    try {
      BufferedBloomSizing sizing =
          new BufferedBloomSizing(
              bytes.getInt(at + 48),
              bytes.getInt(at + 44),
              bytes.getInt(at + 40),
              bytes.get(at + 52),
              bytes.get(at + 53));
      int keyHashId = Short.toUnsignedInt(bytes.getShort(at + 54));
      KeyHash keyHash = keyHashId == 0 ? null : KeyHash.ofId(keyHashId);
      int state = bytes.getInt(at + 12);
      long sequence = bytes.getLong(at + 16);
      long keys = bytes.getLong(at + 32);
      check(state == WHOLE || state == CHANGING, "state " + state);
      check(sequence >= 1 && (sequence & 1) == page, "sequence " + sequence);
      check(keys >= 0, keys + " keys");
      for (int i = at + USED_BYTES; i < bytes.capacity(); i += Long.BYTES) {
        check(bytes.getLong(i) == 0, "bytes after the last field");
      }
      Content content = new Content(sequence, state == WHOLE, bytes.getLong(at + 24), keys);
      long id = bytes.getLong(at + 56);
      return new BufferedBloomHead(store, frame, sizing, keyHash, id, content);
    } catch (IllegalArgumentException e) {
      throw refused(store, e.getMessage(), e);
    }
  }

  private static FilterFormatException otherVersion(PageStore store, int version) {
    String reason = "it is of version " + version + ", and this is a reader of version " + VERSION;
    return refused(store, reason, null);
  }

  private static void check(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  static FilterFormatException refused(PageStore store, String reason, Throwable cause) {
    return new FilterFormatException(
        store.name()
            + " cannot be used ("
            + reason
            + "): put it back from a copy, or insert the keys into a new filter; nothing was"
            + " changed",
        cause);
  }

  BufferedBloomSizing sizing() {
    return sizing;
  }

  /** The function that hashes keys, or null if the filter was made for hashes. */
  KeyHash keyHash() {
    return keyHash;
  }

  /** The random number that tells the filter's pages from those of all others. */
  long id() {
    return id;
  }

  Content content() {
    return content;
  }

  /** Whether the other head could not be read when this one was: it may have been the newer one. */
  boolean otherWasDamaged() {
    return damaged;
  }

  /** Writes the next head, and returns when it is safe. If that fails, either of the two may be. */
  void write(boolean whole, long mark, long keys) throws IOException {
    write(new Content(content.sequence + 1, whole, mark, keys));
  }

  private void write(Content next) throws IOException {
    ByteBuffer bytes = frame.bytes();
    int at = frame.payloadOffset(0);
    BitPages.fill(bytes, 0, bytes.capacity(), 0);
    bytes.putLong(at, MAGIC);
    bytes.putInt(at + 8, VERSION);
    bytes.putInt(at + 12, next.whole ? WHOLE : CHANGING);
    bytes.putLong(at + 16, next.sequence);
    bytes.putLong(at + 24, next.mark);
    bytes.putLong(at + 32, next.keys);
    bytes.putInt(at + 40, sizing.pageBytes());
    bytes.putInt(at + 44, sizing.groupPages());
    bytes.putInt(at + 48, sizing.groups());
    bytes.put(at + 52, (byte) sizing.hashFunctions());
    bytes.put(at + 53, (byte) sizing.entryBytes());
    bytes.putShort(at + 54, (short) (keyHash == null ? 0 : keyHash.id()));
    bytes.putLong(at + 56, id);
    store.write(next.sequence & 1, 1, frame);
    store.force();
    content = next; // not before: what failed is tried again in the same place
  }

  @Override
  public void close() throws IOException {
    frame.close();
    store.close();
  }
}
