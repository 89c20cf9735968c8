package io.winnow.ycsb.model;

import io.winnow.ycsb.TableFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/**
 * A table on its region servers, all of which have as much of it and are asked as much.
 *
 * @param rows of the table
 * @param keyLength of a row key, in bytes
 * @param rowBytes of a row in a data block: all its cells, keys and all
 * @param servers that have it
 * @param regions in all
 * @param files of each store, one family
 * @param rewritten the chance of a row in a file to be in each later file too
 * @param cacheBytes of the block cache of each server
 * @param rate asked of the filters
 * @param chunkBytes of a full filter chunk
 * @param leafIndexBytes of the block indexes of all files, as far as they go through the block
 *     cache; below 0 to have them estimated
 * @param blockBytes of a data block
 * @param indexBlockBytes of a block of an index; a smaller index is one block, and kept on the heap
 * @param byStore whether a file of Winnow's has a rate by its share of the store, as by default;
 *     else all files have one rate
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

  /** HBase's default for data blocks. */
  static final int BLOCK_BYTES = 64 << 10;

  /** HBase's default for the blocks of an index. */
  static final int INDEX_BLOCK_BYTES = 128 << 10;

  /**
   * What HBase's {@code LruBlockCache} counts for a cached block beside its bytes: the block's
   * header and objects, its key, and the name of its file in it. Of a compressed file; without
   * compression it is 40 bytes more.
   */
  static final int BLOCK_OVERHEAD = 280;

  /**
   * Of a cell beside row and value: lengths, family, qualifier, timestamp, type, sequence number.
   */
  private static final int CELL_OVERHEAD = 28;

  /**
   * Of an entry in an index beside the row: the rest of the key, offset, size, and its own place.
   */
  private static final int ENTRY_OVERHEAD = 35;

  /** Of a block of an index, whatever bytes they take: HBase's default. */
  private static final int LEAST_ENTRIES = 16;

  /** With blocks of HBase's default sizes, and Winnow's default for rates. */
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

  /** The bytes of a row in a data block: HBase repeats the key in every cell. */
  public static double rowBytes(int keyLength, int columns, int valueLength) {
    return columns * (double) (CELL_OVERHEAD + keyLength + valueLength);
  }

  /** In how many files of its store a row is. */
  double versions() {
    // A row is first in any file, with the same chance; on the average half of the others are
    // later.
    return 1 + rewritten * (files - 1) / 2;
  }

  /** In one file of each store, of all; the mean over the files, if rows are rewritten. */
  double keysPerFile() {
    return rows * versions() / regions / files;
  }

  /** In a file of a store, 0 the oldest. */
  private long keys(int file) {
    return Math.max(1, Math.round((double) rows / regions / files * (1 + rewritten * file)));
  }

  /** The filters of a store, file by file. */
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

  /** The rate at which the filters of the files answer absent keys wrongly, on the average. */
  double falsePositiveRate(TableFilter kind) {
    return filters(kind).stream().mapToDouble(FilterSize::rate).sum() / files;
  }

  /** Of all servers. */
  double filterBytes(TableFilter kind) {
    return filters(kind).stream().mapToDouble(FilterSize::bytes).sum() * regions;
  }

  double bitsPerKey(TableFilter kind) {
    return 8 * filterBytes(kind) / (keysPerFile() * files * regions);
  }

  /** Of each server. */
  double filterBytesPerServer(TableFilter kind) {
    return filterBytes(kind) / servers;
  }

  double dataBlocksPerServer() {
    return Math.max(1, rows * versions() * rowBytes / blockBytes / servers);
  }

  /**
   * Blocks of the indexes that go through the block cache, level by level: the leaves, and above
   * them as many levels as it takes until a file's topmost one, which stays on the heap, is a
   * block.
   */
  List<Double> indexBlocksPerServer() {
    double blocksOfFile = keysPerFile() * rowBytes / blockBytes;
    double stores = (double) files * regions;
    double ofFile =
        leafIndexBytes < 0 ? blocksOfFile * (keyLength + ENTRY_OVERHEAD) : leafIndexBytes / stores;
    if (leafIndexBytes < 0 && ofFile <= indexBlockBytes) {
      return List.of();
    }
    double entry = Math.min(ofFile / blocksOfFile, (double) indexBlockBytes / LEAST_ENTRIES);
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
