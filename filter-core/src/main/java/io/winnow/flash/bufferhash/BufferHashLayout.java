package io.winnow.flash.bufferhash;

import io.winnow.base.Arguments;
import io.winnow.flash.bloom.BloomSizing;

/**
 * The division of a {@link BufferHash}'s flash and memory, as computed from its options. {@link
 * #toString} shows it.
 *
 * <p>From Anand et al., NSDI 2010, "Parameter tuning". Let {@code F} be the bytes of flash and
 * {@code s} those of an entry there. Larger buffers mean fewer incarnations to probe, but less
 * memory for their filters. A lookup has the fewest false reads with {@code F / (s ln(2)^2)} bits
 * of buffers in total, about two bits for each entry on flash. An incarnation has 128 KiB, or an
 * erase block if that is larger: a whole buffer is one write. Filters get the remaining memory.
 *
 * <p>Deviations: buffers take at most half of the memory, and the number of super tables is a power
 * of two, so there may be down to half as many buffers as the formula says. Filters take at most
 * {@value #MAX_FILTER_BITS} bits per entry; more would have no measurable effect.
 */
public final class BufferHashLayout {
  /** Maximum of bits that a filter in memory takes for each entry. */
  static final int MAX_FILTER_BITS = 24;

  /**
   * Number of filter bits per entry below which Ribbon filters are better than Bloom filters. Their
   * rate is so much lower that the saved reads take longer than probing incarnations one by one.
   */
  static final int MIN_BLOOM_BITS = 14;

  private static final int DEFAULT_PAGE_BYTES = 4096;
  private static final int DEFAULT_INCARNATION_BYTES = 128 << 10;
  private static final long DEFAULT_FLASH_BYTES = 1L << 30;
  private static final double LN_2 = Math.log(2);

  /**
   * Minimum of filter bits per entry; with fewer, most reads of incarnations would be unnecessary.
   */
  private static final double MIN_FILTER_BITS = 2;

  /**
   * Bytes of heap that the description of an incarnation (a written buffer) takes besides its
   * fences and its filter.
   */
  private static final int INCARNATION_OBJECT_BYTES = 96;

  private static final int RIBBON_OBJECT_BYTES = 200;
  private static final int MAX_HASH_FUNCTIONS = 16;
  private static final int MAX_SPARES = 64;

  private final Geometry geometry;

  /** Maximum of entries in the buffer of a super table (a part of the table). */
  final int bufferEntries;

  /** Number of buffers that can be filled while others are written; all super tables share them. */
  final int spareBuffers;

  /** Number of entries of the expected size that fit into an incarnation (a written buffer). */
  final int expectedEntries;

  private final IncarnationFilterKind filters;
  private final double filterBitsPerEntry;

  /** Size of the Bloom filter of each incarnation, or null with Ribbon filters. */
  final BloomSizing bloom;

  private final double filterRate;

  /**
   * Bytes of memory of all buffers, including spare ones and those that the write of one buffer
   * needs.
   */
  final long bufferMemoryBytes;

  /**
   * Bytes of memory for the fence (top bits of the first key's hash) of each data page, and for
   * other data on each incarnation.
   */
  final long fenceMemoryBytes;

  /** Bytes of memory that all filters take when the flash is full. */
  final long filterMemoryBytes;

  /** Bytes of memory that the BufferHash may use. */
  final long memoryBytes;

  /**
   * Divides the memory and flash of a new or an existing BufferHash.
   *
   * @throws IllegalArgumentException if there is too little
   */
  BufferHashLayout(Geometry geometry, BufferHashOptions options) {
    this.geometry = geometry;
    this.memoryBytes = options.memoryBytes;
    int record = Records.HEADER_BYTES + options.entryBytes();
    this.expectedEntries = Math.max(1, geometry.capacity(record) / record);
    this.bufferEntries = (int) Math.min(Integer.MAX_VALUE / 4, expectedEntries * 1.25 + 16);
    this.spareBuffers = Math.min(Math.max(geometry.superTables / 8, 2), MAX_SPARES);
    long slots = (long) geometry.superTables * geometry.slots;
    this.bufferMemoryBytes =
        (geometry.superTables + spareBuffers) * WriteBuffer.memoryBytes(geometry, bufferEntries)
            + geometry.incarnationBytes
            + 28L * bufferEntries;
    this.fenceMemoryBytes = slots * (INCARNATION_OBJECT_BYTES + 4L * geometry.dataPages());
    double left = memoryBytes - bufferMemoryBytes - fenceMemoryBytes;
    double bits = Math.min(MAX_FILTER_BITS, left * 8 / slots / expectedEntries);
    Arguments.check(
        bits >= MIN_FILTER_BITS,
        String.format(
            "memory of %s bytes: %s are needed for buffers, %s for the fences of pages, and filters"
                + " need at least %s",
            memoryBytes,
            bufferMemoryBytes,
            fenceMemoryBytes,
            (long) Math.ceil(MIN_FILTER_BITS / 8 * slots * expectedEntries)));
    IncarnationFilterKind byBits =
        bits >= MIN_BLOOM_BITS
            ? IncarnationFilterKind.BIT_SLICED_BLOOM
            : IncarnationFilterKind.RIBBON;
    this.filters = options.filterKind == null ? byBits : options.filterKind;
    if (filters == IncarnationFilterKind.BIT_SLICED_BLOOM) {
      int hashFunctions = (int) Math.max(1, Math.min(MAX_HASH_FUNCTIONS, Math.round(bits * LN_2)));
      long bloomBits =
          Math.min(Math.max(64, (long) (bits * expectedEntries)), Integer.MAX_VALUE / 2);
      this.bloom = new BloomSizing(bloomBits, hashFunctions);
      this.filterRate = bloom.expectedRate(expectedEntries);
      this.filterBitsPerEntry = (double) bloomBits / expectedEntries;
      this.filterMemoryBytes =
          geometry.superTables * BloomSlices.memoryBytes(bloomBits, geometry.slots);
    } else {
      this.bloom = null;
      double most = bits * expectedEntries / 8 - RIBBON_OBJECT_BYTES;
      this.filterRate = RibbonFilters.rateFor(expectedEntries, most);
      long bytes = RibbonFilters.expectedBytes(expectedEntries, filterRate);
      this.filterBitsPerEntry = 8.0 * bytes / expectedEntries;
      this.filterMemoryBytes = slots * (bytes + RIBBON_OBJECT_BYTES);
    }
  }

  /**
   * Returns the size in bytes of the BufferHash's file: the configured size without the rest that
   * cannot be divided into slots.
   */
  public long flashBytes() {
    return geometry.pages() * geometry.pageBytes;
  }

  /** Returns the size of the BufferHash's pages in bytes. */
  public int pageBytes() {
    return geometry.pageBytes;
  }

  /** Returns the size in bytes of an incarnation (a written buffer) on flash. */
  public int incarnationBytes() {
    return geometry.incarnationBytes;
  }

  /** Returns the number of super tables, into which the keys are divided. */
  public int superTables() {
    return geometry.superTables;
  }

  /** Returns the maximum of incarnations (written buffers) in a super table. */
  public int incarnations() {
    return geometry.slots;
  }

  /** Returns the kind of filters that find the incarnations with a key. */
  public IncarnationFilterKind filters() {
    return filters;
  }

  /** Returns the false-positive rate of the filter of one incarnation (a written buffer). */
  public double filterRate() {
    return filterRate;
  }

  /**
   * Returns the expected number of unnecessary page reads in a lookup of an absent key, because of
   * false positives.
   */
  public double falseReadsPerLookup() {
    return geometry.slots * filterRate;
  }

  /** Returns the geometry (the fixed sizes) of a new BufferHash. */
  static Geometry geometry(BufferHashOptions options) {
    long flash = orDefault(options.flashBytes, DEFAULT_FLASH_BYTES);
    int page = (int) orDefault(options.pageBytes, DEFAULT_PAGE_BYTES);
    int eraseBlock =
        (int) orDefault(options.eraseBlockBytes, Math.max(DEFAULT_INCARNATION_BYTES, 8L * page));
    long wanted = orDefault(options.incarnationBytes, DEFAULT_INCARNATION_BYTES);
    long incarnation = (wanted + eraseBlock - 1) / eraseBlock * eraseBlock;
    Arguments.check(
        incarnation <= 1 << 28, "incarnations of " + incarnation + " bytes, at most 2^28");
    long slots = (flash - eraseBlock) / incarnation;
    Arguments.check(
        slots >= Geometry.MIN_SLOTS,
        String.format(
            "%s bytes of flash, must be at least %s for an erase block of %s bytes and two"
                + " incarnations of %s",
            flash, eraseBlock + Geometry.MIN_SLOTS * incarnation, eraseBlock, incarnation));
    int record = Records.HEADER_BYTES + options.entryBytes();
    double buffers = flash / (8.0 * record * LN_2 * LN_2);
    // a buffer has a hash table besides its records, and there are spare buffers
    double entryMemory = (record + 6.0) / record * 9 / 8;
    double mostBuffers = options.memoryBytes / 2.0 / entryMemory;
    int superTables =
        options.superTables > 0
            ? options.superTables
            : superTables(Math.min(buffers, mostBuffers) / incarnation, slots);
    Geometry geometry = new Geometry();
    geometry.keyed = options.keyed;
    geometry.maxKeyBytes = options.maxKeyBytes;
    geometry.maxValueBytes = options.maxValueBytes;
    geometry.flashBytes = flash;
    geometry.pageBytes = page;
    geometry.eraseBlockBytes = eraseBlock;
    geometry.incarnationBytes = (int) incarnation;
    geometry.superTables = superTables;
    geometry.slots = (int) Math.min(slots / superTables, Geometry.MAX_SLOTS);
    geometry.indexPages = indexPages(options, page, incarnation, superTables, slots / superTables);
    geometry.id = options.ids.getAsLong();
    return geometry.checked();
  }

  private static long orDefault(long given, long otherwise) {
    return given > 0 ? given : otherwise;
  }

  /**
   * Returns the number of super tables, which divide the keys of a new BufferHash: the power of two
   * below the number of buffers with which each has at least two slots, and not too many.
   */
  private static int superTables(double buffers, long slots) {
    int count = 1;
    while (count < Geometry.MAX_SUPER_TABLES
        && slots / (count * 2L) >= Geometry.MIN_SLOTS
        && (count * 2L <= buffers || slots / count > Geometry.MAX_SLOTS)) {
      count *= 2;
    }
    return count;
  }

  /**
   * Returns the number of index pages in an incarnation, with room for the index and a filter, but
   * at most a quarter of the incarnation.
   */
  private static int indexPages(
      BufferHashOptions options, int page, long incarnation, int superTables, long slots) {
    int payload = TablePage.payloadBytes(page);
    int pages = (int) (incarnation / page);
    double entries = (double) pages * payload / (Records.HEADER_BYTES + options.entryBytes());
    double left = options.memoryBytes - 1.2 * superTables * incarnation;
    double bits =
        Math.min(
            MAX_FILTER_BITS,
            Math.max(MIN_FILTER_BITS, left * 8 / (superTables * (double) slots * entries)));
    int withoutFilter = Index.bytes(pages, 0);
    double index = withoutFilter + bits * entries / 8 * 1.05 + 256;
    int most = Math.max(1, pages / 4);
    return Math.max(
        (withoutFilter + payload - 1) / payload, (int) Math.min(most, Math.ceil(index / payload)));
  }

  @Override
  public String toString() {
    return String.format(
        "BufferHash: %s of flash, %s of memory%n  %d super tables, each with a buffer of %s (%d"
            + " entries) and %d incarnations of %s%n  buffers %s (%d spare), filters %s, first"
            + " hashes of pages %s%n  filters: %s, %.1f bits per entry%s, rate %.3g each: a lookup"
            + " that finds nothing reads %.3g pages",
        size(flashBytes()),
        size(memoryBytes),
        superTables(),
        size(geometry.bufferBytes()),
        expectedEntries,
        incarnations(),
        size(incarnationBytes()),
        size(bufferMemoryBytes),
        spareBuffers,
        size(filterMemoryBytes),
        size(fenceMemoryBytes),
        filters,
        filterBitsPerEntry,
        bloom == null ? "" : ", " + bloom.hashFunctions() + " hash functions",
        filterRate,
        falseReadsPerLookup());
  }

  private static String size(long bytes) {
    return bytes >= 10L << 30
        ? String.format("%.1f GiB", bytes / (double) (1L << 30))
        : bytes >= 10L << 20
            ? String.format("%.1f MiB", bytes / (double) (1L << 20))
            : String.format("%.1f KiB", bytes / 1024.0);
  }
}
