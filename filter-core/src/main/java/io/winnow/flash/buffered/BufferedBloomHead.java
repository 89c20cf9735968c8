package io.winnow.flash.buffered;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.base.Arguments;
import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.drive.CopiedOnChange;
import io.winnow.flash.drive.HeadPair;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.VersionedPages;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Content of a head page of a {@link BufferedBloomFilter}'s file. The first two pages, of 4096
 * bytes each, are heads: they have the sizes of the filter, and say if all inserted keys are in its
 * pages. A new head is written over the older one of the two, so that one of them is whole after
 * any crash.
 *
 * <p>A damaged head may have been the newer one, and may have said that keys are being inserted. So
 * the other one is not trusted if it says that the filter is whole.
 *
 * <p>Schema-critical: {@code docs/format/buffered-bloom-v3.md}. Immutable.
 */
final class BufferedBloomHead extends CopiedOnChange<BufferedBloomHead> {
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

  // these fields never change
  private int version = VERSION;
  BufferedBloomSizing sizing;

  /** Hash function for keys, or null if the filter was created for hashes. */
  KeyHash keyHash;

  /** Random number that distinguishes this filter's pages from those of all others. */
  long id;

  /** Is true if the pages on flash have the bits of each inserted key. */
  boolean whole = true;

  /** Mark of the caller, its position in its source of keys, at the last sync that had one. */
  long mark;

  /** Number of keys that were inserted until the last sync. */
  long keys;

  /** Number of times that the version numbers of all pages were written. */
  long round;

  private BufferedBloomHead() {}

  /** Returns the content of a head page for an empty filter. */
  static BufferedBloomHead empty(BufferedBloomSizing sizing, KeyHash keyHash, long id) {
    BufferedBloomHead empty = new BufferedBloomHead();
    empty.sizing = sizing;
    empty.keyHash = keyHash;
    empty.id = id;
    return empty;
  }

  /** Returns the content of the next head page of the same filter. */
  BufferedBloomHead next(boolean nowWhole, long newMark, long nowKeys, long newRound) {
    return with(
        next -> {
          next.whole = nowWhole;
          next.mark = newMark;
          next.keys = nowKeys;
          next.round = newRound;
        });
  }

  /** Returns whether two heads are of the same filter. */
  private boolean isOfSameFilter(BufferedBloomHead other) {
    return version == other.version
        && id == other.id
        && sizing.equals(other.sizing)
        && keyHash == other.keyHash;
  }

  /** Returns the number of copies of the pages' version numbers: two, with rounds, or one. */
  int copies() {
    return version > OLDER_VERSION ? 2 : 1;
  }

  /**
   * Returns the number of pages in the buffered Bloom filter's file before the first one with bits,
   * in units of the filter's page size.
   */
  static long pagesBefore(int pageBytes) {
    return Math.max(1, BYTES / pageBytes);
  }

  /** Opens the pages that have the bits of the filter with this head, in its file. */
  VersionedPages openPages(PageStore store) throws IOException {
    return VersionedPages.open(
        store, pagesBefore(store.pageBytes), sizing.pages(), copies(), round);
  }

  // ---- Pages ----

  /**
   * Returns an object that reads and writes the head pages in a store with pages of 4096 bytes.
   * Closing it closes the store.
   */
  static HeadPair<BufferedBloomHead> pair(PageStore store) {
    return new HeadPair<>(store, BufferedBloomHead::parse, BufferedBloomHead::put);
  }

  /** Writes the two head pages of an empty filter into an empty file with pages of 4096 bytes. */
  void create(PageStore store) throws IOException {
    int pageBytes = sizing.pageBytes();
    BitPages.append(store, pagesBefore(pageBytes) * pageBytes / PageStore.MIN_PAGE_BYTES, () -> 0);
    try (HeadPair<BufferedBloomHead> heads = pair(store)) {
      heads.write(this, true);
      heads.write(this, true);
    }
  }

  /**
   * Reads the two head pages of a buffered Bloom filter's file, and returns the newer one.
   *
   * @throws FilterFormatException if both heads are damaged, or the file is not a buffered Bloom
   *     filter's
   */
  static BufferedBloomHead read(HeadPair<BufferedBloomHead> heads) throws IOException {
    return heads.readFilter(BufferedBloomHead::isOfSameFilter);
  }

  /** Returns the content of a head page; throws if the bytes are not one. */
  private static BufferedBloomHead parse(ByteBuffer head) {
    BufferedBloomHead read = new BufferedBloomHead();
    read.version =
        HeadPair.readVersion(head, MAGIC, OLDER_VERSION, VERSION, "a buffered Bloom filter");
    int state = head.getInt();
    read.whole = state == WHOLE;
    head.position(HeadPair.SECOND);
    read.mark = head.getLong();
    read.keys = head.getLong();
    int pageBytes = head.getInt();
    int groupPages = head.getInt();
    read.sizing =
        new BufferedBloomSizing(head.getInt(), groupPages, pageBytes, head.get(), head.get());
    int keyHashId = Short.toUnsignedInt(head.getShort());
    read.keyHash = keyHashId == 0 ? null : KeyHash.ofId(keyHashId);
    read.id = head.getLong();
    read.round = read.copies() > 1 ? head.getLong() : 0;
    Arguments.check(state == WHOLE || state == CHANGING, "state " + state);
    Arguments.check(read.keys >= 0, read.keys + " keys");
    Arguments.check(read.round >= 0, "round " + read.round);
    HeadPair.checkEnd(head);
    return read;
  }

  /** Writes this content into the payload of a head page. */
  private void put(ByteBuffer head) {
    head.putLong(MAGIC).putInt(version).putInt(whole ? WHOLE : CHANGING);
    head.position(HeadPair.SECOND);
    head.putLong(mark).putLong(keys);
    head.putInt(sizing.pageBytes()).putInt(sizing.groupPages()).putInt(sizing.groups());
    head.put((byte) sizing.hashFunctions()).put((byte) sizing.entryBytes());
    head.putShort((short) (keyHash == null ? 0 : keyHash.id())).putLong(id);
    head.putLong(copies() > 1 ? round : 0);
  }
}
