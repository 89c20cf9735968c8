package io.winnow.flash.bufferhash;

import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.Durability;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.PageStore;
import io.winnow.ribbon.BumpedRibbonSizing;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;
import java.util.function.LongSupplier;

/**
 * How a {@link BufferHash} is opened. Immutable; each method returns changed options.
 *
 * <p>Kind and bounds of keys and values, flash bytes, page size, erase block, buffer size and
 * number of super tables are those of a directory once it was made; where one of them is given
 * anew, it must be the same. The others may change from one opening to the next.
 */
public final class BufferHashOptions implements Cloneable {
  private static final long MIN_MEMORY_BYTES = 1 << 17;
  private static final long MAX_BYTES = 1L << 46;

  boolean keyed;
  int maxKeyBytes;
  int maxValueBytes;

  /** Each of these is 0 if it was not given. */
  long flashBytes;

  int pageBytes;
  int eraseBlockBytes;
  int incarnationBytes;
  int superTables;
  long memoryBytes = 64L << 20;
  int expectedEntryBytes = -1;

  /** Null if it was not given. */
  IncarnationFilterKind filterKind;

  Eviction eviction = Eviction.fifo();
  Durability durability = Durability.NONE;
  boolean directIo = true;
  FileAccess access = FileAccess.SYSTEM;
  LongSupplier ids = new SecureRandom()::nextLong;
  DoubleFunction<BumpedRibbonSizing> ribbons = BumpedRibbonSizing::forRate;

  private BufferHashOptions() {}

  /**
   * A table whose keys are 64-bit fingerprints. A {@code byte[]} key is hashed to one with XXH3,
   * and two keys with the same fingerprint are one key to the table: among n keys a given other key
   * has the fingerprint of one of them with probability {@code n / 2^64}, and some two of them
   * share one with {@code n^2 / 2^65}: 3 % for a billion keys.
   *
   * @param maxValueBytes 0 to what fits on a page with its 12 bytes of header: 4052 with the
   *     default
   */
  public static BufferHashOptions ofFingerprints(int maxValueBytes) {
    return of(false, 0, maxValueBytes);
  }

  /**
   * A table whose keys are byte arrays, kept and compared in full: never a wrong value.
   *
   * @param maxKeyBytes at least 1
   * @param maxValueBytes 0 and up; key, value and 12 bytes of header must fit on a page
   */
  public static BufferHashOptions ofKeys(int maxKeyBytes, int maxValueBytes) {
    Arguments.check(
        maxKeyBytes >= 1, "keys of " + maxKeyBytes + " bytes at most, must be 1 or more");
    return of(true, maxKeyBytes, maxValueBytes);
  }

  private static BufferHashOptions of(boolean keyed, int maxKeyBytes, int maxValueBytes) {
    Arguments.check(
        maxValueBytes >= 0, "values of " + maxValueBytes + " bytes at most, must be 0 or more");
    BufferHashOptions options = new BufferHashOptions();
    options.keyed = keyed;
    options.maxKeyBytes = maxKeyBytes;
    options.maxValueBytes = maxValueBytes;
    return options;
  }

  /** How many bytes of the drive the table takes, for ever; 1 GiB if not given. */
  public BufferHashOptions flashBytes(long bytes) {
    Arguments.check(bytes >= 1 && bytes <= MAX_BYTES, bytes + " bytes of flash");
    return with(v -> v.flashBytes = bytes);
  }

  /**
   * Memory for buffers, filters and the first hashes of pages: 64 MiB if not given, 128 KiB at
   * least. Beside it there are the blocks of the log and of Netty's arenas, a few MiB.
   */
  public BufferHashOptions memoryBudget(long bytes) {
    Arguments.check(
        bytes >= MIN_MEMORY_BYTES && bytes <= MAX_BYTES,
        "memory of " + bytes + " bytes, must be at least 128 KiB");
    return with(v -> v.memoryBytes = bytes);
  }

  /**
   * How many bytes key and value of an entry have together, on average: what the layout is made
   * for. If not given, the most that they may have. With far smaller ones buffers are written
   * before they are full, and flash stays empty.
   */
  public BufferHashOptions expectedEntryBytes(int bytes) {
    Arguments.check(bytes >= 0, "entries of " + bytes + " bytes");
    return with(v -> v.expectedEntryBytes = bytes);
  }

  /**
   * Which filters there are in memory. If not given, Ribbon filters where memory has few bits for
   * an entry, since a lookup then has fewer unnecessary reads, else bit-sliced Bloom filters, which
   * cost less time; the border is at 14 bits. Where the memory budget changes much between two
   * openings, give it: other filters than those on flash are made anew, from all pages.
   */
  public BufferHashOptions filters(IncarnationFilterKind kind) {
    Objects.requireNonNull(kind, "kind");
    return with(v -> v.filterKind = kind);
  }

  /** What happens to the oldest entries; full discard if not given. */
  public BufferHashOptions eviction(Eviction eviction) {
    Objects.requireNonNull(eviction, "eviction");
    return with(v -> v.eviction = eviction);
  }

  /** What a crash may take; {@link Durability#NONE} if not given. */
  public BufferHashOptions durability(Durability durability) {
    Objects.requireNonNull(durability, "durability");
    return with(v -> v.durability = durability);
  }

  /** A multiple of 4096 up to 65536: what a lookup reads. 4096 if not given. */
  public BufferHashOptions pageBytes(int bytes) {
    PageStore.checkPageBytes(bytes, 1 << 16);
    return with(v -> v.pageBytes = bytes);
  }

  /**
   * The unit in which the drive erases: incarnations begin and end at multiples of it. 128 KiB if
   * not given; a multiple of the page size of 8 pages at least.
   */
  public BufferHashOptions eraseBlockBytes(int bytes) {
    Arguments.check(bytes >= 1 && bytes <= 1 << 28, "erase blocks of " + bytes + " bytes");
    return with(v -> v.eraseBlockBytes = bytes);
  }

  /**
   * What an incarnation takes on flash, and with that the size of a buffer; rounded up to erase
   * blocks. 128 KiB if not given, or an erase block if that is larger. Less means that a buffer is
   * written sooner, more that fewer, larger requests are.
   */
  public BufferHashOptions incarnationBytes(int bytes) {
    Arguments.check(bytes >= 1 && bytes <= 1 << 28, "incarnations of " + bytes + " bytes");
    return with(v -> v.incarnationBytes = bytes);
  }

  /** How many super tables there are: a power of two up to 2^20. By the formula if not given. */
  public BufferHashOptions superTables(int count) {
    Arguments.check(
        count >= 1 && count <= Geometry.MAX_SUPER_TABLES && Integer.bitCount(count) == 1,
        count + " super tables, must be a power of two up to 2^20");
    return with(v -> v.superTables = count);
  }

  /** Whether to ask for direct I/O; where the file system has none, files are read plainly. */
  public BufferHashOptions directIo(boolean ask) {
    return with(v -> v.directIo = ask);
  }

  /** Through what all files are reached. */
  public BufferHashOptions fileAccess(FileAccess access) {
    Objects.requireNonNull(access, "access");
    return with(v -> v.access = access);
  }

  /** Key and value of the entry that the layout is made for. */
  int entryBytes() {
    return expectedEntryBytes >= 0 ? expectedEntryBytes : maxKeyBytes + maxValueBytes;
  }

  /** Where the random number comes from that tells a table from others; another one in tests. */
  BufferHashOptions ids(LongSupplier source) {
    return with(v -> v.ids = source);
  }

  /** What Ribbon filters are built as, for their rate; with steady seeds in tests. */
  BufferHashOptions ribbons(DoubleFunction<BumpedRibbonSizing> forRate) {
    return with(v -> v.ribbons = forRate);
  }

  private BufferHashOptions with(Consumer<BufferHashOptions> change) {
    try {
      BufferHashOptions changed = (BufferHashOptions) clone();
      change.accept(changed);
      return changed;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
