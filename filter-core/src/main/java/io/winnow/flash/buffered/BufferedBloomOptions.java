package io.winnow.flash.buffered;

import io.winnow.KeyHash;
import io.winnow.base.Arguments;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.drive.CopiedOnChange;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.PageStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Options to create and open a {@link BufferedBloomFilter}. Immutable; each setter returns changed
 * options.
 *
 * <p>Keys, rate, pages, page size, request size, hash functions and the hash of keys are fixed when
 * a filter is created: {@link BufferedBloomFilter#open} takes them from its file and ignores those
 * given here. Memory, the longest wait, the listener and the file access may change from one
 * opening to the next.
 */
public final class BufferedBloomOptions extends CopiedOnChange<BufferedBloomOptions> {
  /** Default of the false-positive rate: 0.25 %, as Canim and others (2010) measured. */
  public static final double DEFAULT_RATE = 0.0025;

  /**
   * Default of the memory in bytes: 32 MiB, from which on the filter of Canim and others was faster
   * than one in memory.
   */
  public static final long DEFAULT_MEMORY_BYTES = 32L << 20;

  /**
   * Default of the longest wait of a deferred probe: 750 ms, the best one that Canim and others
   * measured.
   */
  public static final Duration DEFAULT_MAX_WAIT = Duration.ofMillis(750);

  /** Maximum of bytes of a request by default; larger requests are hardly faster per byte. */
  private static final int MAX_REQUEST_BYTES = 1 << 20;

  /**
   * Divisor of the memory that gives the default size of a request, since two sweeps take memory
   * for a request each.
   */
  private static final int MEMORY_PER_REQUEST = 16;

  private static final Duration MAX_MAX_WAIT = Duration.ofMinutes(9);

  long keys;
  double rate = DEFAULT_RATE;
  long memoryBytes = DEFAULT_MEMORY_BYTES;
  int pageBytes = PageStore.MIN_PAGE_BYTES;
  long pages;
  int hashFunctions;
  int requestBytes;
  Duration maxWait = DEFAULT_MAX_WAIT;
  ProbeListener listener;
  KeyHash keyHash = KeyHash.XXH3;
  boolean directIo = true;
  FileAccess access = FileAccess.SYSTEM;
  LongSupplier ids = new SecureRandom()::nextLong;

  private BufferedBloomOptions() {}

  /**
   * Returns the default options of a buffered Bloom filter: the constants above, pages of 4 KiB,
   * direct I/O. The number of keys must be set.
   */
  public static BufferedBloomOptions defaults() {
    return new BufferedBloomOptions();
  }

  /**
   * Sets the number of keys that the filter is sized for. It accepts more, at a higher rate. A key
   * that is inserted again counts again.
   */
  public BufferedBloomOptions keys(long keys) {
    Arguments.check(keys >= 1, keys + " keys, must be at least 1");
    return with(v -> v.keys = keys);
  }

  /** Sets the false-positive rate at the given number of keys: 10^-6 to 0.5. */
  public BufferedBloomOptions rate(double rate) {
    Arguments.check(
        rate >= BufferedBloomSizing.MIN_RATE && rate <= BufferedBloomSizing.MAX_RATE,
        "rate " + rate + ", must be 10^-6 to 0.5");
    return with(v -> v.rate = rate);
  }

  /**
   * Sets the bytes of memory that the filter takes for buffers and for pages during sweeps, at any
   * size on flash. The bytes read and written per key are inversely proportional to it.
   *
   * <p>Not included: waiting futures, some 60 bytes each; answers before their delivery, 5 bytes
   * each; and blocks of Netty's arenas for page frames, 2 MiB each.
   */
  public BufferedBloomOptions memoryBudget(long bytes) {
    Arguments.check(bytes >= 1, "memory of " + bytes + " bytes, must be at least 1");
    return with(v -> v.memoryBytes = bytes);
  }

  /**
   * Sets the size in bytes of a page, which an immediate probe reads: a multiple of 4096, at most
   * 2^20.
   */
  public BufferedBloomOptions pageBytes(int bytes) {
    PageStore.checkPageBytes(bytes, PageStore.MAX_PAGE_BYTES);
    return with(v -> v.pageBytes = bytes);
  }

  /**
   * Sets the number of pages of the filter, instead of the number that keys and rate imply. It is
   * rounded up to whole groups.
   */
  public BufferedBloomOptions pages(long pages) {
    Arguments.check(pages >= 1, pages + " pages, must be at least 1");
    return with(v -> v.pages = pages);
  }

  /**
   * Sets the number of bits that each key sets, 1 to 64, instead of a number that suits rate and
   * pages.
   */
  public BufferedBloomOptions hashFunctions(int number) {
    Arguments.check(
        number >= 1 && number <= BloomSizing.MAX_HASH_FUNCTIONS,
        number + " hash functions, must be 1 to " + BloomSizing.MAX_HASH_FUNCTIONS);
    return with(v -> v.hashFunctions = number);
  }

  /**
   * Sets the maximum of bytes of the filter's read or write requests: from the size of a page to 16
   * MiB. Pages that are read together share a block of buffer. The default is a sixteenth of the
   * memory, at most 1 MiB.
   */
  public BufferedBloomOptions requestBytes(int bytes) {
    Arguments.check(
        bytes >= PageStore.MIN_PAGE_BYTES && bytes <= BufferedBloomSizing.MAX_GROUP_BYTES,
        "requests of " + bytes + " bytes, must be 4096 to 16 MiB");
    return with(v -> v.requestBytes = bytes);
  }

  /**
   * Sets the longest time that a deferred probe waits for others: 1 ms to 9 minutes. It is the
   * paper's {@code t_max}. One thread sweeps; it can keep this time only if it can read all blocks
   * and answer their probes within it.
   */
  public BufferedBloomOptions maxWait(Duration wait) {
    Arguments.check(
        wait.compareTo(Duration.ofMillis(1)) >= 0 && wait.compareTo(MAX_MAX_WAIT) <= 0,
        "a wait of " + wait + ", must be 1 ms to 9 minutes");
    return with(v -> v.maxWait = wait);
  }

  /** Sets the listener that receives the answers to deferred probes with a tag. */
  public BufferedBloomOptions onAnswer(ProbeListener listener) {
    return with(v -> v.listener = Objects.requireNonNull(listener));
  }

  /**
   * Sets the hash function for keys that are given as bytes; {@link KeyHash#XXH3} by default. A
   * filter that exists keeps its own.
   *
   * @throws IllegalArgumentException if the function has a seed, which the file cannot record
   */
  public BufferedBloomOptions hashedBy(KeyHash hash) {
    Objects.requireNonNull(hash);
    Arguments.check(!hash.isSeeded(), hash + " has a seed, which the files do not keep");
    return with(v -> v.keyHash = hash);
  }

  /**
   * Enables or disables direct I/O. Where the file system does not support it, files are read
   * through the page cache.
   */
  public BufferedBloomOptions directIo(boolean on) {
    return with(v -> v.directIo = on);
  }

  /** Sets the object through which all files are opened, renamed, synced and deleted. */
  public BufferedBloomOptions fileAccess(FileAccess access) {
    return with(v -> v.access = Objects.requireNonNull(access));
  }

  /**
   * Returns the shape of a buffered Bloom filter created with these options (its pages, and the
   * bits of a key): the given values, and those that follow from keys, rate and memory.
   *
   * @throws IllegalArgumentException if neither keys nor both pages and hash functions are given,
   *     or if there are too many pages
   */
  public BufferedBloomSizing sizing() {
    int groupPages = groupPages();
    if (pages == 0) {
      Arguments.check(keys > 0, "set the number of keys, or pages and hash functions");
      return BufferedBloomSizing.forRate(keys, rate, pageBytes, groupPages, hashFunctions);
    }
    int entryBytes =
        BufferedBloomSizing.entryBytes(Math.max(1, keys), rate, groupPages * pageBytes);
    if (hashFunctions > 0) {
      return BufferedBloomSizing.ofPages(pages, pageBytes, groupPages, hashFunctions, entryBytes);
    }
    Arguments.check(keys > 0, "set the number of keys, or the hash functions");
    return IntStream.rangeClosed(1, BloomSizing.MAX_HASH_FUNCTIONS)
        .mapToObj(k -> BufferedBloomSizing.ofPages(pages, pageBytes, groupPages, k, entryBytes))
        .min(
            Comparator.<BufferedBloomSizing>comparingDouble(
                    sizing -> Math.max(rate, sizing.expectedRate(keys)))
                .thenComparingInt(sizing -> sizing.hashFunctions()))
        .get(); // the one with the fewest functions that keeps the rate, or the best one
  }

  /**
   * Returns the number of pages in a group that one request reads or writes, which follows from the
   * request size.
   */
  private int groupPages() {
    long bytes =
        requestBytes > 0
            ? requestBytes
            : Math.min(MAX_REQUEST_BYTES, memoryBytes / MEMORY_PER_REQUEST);
    return (int) Math.max(1, bytes / pageBytes);
  }

  /** Sets the source of the random number that distinguishes filters; only tests set one. */
  BufferedBloomOptions ids(LongSupplier source) {
    return with(v -> v.ids = source);
  }
}
