package io.winnow.cascade;

import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.Durability;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.PageStore;
import io.winnow.hash.KeyHash;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * How a {@link CascadeFilter} is opened. Immutable; each method returns changed options.
 *
 * <p>Rate, expected maximum, deletes, hash function and page size are those of a directory once it
 * was made; another value for one of them is refused. The others may change from one opening to the
 * next.
 */
public final class CascadeOptions implements Cloneable {
  /** The default: 8.59 billion keys, as many as Bender et al. 2011 measured with. */
  public static final long DEFAULT_EXPECTED_MAXIMUM = 1L << 33;

  private static final long MIN_MEMORY_BYTES = 1 << 19;
  private static final long MAX_MEMORY_BYTES = 1L << 40;
  private static final int MAX_MERGE_THREADS = 64;

  long memoryBytes = 64L << 20;
  int fanOut = 4;
  CascadeMix mix;
  double rate = 0.0004;

  /** As a directory has them; 0 if the rate says it. */
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
   * 64 MiB, fan-out 4, 0.04 % at {@link #DEFAULT_EXPECTED_MAXIMUM} keys, no deletes, {@link
   * Durability#ON_SYNC}, one merge thread without a limit, XXH3, pages of 4 KiB, direct I/O.
   */
  public static CascadeOptions defaults() {
    return new CascadeOptions();
  }

  /**
   * Memory for both levels in memory (one is filled while the other is written), the fences of the
   * levels on flash and the merges' buffers; 512 KiB to 1 TiB.
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
   * How many times larger than the one before each level is: 2 to {@value CascadeMix#MOST_FAN_OUT}.
   */
  public CascadeOptions fanOut(int times) {
    checkFanOut(times);
    return with(
        b -> {
          b.fanOut = times;
          b.mix = null;
        });
  }

  /**
   * The fan-out that suits a mix of inserts and lookups, for the expected maximum of keys and the
   * memory budget, in whatever order these are set.
   */
  public CascadeOptions fanOutFor(CascadeMix mix) {
    return with(b -> b.mix = mix);
  }

  /** The false-positive rate once the expected maximum of keys is in: at most 0.5. */
  public CascadeOptions rate(double rate) {
    Arguments.check(rate > 0 && rate <= 0.5, "rate " + rate + ", must be above 0 and at most 0.5");
    return with(b -> b.rate = rate);
  }

  /**
   * Up to how many keys the rate is to be kept. Beyond it the filter goes on, and its rate grows in
   * proportion. Each doubling costs a bit per key.
   */
  public CascadeOptions expectedMaximum(long keys) {
    Arguments.check(keys >= 1, "at most " + keys + " keys");
    return with(b -> b.expectedMaximum = keys);
  }

  /** Whether keys can be deleted, at one more bit per key. */
  public CascadeOptions deletes(boolean on) {
    return with(b -> b.deletes = on);
  }

  /**
   * The function for keys that are {@code byte[]}. The directory says which one it is. Who inserts
   * hashes makes them by the same function, or never uses {@code byte[]}.
   *
   * @throws IllegalArgumentException if it has a seed, which the directory does not keep
   */
  public CascadeOptions keyHash(KeyHash function) {
    Objects.requireNonNull(function);
    Arguments.check(
        !function.isSeeded(), function + " has a seed, which the directory does not keep");
    return with(b -> b.keyHash = function);
  }

  public CascadeOptions durability(Durability durability) {
    return with(b -> b.durability = durability);
  }

  /**
   * How many threads merge: 1 to {@value #MAX_MERGE_THREADS}. They share what {@link #memoryBudget}
   * has for merges.
   */
  public CascadeOptions mergeThreads(int threads) {
    checkMergeThreads(threads);
    return with(b -> b.mergeThreads = threads);
  }

  /** Bytes that merges may read and write in a second; 0 is no limit. */
  public CascadeOptions mergeBytesPerSecond(long bytes) {
    checkMergeBytesPerSecond(bytes);
    return with(b -> b.mergeBytesPerSecond = bytes);
  }

  /**
   * A multiple of 4096, at most 65536: what a lookup reads per level. A level has up to two billion
   * pages: 8 TB with pages of 4096 bytes, 140 TB with the largest.
   */
  public CascadeOptions pageBytes(int bytes) {
    PageStore.checkPageBytes(bytes, 1 << 16);
    return with(b -> b.pageBytes = bytes);
  }

  /**
   * How many pages a batch of lookups reads at a time: 1 to 256, 32 unless told. The drive that was
   * measured gave most with some dozens at once.
   */
  public CascadeOptions readThreads(int threads) {
    Arguments.check(threads >= 1 && threads <= 256, threads + " read threads, must be 1 to 256");
    return with(b -> b.readThreads = threads);
  }

  /** Whether to ask for direct I/O; where the file system has none, files are read plainly. */
  public CascadeOptions directIo(boolean ask) {
    return with(b -> b.directIo = ask);
  }

  /** Who is told of merges, waits, fsyncs and damage. */
  public CascadeOptions listener(CascadeListener listener) {
    Objects.requireNonNull(listener);
    return with(b -> b.listener = listener);
  }

  /** Through what all files are reached. */
  public CascadeOptions fileAccess(FileAccess access) {
    return with(b -> b.access = access);
  }

  static void checkFanOut(int times) {
    Arguments.check(
        times >= CascadeMix.LEAST_FAN_OUT && times <= CascadeMix.MOST_FAN_OUT,
        "fan-out " + times + ", must be 2 to " + CascadeMix.MOST_FAN_OUT);
  }

  static void checkMergeThreads(int threads) {
    Arguments.check(
        threads >= 1 && threads <= MAX_MERGE_THREADS,
        threads + " merge threads, must be 1 to " + MAX_MERGE_THREADS);
  }

  static void checkMergeBytesPerSecond(long bytes) {
    Arguments.check(bytes >= 0, "a limit of " + bytes + " bytes per second");
  }

  /** The fan-out that a filter begins with, computed if it is that of a mix. */
  public int fanOut() {
    return mix == null ? fanOut : mix.fanOut(memories());
  }

  /** How many levels in memory the expected maximum of keys fills. */
  public double memories() {
    return (double) expectedMaximum / new MemoryShares(this, shape()).levelEntries;
  }

  /** What files are read and written through. */
  public FileAccess fileAccess() {
    return access;
  }

  /**
   * Where random numbers come from that tell files apart; others than the default are for tests.
   */
  CascadeOptions ids(LongSupplier source) {
    return with(b -> b.ids = source);
  }

  /** The same for a directory that is there: what cannot be changed, and the last fan-out. */
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

  /** The slots that keep the rate at the expected maximum. */
  SlotShape shape() {
    if (fingerprintBits > 0) {
      return new SlotShape(fingerprintBits, deletes);
    }
    double log2 = Math.log(expectedMaximum) / Math.log(2);
    double bits = Math.ceil(log2 - Math.log(rate) / Math.log(2));
    Arguments.check(
        bits <= SlotShape.MAX_FINGERPRINT_BITS,
        String.format(
            "this rate at %s keys takes fingerprints of %s bits, and %s are the most",
            expectedMaximum, (long) bits, SlotShape.MAX_FINGERPRINT_BITS));
    return new SlotShape(Math.max((int) bits, SlotShape.MIN_FINGERPRINT_BITS), deletes);
  }

  private CascadeOptions with(Consumer<CascadeOptions> change) {
    try {
      CascadeOptions changed = (CascadeOptions) clone();
      change.accept(changed);
      return changed;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
