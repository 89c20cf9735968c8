package io.winnow.flash.bufferhash;

import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.store.Arguments;

/**
 * What a {@link BufferHash} came to: how its flash and its memory are divided. {@link #toString}
 * shows it.
 *
 * <p>From Anand et al., NSDI 2010, "Parameter tuning". Let {@code F} be the bytes of flash and
 * {@code s} those of an entry there. Larger buffers mean fewer incarnations to ask, but less memory
 * for their filters. The false reads of a lookup are fewest with {@code F / (s ln(2)^2)} bits of
 * buffers in all, about two bits for each entry on flash. An incarnation is then 128 KiB, or an
 * erase block if that is larger: a buffer's size is what a write takes. Filters get the memory that
 * remains.
 *
 * <p>Deviations: buffers take at most half of the memory, and the number of super tables is a power
 * of two, so that there may be up to twice fewer buffers than the formula says. Filters take at
 * most {@value #MAX_FILTER_BITS} bits per entry; more would save nothing that one can measure.
 */
public final class BufferHashLayout {
  static final int MAX_FILTER_BITS = 24;

  /**
   * With fewer bits per entry a Ribbon filter is the better one: its rate is so much lower that the
   * reads it saves take longer than the incarnations do that it is asked for one by one.
   */
  static final int LEAST_BLOOM_BITS = 14;

  private static final int DEFAULT_PAGE_BYTES = 4096;
  private static final int DEFAULT_INCARNATION_BYTES = 128 << 10;
  private static final long DEFAULT_FLASH_BYTES = 1L << 30;
  private static final double LN_2 = Math.log(2);

  /** With fewer, most reads of incarnations would be unnecessary. */
  private static final double MIN_FILTER_BITS = 2;

  /** What the heap has for an incarnation besides its fences and its filter. */
  private static final int INCARNATION_OBJECT_BYTES = 96;

  private static final int RIBBON_OBJECT_BYTES = 200;
  private static final int MAX_HASH_FUNCTIONS = 16;
  private static final int MAX_SPARES = 64;

  private final Geometry geometry;

  /** The most entries in one super table's buffer. */
  final int bufferEntries;

  /** Buffers that are filled while others are written; shared by all. */
  final int spareBuffers;

  /** Entries of the expected size in an incarnation. */
  final int expectedEntries;

  private final IncarnationFilterKind filters;
  private final double filterBitsPerEntry;

  /** The shape of each Bloom filter; null if there are Ribbon filters. */
  final BloomSizing bloom;

  private final double filterRate;

  /** Memory of all buffers, with the spare ones and what one write takes. */
  final long bufferMemoryBytes;

  /** For the first hash of each data page, and for what else is known of each incarnation. */
  final long fenceMemoryBytes;

  /** Of all filters, once the flash is full. */
  final long filterMemoryBytes;

  /** The budget. */
  final long memoryBytes;

  /** Divides the memory for a directory, a new one or one that is there. */
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
        "memory of "
            + memoryBytes
            + " bytes: "
            + bufferMemoryBytes
            + " are for buffers, "
            + fenceMemoryBytes
            + " for the first hashes of pages, and filters must have at least "
            + (long) Math.ceil(MIN_FILTER_BITS / 8 * slots * expectedEntries));
    IncarnationFilterKind byBits =
        bits >= LEAST_BLOOM_BITS
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

  /** The table file's size: what was asked for, less what does not divide. */
  public long flashBytes() {
    return geometry.pages() * geometry.pageBytes;
  }

  public int pageBytes() {
    return geometry.pageBytes;
  }

  /** What an incarnation takes on flash. */
  public int incarnationBytes() {
    return geometry.incarnationBytes;
  }

  public int superTables() {
    return geometry.superTables;
  }

  /** The most that a super table has. */
  public int incarnations() {
    return geometry.slots;
  }

  public IncarnationFilterKind filters() {
    return filters;
  }

  /** The false-positive rate of one incarnation's filter. */
  public double filterRate() {
    return filterRate;
  }

  /** False positives of a lookup that finds nothing before: its unnecessary reads. */
  public double falseReadsPerLookup() {
    return geometry.slots * filterRate;
  }

  /** The geometry of a new directory. */
  static Geometry geometry(BufferHashOptions options) {
    long flash = orDefault(options.flashBytes, DEFAULT_FLASH_BYTES);
    int page = (int) orDefault(options.pageBytes, DEFAULT_PAGE_BYTES);
    int eraseBlock =
        (int) orDefault(options.eraseBlockBytes, Math.max(DEFAULT_INCARNATION_BYTES, 8L * page));
    long asked = orDefault(options.incarnationBytes, DEFAULT_INCARNATION_BYTES);
    long incarnation = (asked + eraseBlock - 1) / eraseBlock * eraseBlock;
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
    // a buffer has its hash table beside its records, and there are spare ones
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

  /** The power of two below, with which each has two slots at least, and not too many. */
  private static int superTables(double buffers, long slots) {
    int count = 1;
    while (count < Geometry.MAX_SUPER_TABLES
        && slots / (count * 2L) >= Geometry.MIN_SLOTS
        && (count * 2L <= buffers || slots / count > Geometry.MAX_SLOTS)) {
      count *= 2;
    }
    return count;
  }

  /** Room for the index and for a filter, unless that would be a quarter of an incarnation. */
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
