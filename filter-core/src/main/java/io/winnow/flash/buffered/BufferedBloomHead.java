package io.winnow.flash.buffered;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.base.Arguments;
import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.drive.HeadPair;
import io.winnow.flash.drive.PageStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The head pages of a {@link BufferedBloomFilter}'s file, the first two of 4096 bytes each: they
 * have the sizes of the filter, and say if all inserted keys are in its pages. A new head is
 * written over the older one of the two, so that one of them is whole after any crash.
 *
 * <p>A damaged head may have been the newer one, and may have said that keys are being inserted. So
 * the other one is not trusted if it says that the filter is whole.
 *
 * <p>Schema-critical: {@code docs/format/buffered-bloom-v3.md}. Not thread-safe.
 */
final class BufferedBloomHead implements Closeable {
  /** Size in bytes of the two head pages together, for every page size of the filter. */
  static final int BYTES = 2 * PageStore.MIN_PAGE_BYTES;

  private static final long MAGIC = 0x31_6D_6F_6F_6C_42_66_42L; // "BfBloom1"
  private static final int VERSION = 3;

  /**
   * Older version of the buffered Bloom filter's format, with one copy of the page versions and no
   * rounds.
   */
  private static final int OLDER_VERSION = 2;

  private static final int WHOLE = 1;
  private static final int CHANGING = 2;

  private static final int MAGIC_AT = HeadPair.FIRST;
  private static final int VERSION_AT = MAGIC_AT + 8;
  private static final int STATE = VERSION_AT + 4;
  private static final int MARK = HeadPair.SECOND;
  private static final int KEYS = MARK + 8;
  private static final int PAGE_BYTES = KEYS + 8;
  private static final int GROUP_PAGES = PAGE_BYTES + 4;
  private static final int GROUPS = GROUP_PAGES + 4;
  private static final int HASH_FUNCTIONS = GROUPS + 4;
  private static final int ENTRY_BYTES = HASH_FUNCTIONS + 1;
  private static final int KEY_HASH = ENTRY_BYTES + 1;
  private static final int ID = KEY_HASH + 2;
  private static final int ROUND = ID + 8;
  private static final int END = ROUND + 8;

  final HeadPair heads;

  /** Content of the newest head page of the filter's file. */
  Content content;

  /**
   * Is true if one of the two head pages was damaged at the opening: it may have been the newer
   * one.
   */
  boolean otherWasDamaged;

  /** Content of a head page of the filter's file. */
  static final class Content {
    // these fields never change
    private final int version;
    final BufferedBloomSizing sizing;

    /** Hash function for keys, or null if the filter was created for hashes. */
    final KeyHash keyHash;

    /** Random number that distinguishes this filter's pages from those of all others. */
    final long id;

    /** Is true if the pages on flash have the bits of each inserted key. */
    final boolean whole;

    /** Mark of the caller, its position in its source of keys, at the last sync that had one. */
    final long mark;

    /** Number of keys that were inserted until the last sync. */
    final long keys;

    /** Number of times that the version numbers of all pages were written. */
    final long round;

    private Content(
        int version,
        BufferedBloomSizing sizing,
        KeyHash keyHash,
        long id,
        boolean whole,
        long mark,
        long keys,
        long round) {
      this.version = version;
      this.sizing = sizing;
      this.keyHash = keyHash;
      this.id = id;
      this.whole = whole;
      this.mark = mark;
      this.keys = keys;
      this.round = round;
    }

    /** Returns the content of a head page for an empty filter. */
    static Content empty(BufferedBloomSizing sizing, KeyHash keyHash, long id) {
      return new Content(VERSION, sizing, keyHash, id, true, 0, 0, 0);
    }

    /** Returns whether two heads are of the same filter. */
    private boolean isOfSameFilter(Content other) {
      return version == other.version
          && id == other.id
          && sizing.equals(other.sizing)
          && keyHash == other.keyHash;
    }

    /**
     * Returns the number of copies of the pages' version numbers: two, with rounds, or one without.
     */
    int copies() {
      return version > OLDER_VERSION ? 2 : 1;
    }
  }

  private BufferedBloomHead(HeadPair heads, Content content) {
    this.heads = heads;
    this.content = content;
  }

  /**
   * Returns the number of pages in the buffered Bloom filter's file before the first one with bits,
   * in units of the filter's page size.
   */
  static long pagesBefore(int pageBytes) {
    return Math.max(1, BYTES / pageBytes);
  }

  /** Writes the two head pages of an empty filter into an empty file with pages of 4096 bytes. */
  static void create(PageStore store, Content empty) throws IOException {
    int pageBytes = empty.sizing.pageBytes();
    BitPages.append(store, pagesBefore(pageBytes) * pageBytes / PageStore.MIN_PAGE_BYTES, () -> 0);
    try (BufferedBloomHead head = new BufferedBloomHead(new HeadPair(store), empty)) {
      head.write(true, 0, 0, 0);
      head.write(true, 0, 0, 0);
    }
  }

  /**
   * Reads the two head pages of a file with pages of 4096 bytes. Closing the heads closes the
   * store.
   *
   * @throws FilterFormatException if both heads are damaged, or the file is not a buffered Bloom
   *     filter's
   */
  static BufferedBloomHead open(PageStore store) throws IOException {
    HeadPair heads = new HeadPair(store);
    try {
      HeadPair.Read<Content> found =
          heads.readFilter(
              MAGIC,
              OLDER_VERSION,
              VERSION,
              "a buffered Bloom filter",
              BufferedBloomHead::parse,
              Content::isOfSameFilter);
      BufferedBloomHead head = new BufferedBloomHead(heads, found.newer);
      head.otherWasDamaged = found.older == null;
      return head;
    } catch (IOException | RuntimeException | Error e) {
      heads.close();
      throw e;
    }
  }

  /** Returns the content of a head page; throws if the bytes are not one. */
  private static Content parse(ByteBuffer bytes) {
    int version = bytes.getInt(VERSION_AT);
    BufferedBloomSizing sizing =
        new BufferedBloomSizing(
            bytes.getInt(GROUPS),
            bytes.getInt(GROUP_PAGES),
            bytes.getInt(PAGE_BYTES),
            bytes.get(HASH_FUNCTIONS),
            bytes.get(ENTRY_BYTES));
    int keyHashId = Short.toUnsignedInt(bytes.getShort(KEY_HASH));
    KeyHash keyHash = keyHashId == 0 ? null : KeyHash.ofId(keyHashId);
    int state = bytes.getInt(STATE);
    long keys = bytes.getLong(KEYS);
    long round = bytes.getLong(ROUND);
    Arguments.check(state == WHOLE || state == CHANGING, "state " + state);
    Arguments.check(keys >= 0, keys + " keys");
    Arguments.check(round >= 0, "round " + round);
    HeadPair.checkEnd(bytes, version == VERSION ? END : ROUND);
    return new Content(
        version,
        sizing,
        keyHash,
        bytes.getLong(ID),
        state == WHOLE,
        bytes.getLong(MARK),
        keys,
        round);
  }

  /**
   * Writes and syncs the next head page, in place of the older one. If that fails, either of the
   * two may be valid.
   */
  void write(boolean whole, long mark, long keys, long round) throws IOException {
    Content is = content;
    BufferedBloomSizing sizing = is.sizing;
    KeyHash keyHash = is.keyHash;
    heads.write(
        bytes -> {
          bytes.putLong(MAGIC_AT, MAGIC);
          bytes.putInt(VERSION_AT, is.version);
          bytes.putInt(STATE, whole ? WHOLE : CHANGING);
          bytes.putLong(MARK, mark);
          bytes.putLong(KEYS, keys);
          bytes.putInt(PAGE_BYTES, sizing.pageBytes());
          bytes.putInt(GROUP_PAGES, sizing.groupPages());
          bytes.putInt(GROUPS, sizing.groups());
          bytes.put(HASH_FUNCTIONS, (byte) sizing.hashFunctions());
          bytes.put(ENTRY_BYTES, (byte) sizing.entryBytes());
          bytes.putShort(KEY_HASH, (short) (keyHash == null ? 0 : keyHash.id()));
          bytes.putLong(ID, is.id);
          bytes.putLong(ROUND, is.copies() > 1 ? round : 0);
        },
        true);
    content = new Content(is.version, sizing, keyHash, is.id, whole, mark, keys, round);
  }

  @Override
  public void close() throws IOException {
    heads.close();
  }
}
