package io.winnow.flash.bufferhash;

import io.winnow.base.Arguments;
import io.winnow.flash.drive.CopiedOnChange;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.Durability;
import io.winnow.ribbon.BumpedRibbonSizing;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.function.DoubleFunction;
import java.util.function.LongSupplier;

/**
 * Options of a {@link BufferHash}. Immutable; each setter returns changed options.
 *
 * <p>A directory keeps the kind and bounds of keys and values, flash bytes, page size, erase block,
 * buffer size and number of super tables that it was created with; if one of them is set at an
 * opening, it must be the same. The others may change from one opening to the next.
 */
public final class BufferHashOptions extends CopiedOnChange<BufferHashOptions> {
  private static final long MIN_MEMORY_BYTES = 1 << 17;
  private static final long MAX_BYTES = 1L << 46;

  boolean keyed;
  int maxKeyBytes;
  int maxValueBytes;

  /**
   * Bytes of the drive that the table takes, or 0 if not set. The next four fields are also 0 if
   * not set.
   */
  long flashBytes;

  int pageBytes;
  int eraseBlockBytes;
  int incarnationBytes;
  int superTables;
  long memoryBytes = 64L << 20;
  int expectedEntryBytes = -1;

  /** Kind of filters in memory, or null if it is not set. */
  IncarnationFilterKind filterKind;

  Eviction eviction = Eviction.fifo();
  Durability durability = Durability.NONE;
  boolean directIo = true;
  FileAccess access = FileAccess.SYSTEM;
  LongSupplier ids = new SecureRandom()::nextLong;
  DoubleFunction<BumpedRibbonSizing> ribbons = BumpedRibbonSizing::forRate;

  private BufferHashOptions() {}

  /**
   * Returns the options of a BufferHash whose keys are 64-bit fingerprints. A {@code byte[]} key is
   * hashed to one with XXH3, and two keys with the same fingerprint are one key to the table. Among
   * n keys, the probability that another given key has the fingerprint of one of them is {@code n /
   * 2^64}, and that some two of them share one is {@code n^2 / 2^65}: 3 % for a billion keys.
   *
   * @param maxValueBytes from 0 to the largest value that fits into a page with its 12 bytes of
   *     header: 4052 with the default page size
   */
  public static BufferHashOptions ofFingerprints(int maxValueBytes) {
    return of(false, 0, maxValueBytes);
  }

  /**
   * Returns the options of a BufferHash whose keys are byte arrays, which it stores and compares
   * completely: a lookup never returns the value of another key.
   *
   * @param maxKeyBytes at least 1
   * @param maxValueBytes at least 0; key, value and 12 bytes of header must fit into a page
   */
  public static BufferHashOptions ofKeys(int maxKeyBytes, int maxValueBytes) {
    Arguments.check(
        maxKeyBytes >= 1, "keys of at most " + maxKeyBytes + " bytes, must be 1 or more");
    return of(true, maxKeyBytes, maxValueBytes);
  }

  /** Returns the options of a BufferHash with these bounds of its keys and values. */
  static BufferHashOptions of(boolean keyed, int maxKeyBytes, int maxValueBytes) {
    Arguments.check(
        maxValueBytes >= 0, "values of at most " + maxValueBytes + " bytes, must be 0 or more");
    BufferHashOptions options = new BufferHashOptions();
    options.keyed = keyed;
    options.maxKeyBytes = maxKeyBytes;
    options.maxValueBytes = maxValueBytes;
    return options;
  }

  /** Sets the bytes of the drive that the table takes permanently; the default is 1 GiB. */
  public BufferHashOptions flashBytes(long bytes) {
    Arguments.check(bytes >= 1 && bytes <= MAX_BYTES, bytes + " bytes of flash, must be 1 to 2^46");
    return with(v -> v.flashBytes = bytes);
  }

  /**
   * Sets the bytes of memory for buffers, filters and the fences of pages: at least 128 KiB, by
   * default 64 MiB. The blocks of the log and of Netty's arenas are added, a few MiB.
   */
  public BufferHashOptions memoryBudget(long bytes) {
    Arguments.check(
        bytes >= MIN_MEMORY_BYTES && bytes <= MAX_BYTES,
        "memory of " + bytes + " bytes, must be at least 128 KiB");
    return with(v -> v.memoryBytes = bytes);
  }

  /**
   * Sets the average bytes of an entry's key and value together, for which flash and memory are
   * divided. The default is their maximum. If entries are far smaller than this, buffers are
   * written before they are full, and flash stays partly empty.
   */
  public BufferHashOptions expectedEntryBytes(int bytes) {
    Arguments.check(bytes >= 0, "entries of " + bytes + " bytes, must not be negative");
    return with(v -> v.expectedEntryBytes = bytes);
  }

  /**
   * Sets the kind of filters in memory, by which lookups find the incarnations with a key. The
   * default is Ribbon filters if memory has less than 14 bits per entry, since lookups then have
   * fewer unnecessary reads, otherwise bit-sliced Bloom filters, which take less time. Set it if
   * the memory budget changes much between two openings: filters of another kind than those on
   * flash are built from all pages.
   */
  public BufferHashOptions filters(IncarnationFilterKind kind) {
    return with(v -> v.filterKind = Objects.requireNonNull(kind, "kind"));
  }

  /** Sets the fate of the oldest entries when the table is full. The default is full discard. */
  public BufferHashOptions eviction(Eviction eviction) {
    return with(v -> v.eviction = Objects.requireNonNull(eviction, "eviction"));
  }

  /** Sets the operations that a crash may lose. The default is {@link Durability#NONE}. */
  public BufferHashOptions durability(Durability durability) {
    return with(v -> v.durability = Objects.requireNonNull(durability, "durability"));
  }

  /**
   * Sets the size in bytes of a page, which a lookup reads: a multiple of 4096 up to 65536. The
   * default is 4096.
   */
  public BufferHashOptions pageBytes(int bytes) {
    PageStore.checkPageBytes(bytes, 1 << 16);
    return with(v -> v.pageBytes = bytes);
  }

  /**
   * Sets the size in bytes of the unit in which the drive erases: incarnations begin and end at
   * multiples of it. It is a multiple of the page size and at least 8 pages. The default is 128
   * KiB.
   */
  public BufferHashOptions eraseBlockBytes(int bytes) {
    Arguments.check(
        bytes >= 1 && bytes <= 1 << 28, "erase blocks of " + bytes + " bytes, must be 1 to 2^28");
    return with(v -> v.eraseBlockBytes = bytes);
  }

  /**
   * Sets the size in bytes of an incarnation (a written buffer) on flash, and thereby that of a
   * buffer; rounded up to erase blocks. The default is 128 KiB, or an erase block if that is
   * larger. With less, a buffer is written sooner; with more, requests are fewer and larger.
   */
  public BufferHashOptions incarnationBytes(int bytes) {
    Arguments.check(
        bytes >= 1 && bytes <= 1 << 28, "incarnations of " + bytes + " bytes, must be 1 to 2^28");
    return with(v -> v.incarnationBytes = bytes);
  }

  /**
   * Sets the number of super tables, into which keys are divided: a power of two up to 2^20. By
   * default it is computed.
   */
  public BufferHashOptions superTables(int count) {
    Arguments.check(
        count >= 1 && count <= Geometry.MAX_SUPER_TABLES && Integer.bitCount(count) == 1,
        count + " super tables, must be a power of two up to 2^20");
    return with(v -> v.superTables = count);
  }

  /**
   * Enables or disables direct I/O. Where the file system does not support it, files are read
   * through the page cache.
   */
  public BufferHashOptions directIo(boolean on) {
    return with(v -> v.directIo = on);
  }

  /** Sets the object through which all files are opened, renamed, synced and deleted. */
  public BufferHashOptions fileAccess(FileAccess access) {
    return with(v -> v.access = Objects.requireNonNull(access, "access"));
  }

  /**
   * Returns the bytes of key and value together of the entry for which flash and memory are
   * divided.
   */
  int entryBytes() {
    return expectedEntryBytes >= 0 ? expectedEntryBytes : maxKeyBytes + maxValueBytes;
  }

  /** Sets the source of the random number that distinguishes tables; only tests set one. */
  BufferHashOptions ids(LongSupplier source) {
    return with(v -> v.ids = source);
  }

  /**
   * Sets the function that returns the sizing of Ribbon filters for a rate; tests set one with
   * fixed seeds.
   */
  BufferHashOptions ribbons(DoubleFunction<BumpedRibbonSizing> forRate) {
    return with(v -> v.ribbons = forRate);
  }
}
