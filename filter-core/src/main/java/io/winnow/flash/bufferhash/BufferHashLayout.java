package io.winnow.flash.bufferhash;

import io.winnow.flash.bloom.BloomSizing;

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

  /** With fewer, most incarnations would be read in vain. */
  private static final double MIN_FILTER_BITS = 2;

  /** What the heap has for an incarnation besides its fences and its filter. */
  private static final int INCARNATION_OBJECT_BYTES = 96;

  private static final int RIBBON_OBJECT_BYTES = 200;
  private static final int MAX_HASH_FUNCTIONS = 16;
  private static final int MAX_SPARES = 64;

  private final long flashBytes;
  private final int pageBytes;
  private final int eraseBlockBytes;
  private final int incarnationBytes;
  private final int superTables;
  private final int incarnations;
  private final int indexPages;
  private final int bufferBytes;
  private final int bufferEntries;
  private final int spareBuffers;
  private final int expectedEntries;
  private final IncarnationFilterKind filters;
  private final double filterBitsPerEntry;
  private final long bloomBits;
  private final int hashFunctions;
  private final double filterRate;
  private final long bufferMemoryBytes;
  private final long fenceMemoryBytes;
  private final long filterMemoryBytes;
  private final long memoryBytes;

  public BufferHashLayout(
      long flashBytes,
      int pageBytes,
      int eraseBlockBytes,
      int incarnationBytes,
      int superTables,
      int incarnations,
      int indexPages,
      int bufferBytes,
      int bufferEntries,
      int spareBuffers,
      int expectedEntries,
      IncarnationFilterKind filters,
      double filterBitsPerEntry,
      long bloomBits,
      int hashFunctions,
      double filterRate,
      long bufferMemoryBytes,
      long fenceMemoryBytes,
      long filterMemoryBytes,
      long memoryBytes) {
    this.flashBytes = flashBytes;
    this.pageBytes = pageBytes;
    this.eraseBlockBytes = eraseBlockBytes;
    this.incarnationBytes = incarnationBytes;
    this.superTables = superTables;
    this.incarnations = incarnations;
    this.indexPages = indexPages;
    this.bufferBytes = bufferBytes;
    this.bufferEntries = bufferEntries;
    this.spareBuffers = spareBuffers;
    this.expectedEntries = expectedEntries;
    this.filters = filters;
    this.filterBitsPerEntry = filterBitsPerEntry;
    this.bloomBits = bloomBits;
    this.hashFunctions = hashFunctions;
    this.filterRate = filterRate;
    this.bufferMemoryBytes = bufferMemoryBytes;
    this.fenceMemoryBytes = fenceMemoryBytes;
    this.filterMemoryBytes = filterMemoryBytes;
    this.memoryBytes = memoryBytes;
  }

  /** The table file's size: what was asked for, less what does not divide. */
  public long flashBytes() {
    return flashBytes;
  }

  public int pageBytes() {
    return pageBytes;
  }

  public int eraseBlockBytes() {
    return eraseBlockBytes;
  }

  /** What an incarnation takes on flash. */
  public int incarnationBytes() {
    return incarnationBytes;
  }

  public int superTables() {
    return superTables;
  }

  /** The most that a super table has. */
  public int incarnations() {
    return incarnations;
  }

  /** Of an incarnation's pages, those that describe it and keep its filter. */
  public int indexPages() {
    return indexPages;
  }

  /** Of records, in one super table's buffer. */
  public int bufferBytes() {
    return bufferBytes;
  }

  /** The most entries in it. */
  public int bufferEntries() {
    return bufferEntries;
  }

  /** Buffers that are filled while others are written; shared by all. */
  public int spareBuffers() {
    return spareBuffers;
  }

  /** The expected entries in an incarnation, of the expected size. */
  public int expectedEntries() {
    return expectedEntries;
  }

  public IncarnationFilterKind filters() {
    return filters;
  }

  /** The filter bits per entry of an incarnation's filter. */
  public double filterBitsPerEntry() {
    return filterBitsPerEntry;
  }

  /** The bloom bits of an incarnation's Bloom filter; 0 with Ribbon filters. */
  public long bloomBits() {
    return bloomBits;
  }

  /** The hash functions of it; 0 with Ribbon filters. */
  public int hashFunctions() {
    return hashFunctions;
  }

  /** The false-positive rate of one incarnation's filter. */
  public double filterRate() {
    return filterRate;
  }

  /** Memory of all buffers, with the spare ones and what one write takes. */
  public long bufferMemoryBytes() {
    return bufferMemoryBytes;
  }

  /**
   * Memory for the first hash of each data page, and for what else is known of each incarnation.
   */
  public long fenceMemoryBytes() {
    return fenceMemoryBytes;
  }

  /** Memory of all filters, once the flash is full. */
  public long filterMemoryBytes() {
    return filterMemoryBytes;
  }

  /** The budget. */
  public long memoryBytes() {
    return memoryBytes;
  }

  /** False positives of a lookup: what it may read in vain, if it finds nothing before. */
  public double falseReadsPerLookup() {
    return incarnations * filterRate;
  }

  /** Entries of the expected size that there is room for on flash. */
  public long expectedEntriesOnFlash() {
    return (long) superTables * incarnations * expectedEntries;
  }

  /** The shape of each Bloom filter. */
  BloomSizing bloomSizing() {
    return new BloomSizing(bloomBits, hashFunctions);
  }

  /** The geometry of a new directory. */
  static Geometry geometry(BufferHashOptions options) {
    long flash = orDefault(options.flashBytesOrZero(), DEFAULT_FLASH_BYTES);
    int page = (int) orDefault(options.pageBytesOrZero(), DEFAULT_PAGE_BYTES);
    int eraseBlock =
        (int)
            orDefault(
                options.eraseBlockBytesOrZero(), Math.max(DEFAULT_INCARNATION_BYTES, 8L * page));
    long asked = orDefault(options.incarnationBytesOrZero(), DEFAULT_INCARNATION_BYTES);
    long incarnation = (asked + eraseBlock - 1) / eraseBlock * eraseBlock;
    if (incarnation > 1 << 28) {
      throw new IllegalArgumentException("incarnations of " + incarnation + " bytes, at most 2^28");
    }
    long slots = (flash - eraseBlock) / incarnation;
    if (slots < Geometry.MIN_SLOTS) {
      throw new IllegalArgumentException(
          flash
              + " bytes of flash, must be at least "
              + (eraseBlock + Geometry.MIN_SLOTS * incarnation)
              + " for an erase block of "
              + eraseBlock
              + " bytes and two incarnations of "
              + incarnation);
    }
    int record = Records.HEADER_BYTES + options.entryBytes();
    double buffers = flash / (8.0 * record * LN_2 * LN_2);
    // a buffer has its hash table beside its records, and there are spare ones
    double entryMemory = (record + 6.0) / record * 9 / 8;
    double mostBuffers = options.memoryBytes() / 2.0 / entryMemory;
    int superTables =
        options.superTablesOrZero() > 0
            ? options.superTablesOrZero()
            : superTables(Math.min(buffers, mostBuffers) / incarnation, slots);
    int indexPages = indexPages(options, page, incarnation, superTables, slots / superTables);
    return new Geometry(
        options.keyed(),
        options.maxKeyBytes(),
        options.maxValueBytes(),
        flash,
        page,
        eraseBlock,
        (int) incarnation,
        superTables,
        (int) Math.min(slots / superTables, Geometry.MAX_SLOTS),
        indexPages,
        options.ids().getAsLong());
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
    double left = options.memoryBytes() - 1.2 * superTables * incarnation;
    double bits =
        Math.min(
            MAX_FILTER_BITS,
            Math.max(MIN_FILTER_BITS, left * 8 / (superTables * (double) slots * entries)));
    double index = Index.HEADER_BYTES + 4.0 * pages + bits * entries / 8 * 1.05 + 256;
    int most = Math.max(1, pages / 4);
    return Math.max(
        minIndexPages(pages, payload), (int) Math.min(most, Math.ceil(index / payload)));
  }

  private static int minIndexPages(int pages, int payload) {
    return (Index.HEADER_BYTES + 4 * pages + payload - 1) / payload;
  }

  /** Divides the memory for a directory, a new one or one that is there. */
  static BufferHashLayout of(Geometry geometry, BufferHashOptions options) {
    int record = Records.HEADER_BYTES + options.entryBytes();
    int expected = Math.max(1, geometry.capacity(record) / record);
    int most = (int) Math.min(Integer.MAX_VALUE / 4, expected * 1.25 + 16);
    int spares = Math.min(Math.max(geometry.superTables() / 8, 2), MAX_SPARES);
    long slots = (long) geometry.superTables() * geometry.slots();
    long buffers =
        (geometry.superTables() + spares) * WriteBuffer.memoryBytes(geometry, most)
            + geometry.incarnationBytes()
            + 28L * most;
    long fences = slots * (INCARNATION_OBJECT_BYTES + 4L * geometry.dataPages());
    double left = options.memoryBytes() - buffers - fences;
    double bits = Math.min(MAX_FILTER_BITS, left * 8 / slots / expected);
    if (!(bits >= MIN_FILTER_BITS)) {
      throw new IllegalArgumentException(
          "memory of "
              + options.memoryBytes()
              + " bytes: "
              + buffers
              + " are for buffers, "
              + fences
              + " for the first hashes of pages, and filters must have at least "
              + (long) Math.ceil(MIN_FILTER_BITS / 8 * slots * expected));
    }
    Shares shares = new Shares(expected, most, spares, buffers, fences, bits);
    IncarnationFilterKind kind = options.filterKind();
    boolean bloom =
        kind == null ? bits >= LEAST_BLOOM_BITS : kind == IncarnationFilterKind.BIT_SLICED_BLOOM;
    return bloom ? withBloom(geometry, options, shares) : withRibbon(geometry, options, shares);
  }

  /** What is known before the filters are: the first fields are the layout's. */
  private static final class Shares {
    final int expectedEntries;
    final int bufferEntries;
    final int spareBuffers;
    final long bufferMemoryBytes;
    final long fenceMemoryBytes;
    final double filterBitsPerEntry;

    Shares(
        int expectedEntries,
        int bufferEntries,
        int spareBuffers,
        long bufferMemoryBytes,
        long fenceMemoryBytes,
        double filterBitsPerEntry) {
      this.expectedEntries = expectedEntries;
      this.bufferEntries = bufferEntries;
      this.spareBuffers = spareBuffers;
      this.bufferMemoryBytes = bufferMemoryBytes;
      this.fenceMemoryBytes = fenceMemoryBytes;
      this.filterBitsPerEntry = filterBitsPerEntry;
    }
  }

  private static BufferHashLayout withBloom(
      Geometry geometry, BufferHashOptions options, Shares shares) {
    int expected = shares.expectedEntries;
    double bits = shares.filterBitsPerEntry;
    int functions = (int) Math.max(1, Math.min(MAX_HASH_FUNCTIONS, Math.round(bits * LN_2)));
    BloomSizing sizing =
        new BloomSizing(
            Math.min(Math.max(64, (long) (bits * expected)), Integer.MAX_VALUE / 2), functions);
    long bytes = geometry.superTables() * BloomSlices.memoryBytes(sizing.bits(), geometry.slots());
    double rate = sizing.expectedRate(expected);
    double bitsPerEntry = (double) sizing.bits() / expected;
    return layout(geometry, options, shares, sizing.bits(), functions, rate, bitsPerEntry, bytes);
  }

  private static BufferHashLayout withRibbon(
      Geometry geometry, BufferHashOptions options, Shares shares) {
    int expected = shares.expectedEntries;
    double most = shares.filterBitsPerEntry * expected / 8 - RIBBON_OBJECT_BYTES;
    double rate = RibbonFilters.rateFor(expected, most);
    long bytes = RibbonFilters.expectedBytes(expected, rate);
    long slots = (long) geometry.superTables() * geometry.slots();
    double bitsPerEntry = 8.0 * bytes / expected;
    long all = slots * (bytes + RIBBON_OBJECT_BYTES);
    return layout(geometry, options, shares, 0, 0, rate, bitsPerEntry, all);
  }

  private static BufferHashLayout layout(
      Geometry geometry,
      BufferHashOptions options,
      Shares shares,
      long bloomBits,
      int hashFunctions,
      double rate,
      double bitsPerEntry,
      long filterBytes) {
    return new BufferHashLayout(
        geometry.pages() * geometry.pageBytes(),
        geometry.pageBytes(),
        geometry.eraseBlockBytes(),
        geometry.incarnationBytes(),
        geometry.superTables(),
        geometry.slots(),
        geometry.indexPages(),
        geometry.dataPages() * geometry.payloadBytes(),
        shares.bufferEntries,
        shares.spareBuffers,
        shares.expectedEntries,
        bloomBits > 0 ? IncarnationFilterKind.BIT_SLICED_BLOOM : IncarnationFilterKind.RIBBON,
        bitsPerEntry,
        bloomBits,
        hashFunctions,
        rate,
        shares.bufferMemoryBytes,
        shares.fenceMemoryBytes,
        filterBytes,
        options.memoryBytes());
  }

  @Override
  public String toString() {
    return String.format(
        "BufferHash: %s of flash, %s of memory%n"
            + "  %d super tables, each with a buffer of %s (%d entries) and %d incarnations of %s%n"
            + "  buffers %s (%d spare), filters %s, first hashes of pages %s%n"
            + "  filters: %s, %.1f bits per entry%s, rate %.3g each:"
            + " a lookup that finds nothing reads %.3g pages",
        size(flashBytes),
        size(memoryBytes),
        superTables,
        size(bufferBytes),
        expectedEntries,
        incarnations,
        size(incarnationBytes),
        size(bufferMemoryBytes),
        spareBuffers,
        size(filterMemoryBytes),
        size(fenceMemoryBytes),
        filters,
        filterBitsPerEntry,
        hashFunctions == 0 ? "" : ", " + hashFunctions + " hash functions",
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
