package io.winnow.cascade;

import io.winnow.KeyHash;
import io.winnow.base.Arguments;
import io.winnow.flash.drive.CopiedOnChange;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.Durability;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * Options of a {@link CascadeFilter}. Immutable; each setter returns changed options.
 *
 * <p>A directory keeps the rate, expected maximum, deletes, hash function and page size that it was
 * made with; an opening with other ones is refused. The other options may change from one opening
 * to the next.
 */
public final class CascadeOptions extends CopiedOnChange<CascadeOptions> {
  /**
   * Default of the expected maximum of keys: 8.59 billion, as Bender and others (2011) measured.
   */
  public static final long DEFAULT_EXPECTED_MAXIMUM = 1L << 33;

  private static final long MIN_MEMORY_BYTES = 1 << 19;
  private static final long MAX_MEMORY_BYTES = 1L << 40;
  private static final int MAX_MERGE_THREADS = 64;

  long memoryBytes = 64L << 20;
  int fanOut = 4;
  CascadeMix mix;
  double rate = 0.0004;

  /**
   * Number of bits of a fingerprint in an existing directory, or 0 to compute them from the rate.
   */
  int fingerprintBits;

  long expectedMaximum = DEFAULT_EXPECTED_MAXIMUM;
  boolean deletes;
  KeyHash keyHash = KeyHash.XXH3;
  Durability durability = Durability.ON_SYNC;
  int mergeThreads = 1;
  long mergeBytesPerSecond;
  int pageBytes = PageStore.MIN_PAGE_BYTES;
  int readThreads = 32;
  boolean directIo = true;
  CascadeListener listener = CascadeListener.NONE;
  FileAccess access = FileAccess.SYSTEM;
  LongSupplier ids = new SecureRandom()::nextLong;

  private CascadeOptions() {}

  /**
   * Returns the default options of a cascade filter: 64 MiB, fan-out 4, 0.04 % at {@link
   * #DEFAULT_EXPECTED_MAXIMUM} keys, no deletes, {@link Durability#ON_SYNC}, one merge thread
   * without a limit, XXH3, pages of 4 KiB, direct I/O.
   */
  public static CascadeOptions defaults() {
    return new CascadeOptions();
  }

  /**
   * Sets the bytes of memory for both memory levels (one is filled while the other is written), the
   * fences of the levels on flash and the buffers of merges: 512 KiB to 1 TiB.
   *
   * <p>Merges take at most a quarter of it: more threads take smaller chunks, down to two pages of
   * each source, and no less. With small budgets and many threads that is more than a quarter. On
   * top come blocks of Netty's arenas for page frames, 2 MiB each, and 64 KiB for each log.
   * Measured, with pages of 4 KiB:
   *
   * <pre>
   *   budget    merge threads   heap      frames and logs
   *   64 MiB    1               64 MiB    4 MiB
   *   64 MiB    64              63 MiB    4 MiB
   *    8 MiB    2                9 MiB    4 MiB
   *    2 MiB    1              2.5 MiB    4 MiB
   *   512 KiB   1              0.8 MiB    4 MiB
   *   512 KiB   64             9   MiB    4 MiB
   * </pre>
   *
   * <p>An opening whose logs have more than memory has room for writes it to flash first; only if
   * it cannot be written, it is kept in memory beyond the budget.
   */
  public CascadeOptions memoryBudget(long bytes) {
    Arguments.check(
        bytes >= MIN_MEMORY_BYTES && bytes <= MAX_MEMORY_BYTES,
        "memory of " + bytes + " bytes, must be 512 KiB to 1 TiB");
    return with(b -> b.memoryBytes = bytes);
  }

  /**
   * Sets the fan-out of a cascade filter, by which each level is larger than the one before it: 2
   * to {@value CascadeMix#MAX_FAN_OUT}.
   */
  public CascadeOptions fanOut(int times) {
    CascadeMix.checkFanOut(times);
    return with(
        b -> {
          b.fanOut = times;
          b.mix = null;
        });
  }

  /**
   * Selects the fan-out of a cascade filter that takes the least time for a mix of inserts and
   * lookups. It is computed for the final expected maximum and memory budget, whichever option is
   * set first.
   */
  public CascadeOptions fanOutFor(CascadeMix mix) {
    return with(b -> b.mix = mix);
  }

  /** Sets the false-positive rate at the expected maximum of keys: above 0, at most 0.5. */
  public CascadeOptions rate(double rate) {
    Arguments.check(rate > 0 && rate <= 0.5, "rate " + rate + ", must be above 0 and at most 0.5");
    return with(b -> b.rate = rate);
  }

  /**
   * Sets the number of keys up to which the false-positive rate holds. Beyond it the filter goes
   * on, and its rate grows in proportion. Each doubling costs one bit per key.
   */
  public CascadeOptions expectedMaximum(long keys) {
    Arguments.check(keys >= 1, "an expected maximum of " + keys + " keys, must be at least 1");
    return with(b -> b.expectedMaximum = keys);
  }

  /** Allows or forbids deletes of keys, which cost one more bit per key. */
  public CascadeOptions deletes(boolean on) {
    return with(b -> b.deletes = on);
  }

  /**
   * Sets the hash function for keys that are {@code byte[]}. The directory records it. A caller
   * that inserts hashes must compute them by the same function, or never use {@code byte[]}.
   *
   * @throws IllegalArgumentException if the function has a seed, which the directory cannot record
   */
  public CascadeOptions keyHash(KeyHash function) {
    Objects.requireNonNull(function);
    Arguments.check(
        !function.isSeeded(), function + " has a seed, which the directory does not keep");
    return with(b -> b.keyHash = function);
  }

  /** Sets the moments at which inserts and deletes are synced. */
  public CascadeOptions durability(Durability durability) {
    return with(b -> b.durability = durability);
  }

  /**
   * Sets the number of merge threads: 1 to {@value #MAX_MERGE_THREADS}. They share the part of
   * {@link #memoryBudget} that is for merges.
   */
  public CascadeOptions mergeThreads(int threads) {
    checkMergeThreads(threads);
    return with(b -> b.mergeThreads = threads);
  }

  /** Sets the limit of bytes that merges read and write per second; 0 means no limit. */
  public CascadeOptions mergeBytesPerSecond(long bytes) {
    checkMergeBytesPerSecond(bytes);
    return with(b -> b.mergeBytesPerSecond = bytes);
  }

  /**
   * Sets the size of a page in bytes, the unit that a lookup reads per level: a multiple of 4096,
   * at most 65536. A level has up to two billion pages: 8 TB with pages of 4096 bytes, 140 TB with
   * the largest.
   */
  public CascadeOptions pageBytes(int bytes) {
    PageStore.checkPageBytes(bytes, Manifest.MAX_PAGE_BYTES);
    return with(b -> b.pageBytes = bytes);
  }

  /**
   * Sets the number of pages that a batch of lookups reads at the same time: 1 to 256, by default
   * 32. The measured drive was fastest with some dozens.
   */
  public CascadeOptions readThreads(int threads) {
    Arguments.check(threads >= 1 && threads <= 256, threads + " read threads, must be 1 to 256");
    return with(b -> b.readThreads = threads);
  }

  /**
   * Enables or disables direct I/O. Where the file system does not support it, files are read
   * through the page cache.
   */
  public CascadeOptions directIo(boolean on) {
    return with(b -> b.directIo = on);
  }

  /** Sets the listener for merges, waits, fsyncs and damaged pages. */
  public CascadeOptions listener(CascadeListener listener) {
    return with(b -> b.listener = Objects.requireNonNull(listener));
  }

  /** Sets the object through which all files are opened, renamed, synced and deleted. */
  public CascadeOptions fileAccess(FileAccess access) {
    return with(b -> b.access = access);
  }

  static void checkMergeThreads(int threads) {
    Arguments.check(
        threads >= 1 && threads <= MAX_MERGE_THREADS,
        threads + " merge threads, must be 1 to " + MAX_MERGE_THREADS);
  }

  static void checkMergeBytesPerSecond(long bytes) {
    Arguments.check(bytes >= 0, "a limit of " + bytes + " bytes per second, must not be negative");
  }

  /**
   * Returns the fan-out that a new cascade filter begins with: the configured one, or that of the
   * configured mix.
   */
  public int fanOut() {
    return mix == null ? fanOut : mix.fanOut(memories());
  }

  /** Returns the expected maximum of keys, divided by the number of entries of a memory level. */
  public double memories() {
    return (double) expectedMaximum / new MemoryShares(this, shape()).levelEntries;
  }

  /** Returns the object through which all files are opened, renamed, synced and deleted. */
  public FileAccess fileAccess() {
    return access;
  }

  /**
   * Sets the source of the random numbers that distinguish files; only tests use another than the
   * default.
   */
  CascadeOptions ids(LongSupplier source) {
    return with(b -> b.ids = source);
  }

  /**
   * Returns these options with the unchangeable ones of an existing directory, and with the fan-out
   * that it had last.
   */
  CascadeOptions asMade(Manifest manifest) {
    return with(
        b -> {
          b.fingerprintBits = manifest.shape.fingerprintBits;
          b.deletes = manifest.shape.deletes;
          b.keyHash = manifest.keyHash;
          b.pageBytes = manifest.pageBytes;
          b.fanOut = manifest.fanOut;
        });
  }

  /**
   * Returns the layout of slots whose fingerprints are long enough to keep the rate at the expected
   * maximum of keys.
   */
  SlotShape shape() {
    if (fingerprintBits > 0) {
      return new SlotShape(fingerprintBits, deletes);
    }
    double log2 = Math.log(expectedMaximum) / Math.log(2);
    double bits = Math.ceil(log2 - Math.log(rate) / Math.log(2));
    Arguments.check(
        bits <= SlotShape.MAX_FINGERPRINT_BITS,
        String.format(
            "this rate at %s keys needs fingerprints of %s bits, and the maximum is %s",
            expectedMaximum, (long) bits, SlotShape.MAX_FINGERPRINT_BITS));
    return new SlotShape(Math.max((int) bits, SlotShape.MIN_FINGERPRINT_BITS), deletes);
  }
}
