package io.winnow.flash.buffered;

import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.bloom.BloomPositions;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.store.Arguments;
import io.winnow.flash.store.FieldText;
import io.winnow.flash.store.PageStore;
import io.winnow.hash.HashMix;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntFunction;
import java.util.function.LongFunction;

/**
 * The shape of a {@link BufferedBloomFilter}, and where a key belongs in it. Stays as it is for the
 * life of a filter.
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
  static final int MAX_GROUPS = 1 << 24;
  static final int MAX_GROUP_BYTES = 1 << 24;
  static final int MIN_ENTRY_BYTES = 4;
  static final int MAX_ENTRY_BYTES = 8;

  /** The lowest rate to ask for. Below it two keys that share all bits begin to count. */
  static final double MIN_RATE = 1e-6;

  static final double MAX_RATE = 0.5;

  /** Fewer hash functions are worth this much more flash. */
  private static final double SPARE_FLASH = 1.25;

  /** The share of the rate that equal entries may take. */
  private static final double CLASH_SHARE = 0.25;

  private final int groups;
  private final int groupPages;
  private final int pageBytes;
  private final int hashFunctions;
  private final int entryBytes;

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

  /** How many groups of pages, and so blocks of buffer in memory: 1 to 2^24. */
  public int groups() {
    return groups;
  }

  /** Pages that are adjacent, and are read and written together. */
  public int groupPages() {
    return groupPages;
  }

  /** Size of a page, which is a Bloom filter of its own: a multiple of 4096, at most 2^20. */
  public int pageBytes() {
    return pageBytes;
  }

  /** Bits that a key sets: 1 to 64. */
  public int hashFunctions() {
    return hashFunctions;
  }

  /**
   * What a key takes while it waits in memory: 4 to 8. Two keys of one group with the same entry
   * cannot be told apart.
   */
  public int entryBytes() {
    return entryBytes;
  }

  /**
   * The fewest pages with which a filter of {@code keys} keys keeps this rate; at least {@code
   * pages} pages, in groups of at most {@code groupPages}, as even as can be.
   *
   * @param hashFunctions 0 for a good number of them: the fewest that take at most a quarter more
   *     flash than the best number does. Each costs time, and flash is cheap
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
    for (int k = 1; k < best.hashFunctions; k++) {
      BufferedBloomSizing sizing = fewestPages.apply(k);
      if (sizing.pages() <= best.pages() * SPARE_FLASH) {
        return sizing;
      }
    }
    return best;
  }

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

  /** At least so many pages, in groups of at most {@code groupPages}, as even as can be. */
  static BufferedBloomSizing ofPages(
      long pages, int pageBytes, int groupPages, int hashFunctions, int entryBytes) {
    long groups = (pages + groupPages - 1) / groupPages;
    Arguments.check(
        groups <= MAX_GROUPS,
        pages
            + " pages in groups of "
            + groupPages
            + " are more than 2^24 groups: take larger ones");
    return new BufferedBloomSizing(
        (int) groups, (int) ((pages + groups - 1) / groups), pageBytes, hashFunctions, entryBytes);
  }

  /** The fewest bytes with which equal entries take a small share of the rate. */
  static int entryBytes(long keys, double rate, int groupBytes) {
    double bitsPerKey = BloomSizing.forRate(keys, rate).bits() / (double) keys;
    double groupKeys = Math.min(keys, groupBytes * (double) Byte.SIZE / bitsPerKey);
    int bytes = MIN_ENTRY_BYTES;
    while (bytes < MAX_ENTRY_BYTES && Math.scalb(groupKeys, -8 * bytes) > CLASH_SHARE * rate) {
      bytes++;
    }
    return bytes;
  }

  /** All pages of all groups. */
  public long pages() {
    return (long) groups * groupPages;
  }

  /** What the pages take on flash. */
  public long sizeInBytes() {
    return pages() * pageBytes;
  }

  /** What one group takes: the size of a large request. */
  public int groupBytes() {
    return groupPages * pageBytes;
  }

  /**
   * The false-positive rate with {@code keys} keys in the filter, of keys that are not.
   *
   * <p>Keys do not spread evenly: a page has a number of them that is Poisson distributed, and the
   * rate is the mean over that, which is more than the rate of the mean. It includes the entries
   * that are equal by chance.
   *
   * <p>Canim et al., "Buffered Bloom Filters on Solid State Storage", ADMS 2010, section 3.3, which
   * takes the number of keys in each page at its mean.
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

  /** The mean of a function of a number that is Poisson distributed. */
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

  /** Mixes a key's hash: what the next two take. */
  static long mix(long keyHash) {
    return HashMix.mix(keyHash);
  }

  /** The group of a key. */
  int group(long mixed) {
    return (int) BloomPositions.position(mixed, groups);
  }

  /** What memory keeps of a key, beside its group. */
  long entry(long mixed) {
    long rest = (mixed >>> 1) * ((long) groups << 1);
    return rest >>> (64 - 8 * entryBytes);
  }

  /** The page of an entry, in its group. */
  int page(long entry) {
    return (int) BloomPositions.position(entry << (64 - 8 * entryBytes), groupPages);
  }

  // ---- A key's bits ----

  /** Sets the bits of an entry in its page, whose payload begins at this offset. */
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

  /** Whether all bits of an entry are set there. */
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
