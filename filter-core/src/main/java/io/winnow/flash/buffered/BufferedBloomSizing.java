package io.winnow.flash.buffered;

import io.winnow.base.Arguments;
import io.winnow.base.FieldText;
import io.winnow.base.HashMix;
import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.bloom.BloomPositions;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.drive.PageStore;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import java.util.stream.IntStream;

/**
 * The shape of a {@link BufferedBloomFilter}, which is its pages in groups and the number of bits
 * of a key, and the places of a key's bits in it. It never changes during the life of a filter.
 *
 * <pre>
 *   mixed hash, a fraction of 2^64
 *     |  times groups: the whole part is the group, the rest goes on
 *     v
 *   entry: the first 8 * entryBytes bits of the rest; all that memory keeps of a key
 *     |  times groupPages: the whole part is the page in the group
 *     v
 *   BloomPositions of the entry: its hashFunctions bits, all in that page
 * </pre>
 *
 * <p>Schema-critical: {@code docs/format/buffered-bloom-v3.md}.
 */
public final class BufferedBloomSizing {
  /** Maximum of groups of pages in a buffered Bloom filter. */
  static final int MAX_GROUPS = 1 << 24;

  /** Maximum of bytes in a group of a buffered Bloom filter's pages. */
  static final int MAX_GROUP_BYTES = 1 << 24;

  /** Minimum of bytes that memory keeps of a waiting key. */
  static final int MIN_ENTRY_BYTES = 4;

  /** Maximum of bytes that memory keeps of a waiting key. */
  static final int MAX_ENTRY_BYTES = 8;

  /**
   * Lowest false-positive rate that can be configured. Below it keys that share all bits would
   * begin to matter.
   */
  static final double MIN_RATE = 1e-6;

  /** Highest false-positive rate that can be configured. */
  static final double MAX_RATE = 0.5;

  /** Factor by which a filter may be larger on flash to use fewer hash functions. */
  private static final double SPARE_FLASH = 1.25;

  /** Share of the false-positive rate that keys with equal stored bits may cause. */
  private static final double CLASH_SHARE = 0.25;

  private final int groups;
  private final int groupPages;
  private final int pageBytes;
  private final int hashFunctions;
  private final int entryBytes;

  /**
   * Creates the shape of a buffered Bloom filter: its pages in groups, and the bits of a key.
   *
   * @throws IllegalArgumentException if a number is out of bounds
   */
  public BufferedBloomSizing(
      int groups, int groupPages, int pageBytes, int hashFunctions, int entryBytes) {
    PageStore.checkPageBytes(pageBytes, PageStore.MAX_PAGE_BYTES);
    Arguments.check(groups >= 1 && groups <= MAX_GROUPS, groups + " groups, must be 1 to 2^24");
    Arguments.check(
        groupPages >= 1 && (long) groupPages * pageBytes <= MAX_GROUP_BYTES,
        groupPages + " pages of " + pageBytes + " bytes in a group, must be 1 page to 16 MiB");
    Arguments.check(
        hashFunctions >= 1 && hashFunctions <= BloomSizing.MAX_HASH_FUNCTIONS,
        hashFunctions + " hash functions, must be 1 to " + BloomSizing.MAX_HASH_FUNCTIONS);
    Arguments.check(
        entryBytes >= MIN_ENTRY_BYTES && entryBytes <= MAX_ENTRY_BYTES,
        "entries of " + entryBytes + " bytes, must be 4 to 8");
    this.groups = groups;
    this.groupPages = groupPages;
    this.pageBytes = pageBytes;
    this.hashFunctions = hashFunctions;
    this.entryBytes = entryBytes;
  }

  /**
   * Returns the number of groups of pages in a buffered Bloom filter, each with a block of waiting
   * keys and probes in memory: 1 to 2^24.
   */
  public int groups() {
    return groups;
  }

  /** Returns the number of adjacent pages in a group, which are read and written together. */
  public int groupPages() {
    return groupPages;
  }

  /**
   * Returns the size in bytes of a page, which is a separate Bloom filter: a multiple of 4096, at
   * most 2^20.
   */
  public int pageBytes() {
    return pageBytes;
  }

  /** Returns the number of bits that a key sets in its page: 1 to 64. */
  public int hashFunctions() {
    return hashFunctions;
  }

  /**
   * Returns the number of bytes that a key takes while it waits in memory: 4 to 8. Two keys of one
   * group with the same entry cannot be distinguished.
   */
  public int entryBytes() {
    return entryBytes;
  }

  /**
   * Returns the shape (pages, and bits of a key) with the fewest pages at which a buffered Bloom
   * filter of a given number of keys keeps this rate.
   *
   * @param groupPages maximum of pages in a group
   * @param hashFunctions number of hash functions, or 0 for the smallest one that takes at most a
   *     quarter more flash than the best one: each hash function costs time, and flash is cheap
   */
  static BufferedBloomSizing forRate(
      long keys, double rate, int pageBytes, int groupPages, int hashFunctions) {
    int entryBytes = entryBytes(keys, rate, pageBytes * groupPages);
    IntFunction<BufferedBloomSizing> fewestPages =
        k -> fewestPages(keys, rate, pages -> ofPages(pages, pageBytes, groupPages, k, entryBytes));
    if (hashFunctions > 0) {
      return fewestPages.apply(hashFunctions);
    }
    BufferedBloomSizing best = fewestPages.apply(BloomSizing.forRate(keys, rate).hashFunctions());
    return IntStream.range(1, best.hashFunctions)
        .mapToObj(fewestPages)
        .filter(sizing -> sizing.pages() <= best.pages() * SPARE_FLASH)
        .findFirst()
        .orElse(best);
  }

  /**
   * Finds by bisection the shape (pages, and bits of a key) with the fewest pages at which a
   * buffered Bloom filter keeps a false-positive rate.
   */
  private static BufferedBloomSizing fewestPages(
      long keys, double rate, LongFunction<BufferedBloomSizing> sizing) {
    long enough = 1;
    while (sizing.apply(enough).expectedRate(keys) > rate) {
      enough *= 2;
    }
    long tooFew = enough / 2;
    while (enough - tooFew > 1) {
      long middle = (tooFew + enough) >>> 1;
      if (sizing.apply(middle).expectedRate(keys) > rate) {
        tooFew = middle;
      } else {
        enough = middle;
      }
    }
    return sizing.apply(enough);
  }

  /**
   * Returns the shape of a buffered Bloom filter with at least a given number of pages, in groups
   * that are as equal as possible and not larger than a given maximum.
   */
  static BufferedBloomSizing ofPages(
      long pages, int pageBytes, int groupPages, int hashFunctions, int entryBytes) {
    long groups = (pages + groupPages - 1) / groupPages;
    Arguments.check(
        groups <= MAX_GROUPS,
        pages
            + " pages in groups of "
            + groupPages
            + " are more than 2^24 groups: set larger requests");
    return new BufferedBloomSizing(
        (int) groups, (int) ((pages + groups - 1) / groups), pageBytes, hashFunctions, entryBytes);
  }

  /**
   * Returns the smallest number of bytes to keep of a waiting key for which keys with equal bytes
   * cause a small share of the rate.
   */
  static int entryBytes(long keys, double rate, int groupBytes) {
    double bitsPerKey = BloomSizing.forRate(keys, rate).bits() / (double) keys;
    double groupKeys = Math.min(keys, groupBytes * (double) Byte.SIZE / bitsPerKey);
    int bytes = MIN_ENTRY_BYTES;
    while (bytes < MAX_ENTRY_BYTES && Math.scalb(groupKeys, -8 * bytes) > CLASH_SHARE * rate) {
      bytes++;
    }
    return bytes;
  }

  /** Returns the number of pages in all groups of the buffered Bloom filter together. */
  public long pages() {
    return (long) groups * groupPages;
  }

  /** Returns the size in bytes of all pages of the buffered Bloom filter on flash. */
  public long sizeInBytes() {
    return pages() * pageBytes;
  }

  /** Returns the size in bytes of one group of pages, which is that of a large request. */
  public int groupBytes() {
    return groupPages * pageBytes;
  }

  /**
   * Returns the false-positive rate of the filter with a given number of keys.
   *
   * <p>Keys do not spread evenly: the number of keys in a page is Poisson distributed. The rate is
   * the mean over this distribution, which is higher than the rate at its mean. It includes the
   * entries that are equal by chance.
   *
   * <p>Canim et al., "Buffered Bloom Filters on Solid State Storage", ADMS 2010, section 3.3, where
   * each page has the mean number of keys.
   */
  public double expectedRate(long keys) {
    double bits = BitPages.bitsPerPage(pageBytes);
    double entries = Math.scalb(1.0, 8 * entryBytes) / groupPages;
    int k = hashFunctions;
    return poissonMean(
        keys / (double) pages(),
        n -> {
          double bloom = Math.pow(-Math.expm1(-k * n / bits), k);
          return bloom + (1 - bloom) * -Math.expm1(-n / entries);
        });
  }

  /** Returns the mean of a function of a Poisson distributed number. */
  static double poissonMean(double mean, DoubleUnaryOperator function) {
    if (mean == 0) {
      return function.applyAsDouble(0);
    }
    long mode = (long) mean;
    long step = 1 + (long) (Math.sqrt(mean) / 32); // the function is smooth
    double sum = 0;
    double weights = 0;
    for (int direction = -1; direction <= 1; direction += 2) {
      long n = direction < 0 ? mode : mode + 1;
      double weight = direction < 0 ? 1 : mean / n;
      long bucket = -1;
      double value = 0;
      while (n >= 0 && weight > 1e-15) {
        if (n / step != bucket) {
          bucket = n / step;
          value = function.applyAsDouble(bucket * step + (step - 1) / 2.0);
        }
        sum += weight * value;
        weights += weight;
        weight = direction < 0 ? weight * n / mean : weight * mean / (n + 1);
        n += direction;
      }
    }
    return sum / weights;
  }

  /** Mixes the hash of a key, from which its group of pages and its bits follow. */
  static long mix(long keyHash) {
    return HashMix.mix(keyHash);
  }

  /** Returns the number of the group of a buffered Bloom filter's pages that a key belongs to. */
  int group(long mixed) {
    return (int) BloomPositions.position(mixed, groups);
  }

  /**
   * Returns the entry of a key: the bits that memory keeps of a waiting key, besides its group of
   * pages.
   */
  long entry(long mixed) {
    long rest = (mixed >>> 1) * ((long) groups << 1);
    return rest >>> (64 - 8 * entryBytes);
  }

  /** Returns the page, numbered within its group, that a key belongs to. */
  int page(long entry) {
    return (int) BloomPositions.position(entry << (64 - 8 * entryBytes), groupPages);
  }

  // ---- A key's bits ----

  /** Sets the bits of a key in its page, whose payload begins at a given offset of a buffer. */
  void addKey(ByteBuffer bytes, int payload, long entry) {
    long bits = BitPages.bitsPerPage(pageBytes);
    long fraction = BloomPositions.fraction(entry);
    long stride = BloomPositions.stride(fraction);
    BitPages.set(bytes, payload, (int) BloomPositions.position(fraction, bits));
    for (int i = 1; i < hashFunctions; i++) {
      fraction += stride;
      stride += i * BloomPositions.CUBIC;
      BitPages.set(bytes, payload, (int) BloomPositions.position(fraction, bits));
    }
  }

  /**
   * Returns whether a key's page, whose payload begins at a given offset of a buffer, has all bits
   * of the key.
   */
  boolean hasKey(ByteBuffer bytes, int payload, long entry) {
    long bits = BitPages.bitsPerPage(pageBytes);
    long fraction = BloomPositions.fraction(entry);
    long stride = BloomPositions.stride(fraction);
    for (int i = 1;
        BitPages.isSet(bytes, payload, (int) BloomPositions.position(fraction, bits));
        i++) {
      if (i == hashFunctions) {
        return true;
      }
      fraction += stride;
      stride += i * BloomPositions.CUBIC;
    }
    return false;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof BufferedBloomSizing)) {
      return false;
    }
    BufferedBloomSizing that = (BufferedBloomSizing) other;
    return groups == that.groups
        && groupPages == that.groupPages
        && pageBytes == that.pageBytes
        && hashFunctions == that.hashFunctions
        && entryBytes == that.entryBytes;
  }

  @Override
  public int hashCode() {
    return Objects.hash(groups, groupPages, pageBytes, hashFunctions, entryBytes);
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}
