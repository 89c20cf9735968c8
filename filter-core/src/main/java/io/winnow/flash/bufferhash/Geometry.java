package io.winnow.flash.bufferhash;

import io.winnow.base.Arguments;
import io.winnow.flash.drive.PageStore;

/**
 * The fixed sizes of a BufferHash, and the places of its parts in the file: schema-critical.
 *
 * <pre>
 *   | erase block: marks | round 0: slot 0 of super table 0, of 1, 2, ... | round 1: slot 1 of ... |
 *   a slot:  | index pages | data pages |
 * </pre>
 *
 * <p>All super tables are written at about the same speed, so their rings advance together, and the
 * drive is overwritten from its start to its end, round after round.
 */
final class Geometry {
  /** Maximum of super tables, into which the keys are divided. */
  static final int MAX_SUPER_TABLES = 1 << 20;

  /** Maximum of slots for incarnations in a super table. */
  static final int MAX_SLOTS = 1 << 12;

  /**
   * Minimum of slots for incarnations in a super table: with one, there would be no incarnation
   * while it is written.
   */
  static final int MIN_SLOTS = 2;

  /**
   * Minimum of data pages in an incarnation: four pages have room for at least one entry of any
   * size besides another one.
   */
  static final int MIN_DATA_PAGES = 4;

  /**
   * Maximum of pages in a BufferHash; the fences of more (4 bytes for each page), 2^40 bytes, would
   * exceed any memory.
   */
  private static final long MAX_PAGES = 1L << 38;

  /** Is true if the table's keys are byte arrays, false if they are 64-bit fingerprints. */
  boolean keyed;

  int maxKeyBytes;
  int maxValueBytes;

  /**
   * Size of the flash in bytes that was configured; the file has this size without the rest that
   * cannot be divided into slots.
   */
  long flashBytes;

  int pageBytes;
  int eraseBlockBytes;

  /** Size in bytes of a slot for an incarnation (a written buffer). */
  int incarnationBytes;

  int superTables;

  /**
   * Number of slots of each super table, which is its maximum of incarnations (written buffers).
   */
  int slots;

  /**
   * Number of pages with the index in a slot for an incarnation (a written buffer), which come
   * first.
   */
  int indexPages;

  /** Random number that distinguishes the table's pages and logs from those of all other tables. */
  long id;

  /**
   * Checks all sizes of this geometry, and returns it. The caller has set the fields, which never
   * change afterwards.
   *
   * @throws IllegalArgumentException if a field is out of bounds
   */
  Geometry checked() {
    Arguments.check(
        keyed ? maxKeyBytes >= 1 : maxKeyBytes == 0, "keys of at most " + maxKeyBytes + " bytes");
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
            + " bytes, must be a multiple of the page size and at least 8 pages");
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

  /** Returns the number of pages in a slot for an incarnation. */
  int slotPages() {
    return incarnationBytes / pageBytes;
  }

  /** Returns the number of pages with records in a slot for an incarnation. */
  int dataPages() {
    return slotPages() - indexPages;
  }

  /** Returns the size in bytes of the records in a super table's buffer. */
  int bufferBytes() {
    return dataPages() * payloadBytes();
  }

  /** Returns the number of bytes of a page that hold records or the index. */
  int payloadBytes() {
    return TablePage.payloadBytes(pageBytes);
  }

  /** Returns the number of all pages of the BufferHash's file. */
  long pages() {
    return firstPage(0, slots);
  }

  /** Returns the number of the first page of an incarnation's slot. */
  long firstPage(int superTable, int slot) {
    return eraseBlockBytes / pageBytes + ((long) slot * superTables + superTable) * slotPages();
  }

  /**
   * Returns the number of the super table that a key belongs to: the first bits of its mixed hash.
   */
  int superTable(long mixedHash) {
    return superTables == 1
        ? 0
        : (int) (mixedHash >>> (Long.SIZE - Integer.numberOfTrailingZeros(superTables)));
  }

  /**
   * Returns the fence of a mixed key hash, by which records are sorted in an incarnation: the 32
   * bits after those that choose the super table.
   */
  int fence(long mixedHash) {
    return (int) (mixedHash << Integer.numberOfTrailingZeros(superTables) >>> 32);
  }

  /** Returns the size in bytes of the largest possible record of an entry. */
  int maxRecordBytes() {
    return Records.HEADER_BYTES + maxKeyBytes + maxValueBytes;
  }

  /**
   * Returns the bytes of records that certainly fit on the data pages of an incarnation if no
   * record is larger than {@code largest}. A page ends only when it has no room for the next
   * record, and of two successive pages one is at least half full.
   */
  int capacity(int largest) {
    return Math.max(
        dataPages() * (payloadBytes() - largest + 1), (dataPages() - 1) * (payloadBytes() / 2));
  }
}
