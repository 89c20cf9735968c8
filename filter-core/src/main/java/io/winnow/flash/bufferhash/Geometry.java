package io.winnow.flash.bufferhash;

import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.PageStore;

/**
 * What a directory was made with, and where things are in its table: schema-critical.
 *
 * <pre>
 *   | erase block: marks | round 0: slot 0 of super table 0, of 1, 2, ... | round 1: slot 1 of ... |
 *   a slot:  | index pages | data pages |
 * </pre>
 *
 * <p>All super tables write about as fast, so that their rings advance together, and the drive is
 * overwritten from its begin to its end, round after round.
 */
final class Geometry {
  static final int MAX_SUPER_TABLES = 1 << 20;
  static final int MAX_SLOTS = 1 << 12;

  /** With two, one would be empty whenever the other is being written. */
  static final int MIN_SLOTS = 2;

  /** Four pages take at least one entry of any size beside another one. */
  static final int MIN_DATA_PAGES = 4;

  /** The most pages of a table: 2^40 bytes of fences would be more than any memory. */
  private static final long MAX_PAGES = 1L << 38;

  /** Whether keys are byte arrays, else 64-bit fingerprints. */
  boolean keyed;

  int maxKeyBytes;
  int maxValueBytes;

  /** As it was asked for; the file has that, less what does not divide. */
  long flashBytes;

  int pageBytes;
  int eraseBlockBytes;

  /** The size of a slot. */
  int incarnationBytes;

  int superTables;

  /** The slots of each super table: the most incarnations it has. */
  int slots;

  /** The first pages of a slot. */
  int indexPages;

  /** A random number that tells its pages and logs from those of all other tables. */
  long id;

  /**
   * Refuses what cannot be. To be called by who has set all fields, which stay as they are then.
   */
  Geometry checked() {
    Arguments.check(
        keyed ? maxKeyBytes >= 1 : maxKeyBytes == 0, "keys of " + maxKeyBytes + " bytes at most");
    PageStore.checkPageBytes(pageBytes, 1 << 16);
    Arguments.check(
        maxValueBytes >= 0
            && (long) Records.HEADER_BYTES + maxKeyBytes + maxValueBytes
                <= TablePage.payloadBytes(pageBytes),
        String.format(
            "keys of up to %s bytes and values of up to %s: with %s bytes of header they must fit"
                + " into the %s of a page",
            maxKeyBytes, maxValueBytes, Records.HEADER_BYTES, TablePage.payloadBytes(pageBytes)));
    Arguments.check(
        eraseBlockBytes >= 8 * pageBytes && eraseBlockBytes % pageBytes == 0,
        "erase blocks of "
            + eraseBlockBytes
            + " bytes, must be a multiple of the page size and 8 pages at least");
    Arguments.check(
        incarnationBytes >= eraseBlockBytes && incarnationBytes % eraseBlockBytes == 0,
        "incarnations of " + incarnationBytes + " bytes, must be whole erase blocks");
    Arguments.check(
        superTables >= 1 && superTables <= MAX_SUPER_TABLES && Integer.bitCount(superTables) == 1,
        superTables + " super tables");
    Arguments.check(
        slots >= MIN_SLOTS && slots <= MAX_SLOTS, slots + " incarnations per super table");
    Arguments.check(
        indexPages >= 1 && incarnationBytes / pageBytes - indexPages >= MIN_DATA_PAGES,
        indexPages + " index pages");
    Arguments.check(flashBytes >= 1, flashBytes + " bytes of flash");
    Arguments.check(
        eraseBlockBytes / pageBytes + (double) superTables * slots * (incarnationBytes / pageBytes)
            <= MAX_PAGES,
        "too many pages");
    return this;
  }

  int slotPages() {
    return incarnationBytes / pageBytes;
  }

  int dataPages() {
    return slotPages() - indexPages;
  }

  /** Of records, in one super table's buffer. */
  int bufferBytes() {
    return dataPages() * payloadBytes();
  }

  /** Bytes of a page that are for records, or for the index. */
  int payloadBytes() {
    return TablePage.payloadBytes(pageBytes);
  }

  /** All of the table's pages. */
  long pages() {
    return firstPage(0, slots);
  }

  /** The first page of a slot. */
  long firstPage(int superTable, int slot) {
    return eraseBlockBytes / pageBytes + ((long) slot * superTables + superTable) * slotPages();
  }

  /** The super table of a mixed key hash: by its first bits. */
  int superTable(long mixedHash) {
    return superTables == 1
        ? 0
        : (int) (mixedHash >>> (Long.SIZE - Integer.numberOfTrailingZeros(superTables)));
  }

  /** What incarnations are sorted by: the 32 bits after those that choose the super table. */
  int fence(long mixedHash) {
    return (int) (mixedHash << Integer.numberOfTrailingZeros(superTables) >>> 32);
  }

  int maxRecordBytes() {
    return Records.HEADER_BYTES + maxKeyBytes + maxValueBytes;
  }

  /**
   * How many bytes of records surely fit on the data pages if the largest has so many: a page that
   * is ended has no room for one more, and of two in a row one is half full.
   */
  int capacity(int largest) {
    return Math.max(
        dataPages() * (payloadBytes() - largest + 1), (dataPages() - 1) * (payloadBytes() / 2));
  }
}
