package io.winnow.flash.buffered;

import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.PageStore;
import io.winnow.hash.KeyHash;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * How a {@link BufferedBloomFilter} is made and opened. Immutable; each method returns changed
 * options.
 *
 * <p>Keys, rate, pages, page size, request size, hash functions and the hash of keys are those of
 * the filter once it was made: {@link BufferedBloomFilter#open} takes them from its file, whatever
 * is said here. Memory, the longest wait, the listener and how files are reached may change from
 * one opening to the next.
 */
public final class BufferedBloomOptions implements Cloneable {
  /** 0.25 %, as Canim et al. 2010 measured with. */
  public static final double DEFAULT_RATE = 0.0025;

  /** 32 MiB, from which on theirs was ahead of a filter in memory. */
  public static final long DEFAULT_MEMORY_BYTES = 32L << 20;

  /** 750 ms, their best one. */
  public static final Duration DEFAULT_MAX_WAIT = Duration.ofMillis(750);

  /** Beyond it a request is hardly faster per byte. */
  private static final int LARGEST_REQUEST_BYTES = 1 << 20;

  /** What sweeps have at most of the memory, of which there are two at a time. */
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
  KeyHash keyHash;
  boolean directIo = true;
  FileAccess access = FileAccess.SYSTEM;
  LongSupplier ids = new SecureRandom()::nextLong;

  private BufferedBloomOptions() {}

  /** The constants above, pages of 4 KiB, direct I/O; the number of keys has to be given. */
  public static BufferedBloomOptions defaults() {
    return new BufferedBloomOptions();
  }

  /**
   * How many keys the filter is made for. It takes more, at a higher rate; each key counts, also
   * one that is there already.
   */
  public BufferedBloomOptions keys(long keys) {
    Arguments.check(keys >= 1, keys + " keys, must be at least 1");
    return with(v -> v.keys = keys);
  }

  /** The false-positive rate when so many keys are in: 10^-6 to 0.5. */
  public BufferedBloomOptions rate(double rate) {
    Arguments.check(
        rate >= BufferedBloomSizing.MIN_RATE && rate <= BufferedBloomSizing.MAX_RATE,
        "rate " + rate + ", must be 10^-6 to 0.5");
    return with(v -> v.rate = rate);
  }

  /**
   * All memory that the filter takes, whatever its size on flash: buffers, and pages while they are
   * swept. What is read and written for a key is in inverse proportion to it.
   *
   * <p>Not in it: futures that wait, some 60 bytes each; answers until they are told, 5 bytes each;
   * and blocks of Netty's arenas for page frames, 2 MiB each.
   */
  public BufferedBloomOptions memoryBudget(long bytes) {
    Arguments.check(bytes >= 1, "memory of " + bytes + " bytes");
    return with(v -> v.memoryBytes = bytes);
  }

  /** The page size: a multiple of 4096, at most 2^20. It is what an immediate probe reads. */
  public BufferedBloomOptions pageBytes(int bytes) {
    PageStore.checkPageBytes(bytes, PageStore.MAX_PAGE_BYTES);
    return with(v -> v.pageBytes = bytes);
  }

  /**
   * How many pages there are, instead of as many as keys and rate ask for; rounded up to whole
   * groups.
   */
  public BufferedBloomOptions pages(long pages) {
    Arguments.check(pages >= 1, pages + " pages, must be at least 1");
    return with(v -> v.pages = pages);
  }

  /** Bits that each key sets: 1 to 64, instead of a number that suits rate and pages. */
  public BufferedBloomOptions hashFunctions(int number) {
    Arguments.check(
        number >= 1 && number <= BloomSizing.MAX_HASH_FUNCTIONS,
        number + " hash functions, must be 1 to " + BloomSizing.MAX_HASH_FUNCTIONS);
    return with(v -> v.hashFunctions = number);
  }

  /**
   * The most that is read or written at once: a page to 16 MiB. Pages that are read together share
   * a block of buffer. If it is not given, a sixteenth of the memory, and 1 MiB at most.
   */
  public BufferedBloomOptions requestBytes(int bytes) {
    Arguments.check(
        bytes >= PageStore.MIN_PAGE_BYTES && bytes <= BufferedBloomSizing.MAX_GROUP_BYTES,
        "requests of " + bytes + " bytes, must be 4096 to 16 MiB");
    return with(v -> v.requestBytes = bytes);
  }

  /**
   * How long a deferred probe waits for others at most: 1 ms to 9 minutes. The {@code t_max} of the
   * paper. One thread sweeps: it can be kept if that thread can read all blocks and answer their
   * probes in that time.
   */
  public BufferedBloomOptions maxWait(Duration wait) {
    Arguments.check(
        wait.compareTo(Duration.ofMillis(1)) >= 0 && wait.compareTo(MAX_MAX_WAIT) <= 0,
        "a wait of " + wait + ", must be 1 ms to 9 minutes");
    return with(v -> v.maxWait = wait);
  }

  /** Who is told the answers to probes with a tag. */
  public BufferedBloomOptions onAnswer(ProbeListener listener) {
    Objects.requireNonNull(listener);
    return with(v -> v.listener = listener);
  }

  /**
   * The function that hashes keys of bytes. Without it the filter takes hashes alone, which are
   * then the caller's own.
   *
   * @throws IllegalArgumentException if it has a seed, which the files do not keep
   */
  public BufferedBloomOptions hashedBy(KeyHash hash) {
    Objects.requireNonNull(hash);
    Arguments.check(!hash.isSeeded(), hash + " has a seed, which the files do not keep");
    return with(v -> v.keyHash = hash);
  }

  /** Whether to ask for direct I/O; where the file system has none, files are read plainly. */
  public BufferedBloomOptions directIo(boolean ask) {
    return with(v -> v.directIo = ask);
  }

  /** Through what all files are reached. */
  public BufferedBloomOptions fileAccess(FileAccess access) {
    Objects.requireNonNull(access);
    return with(v -> v.access = access);
  }

  /**
   * The shape that a filter made with these options has: what was given, and what follows from
   * keys, rate and memory.
   *
   * @throws IllegalArgumentException if neither keys nor both pages and hash functions were given,
   *     or if they come to more pages than there may be
   */
  public BufferedBloomSizing sizing() {
    int groupPages = groupPages();
    if (pages == 0) {
      Arguments.check(keys > 0, "give the number of keys, or pages and hash functions");
      return BufferedBloomSizing.forRate(keys, rate, pageBytes, groupPages, hashFunctions);
    }
    int entryBytes =
        BufferedBloomSizing.entryBytes(Math.max(1, keys), rate, groupPages * pageBytes);
    if (hashFunctions > 0) {
      return BufferedBloomSizing.ofPages(pages, pageBytes, groupPages, hashFunctions, entryBytes);
    }
    Arguments.check(keys > 0, "give the number of keys, or the hash functions");
    BufferedBloomSizing best = null;
    for (int k = 1; k <= BloomSizing.MAX_HASH_FUNCTIONS; k++) {
      BufferedBloomSizing sizing =
          BufferedBloomSizing.ofPages(pages, pageBytes, groupPages, k, entryBytes);
      double expected = sizing.expectedRate(keys);
      if (expected <= rate) {
        return sizing;
      }
      if (best == null || expected < best.expectedRate(keys)) {
        best = sizing;
      }
    }
    return best;
  }

  private int groupPages() {
    long bytes =
        requestBytes > 0
            ? requestBytes
            : Math.min(LARGEST_REQUEST_BYTES, memoryBytes / MEMORY_PER_REQUEST);
    return (int) Math.max(1, bytes / pageBytes);
  }

  /** Where the random number comes from that tells a filter from others; another one in tests. */
  BufferedBloomOptions ids(LongSupplier source) {
    return with(v -> v.ids = source);
  }

  private BufferedBloomOptions with(Consumer<BufferedBloomOptions> change) {
    try {
      BufferedBloomOptions changed = (BufferedBloomOptions) clone();
      change.accept(changed);
      return changed;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
