package io.winnow.ycsb.model;

import io.winnow.ycsb.TableFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/**
 * The size of a table, its files and its region servers, for which the cost model computes the cost
 * of reads. Rows and reads are spread evenly over the servers.
 *
 * @param rows number of rows in the table
 * @param keyLength bytes of a row key
 * @param rowBytes bytes of a row in a data block: all its cells with their keys
 * @param servers number of region servers
 * @param regions number of all regions
 * @param files number of files in each store; there is one family
 * @param rewritten chance that a row of one file is also in each later file
 * @param cacheBytes bytes of the block cache of each server
 * @param rate configured rate of the filters
 * @param chunkBytes bytes of a full filter chunk
 * @param leafIndexBytes bytes of the block indexes of all files that are cached in the block cache;
 *     below 0 to estimate them
 * @param blockBytes bytes of a data block
 * @param indexBlockBytes bytes of a block of an index; a smaller index is one block, and kept on
 *     the heap
 * @param byStore whether a file with a filter of Winnow has a rate by its share of the store, as by
 *     default; otherwise all files have one rate
 */
public record Fleet(
    long rows,
    int keyLength,
    double rowBytes,
    int servers,
    int regions,
    int files,
    double rewritten,
    double cacheBytes,
    double rate,
    int chunkBytes,
    double leafIndexBytes,
    int blockBytes,
    int indexBlockBytes,
    boolean byStore) {

  /** HBase's default size of data blocks, in bytes. */
  static final int BLOCK_BYTES = 64 << 10;

  /** HBase's default size of the blocks of a block index, in bytes. */
  static final int INDEX_BLOCK_BYTES = 128 << 10;

  /**
   * Bytes that HBase's {@code LruBlockCache} counts for a cached block besides its data: the
   * block's header and objects, its key, and the name of its file in it. This is for a compressed
   * file; without compression it is 40 bytes more.
   */
  static final int BLOCK_OVERHEAD = 280;

  /**
   * Number of bytes of a cell besides row and value: lengths, family, qualifier, timestamp, type,
   * sequence number.
   */
  private static final int CELL_OVERHEAD = 28;

  /**
   * Number of bytes of an entry in a block index besides the row: the rest of the key, the block's
   * offset and size, and the entry's place.
   */
  private static final int ENTRY_OVERHEAD = 35;

  /**
   * Minimum number of entries in a block of a block index, whatever their size: HBase's default.
   */
  private static final int MIN_ENTRIES = 16;

  /**
   * Makes a table's description with blocks of HBase's default sizes and Winnow's default for
   * rates.
   */
  public Fleet(
      long rows,
      int keyLength,
      double rowBytes,
      int servers,
      int regions,
      int files,
      double rewritten,
      double cacheBytes,
      double rate,
      int chunkBytes,
      double leafIndexBytes) {
    this(
        rows,
        keyLength,
        rowBytes,
        servers,
        regions,
        files,
        rewritten,
        cacheBytes,
        rate,
        chunkBytes,
        leafIndexBytes,
        BLOCK_BYTES,
        INDEX_BLOCK_BYTES,
        true);
  }

  /**
   * Returns the number of bytes that a row takes in a data block, where HBase repeats the key in
   * every cell.
   */
  public static double rowBytes(int keyLength, int columns, int valueLength) {
    return columns * (double) (CELL_OVERHEAD + keyLength + valueLength);
  }

  /** Returns the mean number of files of a store that have a given row of the store. */
  double versions() {
    // The first file of a row is any file, with the same chance; on average half of the others are
    // later.
    return 1 + rewritten * (files - 1) / 2;
  }

  /** Returns the mean number of keys in one file of a store. */
  double keysPerFile() {
    return rows * versions() / regions / files;
  }

  /** Returns the number of keys in a file of a store; file 0 is the oldest. */
  private long keys(int file) {
    return Math.max(1, Math.round((double) rows / regions / files * (1 + rewritten * file)));
  }

  /** Returns the sizes and rates of the filters of a store's files, file by file. */
  List<FilterSize> filters(TableFilter kind) {
    List<Long> keys = IntStream.range(0, files).mapToObj(this::keys).toList();
    return byStore && kind != TableFilter.BLOOM
        ? ModelFilters.byStore(kind, keys, rate, OptionalDouble.empty(), chunkBytes)
            .files()
            .stream()
            .map(file -> FilterSize.of(kind, file.keys(), file.rate(), chunkBytes))
            .toList()
        : keys.stream().map(n -> FilterSize.of(kind, n, rate, chunkBytes)).toList();
  }

  /** Returns the mean false-positive rate of the filters of a store's files. */
  double falsePositiveRate(TableFilter kind) {
    return filters(kind).stream().mapToDouble(FilterSize::rate).sum() / files;
  }

  /** Returns the number of bytes that all filters of the table take on all servers together. */
  double filterBytes(TableFilter kind) {
    return filters(kind).stream().mapToDouble(FilterSize::bytes).sum() * regions;
  }

  double bitsPerKey(TableFilter kind) {
    return 8 * filterBytes(kind) / (keysPerFile() * files * regions);
  }

  /** Returns the number of bytes that the filters of the table take on one server. */
  double filterBytesPerServer(TableFilter kind) {
    return filterBytes(kind) / servers;
  }

  double dataBlocksPerServer() {
    return Math.max(1, rows * versions() * rowBytes / blockBytes / servers);
  }

  /**
   * Returns the numbers of index blocks that are cached in the block cache, level by level: the
   * leaves, and above them as many levels as are needed until a file's topmost level, which stays
   * on the heap, is one block.
   */
  List<Double> indexBlocksPerServer() {
    double blocksOfFile = keysPerFile() * rowBytes / blockBytes;
    double stores = (double) files * regions;
    double ofFile =
        leafIndexBytes < 0 ? blocksOfFile * (keyLength + ENTRY_OVERHEAD) : leafIndexBytes / stores;
    if (leafIndexBytes < 0 && ofFile <= indexBlockBytes) {
      return List.of();
    }
    double entry = Math.min(ofFile / blocksOfFile, (double) indexBlockBytes / MIN_ENTRIES);
    List<Double> levels = new ArrayList<>();
    while (ofFile > 0 && (levels.isEmpty() || ofFile > indexBlockBytes)) {
      double blocks = ofFile / indexBlockBytes;
      levels.add(blocks * stores / servers);
      ofFile = blocks * entry;
    }
    return levels;
  }

  Fleet withCache(double bytes) {
    return new Fleet(
        rows,
        keyLength,
        rowBytes,
        servers,
        regions,
        files,
        rewritten,
        bytes,
        rate,
        chunkBytes,
        leafIndexBytes,
        blockBytes,
        indexBlockBytes,
        byStore);
  }
}
