package io.winnow.ycsb.model;

import io.winnow.ycsb.TableFilter;
import io.winnow.ycsb.model.BlockCacheModel.BlockClass;
import io.winnow.ycsb.model.FilterFigures.FileFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The region servers of a fleet whose files have filters of one kind: the blocks of these filters,
 * of data and of indexes, and the cost of reading a row. Rows and reads are spread evenly over the
 * servers.
 *
 * <p>A Get of <i>F</i> files queries <i>F</i> filters, one chunk of each. It opens the <i>v</i>
 * files that have the row, and each of the others with the filters' false-positive rate <i>f</i>:
 * for an absent row, <i>F f</i> files. In an opened file it looks up a data block, or two if the
 * row crosses a boundary, and a block of each level of the index but the topmost. {@link
 * BlockCacheModel} says how many of these are in the cache, which filter, index and data blocks
 * share.
 */
final class Fleet {
  /** HBase's default size of data blocks, in bytes. */
  static final int BLOCK_BYTES = 64 << 10;

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
   * Maximum share of blocks with popular rows for which these blocks form a class of their own in
   * the model. If popular rows are in more, all blocks count as having some.
   */
  private static final double MAX_POPULAR_SHARE = 0.9;

  private final Model options;
  private final TableFilter kind;
  private final int blockBytes;
  private final int indexBlockBytes;

  /** The filters of one store. */
  final FilterFigures filters;

  /** The mean number of files of a store that have a given row of the store. */
  private final double versions;

  /** Number of store files that a Get of a present row opens. */
  private final double openedIfPresent;

  /** Number of store files that a Get of an absent row opens. */
  private final double openedIfAbsent;

  final List<BlockClass> filterBlocks = new ArrayList<>();
  final List<BlockClass> data = new ArrayList<>();
  private final List<BlockClass> index = new ArrayList<>();
  final List<BlockClass> all = new ArrayList<>();
  private final BlockCacheModel cache;

  /** Computes a fleet whose files have blocks of HBase's default sizes. */
  Fleet(Model options, TableFilter kind) {
    this(options, kind, BLOCK_BYTES, 128 << 10);
  }

  /**
   * Computes a fleet.
   *
   * @param indexBlockBytes bytes of a block of an index; a smaller index is one block, and kept on
   *     the heap
   */
  Fleet(Model options, TableFilter kind, int blockBytes, int indexBlockBytes) {
    this.options = options;
    this.kind = kind;
    this.blockBytes = blockBytes;
    this.indexBlockBytes = indexBlockBytes;
    // The first file of a row is any file, with the same chance; on average half of the others are
    // later.
    versions = 1 + options.rewritten * (options.fileCount - 1) / 2;
    filters = filters();
    openedIfPresent = versions + (options.fileCount - versions) * rate();
    openedIfAbsent = options.fileCount * rate();
    for (FileFilter file : filters.files()) {
      double chunks = Math.ceil(file.bytes() / options.chunk);
      double ofServer = chunks * options.regions / options.servers;
      filterBlocks.add(
          new BlockClass(ofServer, file.bytes() / chunks + BLOCK_OVERHEAD, 1 / ofServer));
    }
    spread(data, dataBlocks(), 1 + options.rowBytes / blockBytes, blockBytes);
    indexBlocks().forEach(blocks -> spread(index, blocks, 1, indexBlockBytes));
    List.of(filterBlocks, data, index).forEach(all::addAll);
    cache = new BlockCacheModel(all, options.cacheBytes());
  }

  /**
   * Returns the number of bytes that a row takes in a data block, where HBase repeats the key in
   * every cell.
   */
  static double rowBytes(int keyLength, int columns, int valueLength) {
    return columns * (double) (CELL_OVERHEAD + keyLength + valueLength);
  }

  // ==== files and filters

  /** Returns the filters of a store whose later files have more keys; file 0 is the oldest. */
  private FilterFigures filters() {
    double keys = (double) options.rows / options.regions / options.fileCount;
    List<Long> ofFiles =
        IntStream.range(0, options.fileCount)
            .mapToObj(file -> Math.max(1, Math.round(keys * (1 + options.rewritten * file))))
            .toList();
    return FilterFigures.of(kind, ofFiles, options, options.oneRate ? "file" : "store", null);
  }

  /** Returns the mean number of keys in one file of a store. */
  double keysPerFile() {
    return options.rows * versions / options.regions / options.fileCount;
  }

  /** Returns the mean false-positive rate of the filters of a store's files. */
  double rate() {
    return filters.falseReadsIfAbsent() / options.fileCount;
  }

  /** Returns the number of bytes that all filters of the table take on all servers together. */
  double filterBytes() {
    return filters.bytes() * options.regions;
  }

  double bitsPerKey() {
    return 8 * filterBytes() / (options.rows * versions);
  }

  // ==== blocks of a server

  /** Returns the number of data blocks of a server. */
  double dataBlocks() {
    double bytes = options.rows * versions * options.rowBytes;
    return Math.max(1, bytes / blockBytes / options.servers);
  }

  /**
   * Returns the numbers of index blocks of a server that are cached in the block cache, level by
   * level: the leaves, and above them as many levels as are needed until a file's topmost level,
   * which stays on the heap, is one block.
   */
  List<Double> indexBlocks() {
    double ofServer = (double) options.fileCount * options.regions / options.servers;
    double entry = options.keyLength + ENTRY_OVERHEAD;
    double ofFile = keysPerFile() * options.rowBytes / blockBytes * entry;
    double inBlock = Math.min(entry, (double) indexBlockBytes / MIN_ENTRIES);
    List<Double> levels = new ArrayList<>();
    while (ofFile > indexBlockBytes) {
      levels.add(ofFile / indexBlockBytes * ofServer);
      ofFile = ofFile / indexBlockBytes * inBlock;
    }
    return levels;
  }

  /**
   * Computes the classes of equally popular data or index blocks of a server, and adds them to a
   * list. Popular rows have blocks of their own, at random places, so that some share a block. From
   * the first group on for which there are too few blocks, rows share all blocks with the other
   * rows.
   */
  private void spread(List<BlockClass> classes, double count, double blocksOfFile, int bytes) {
    double left = count;
    double requestsOfOthers = opened() * blocksOfFile;
    List<BlockClass> popular = new ArrayList<>();
    for (ReadPattern.Group group : options.pattern.groups()) {
      double rows = group.rows() / options.servers * blocksOfFile;
      double present = distinct(count, rows * openedIfPresent);
      double wrong = options.absent == 0 ? 0 : distinct(count, rows * openedIfAbsent);
      if (present + wrong > MAX_POPULAR_SHARE * left) {
        break;
      }
      left -= present + wrong;
      double ofPresent = group.share() * (1 - options.absent) * openedIfPresent * blocksOfFile;
      double ofAbsent = group.share() * options.absent * openedIfAbsent * blocksOfFile;
      popular.add(new BlockClass(present, 0, ofPresent / present));
      if (wrong > 0) {
        popular.add(new BlockClass(wrong, 0, ofAbsent / wrong));
      }
      requestsOfOthers -= ofPresent + ofAbsent;
    }
    double rate = Math.max(0, requestsOfOthers) / count;
    popular.add(new BlockClass(left, 0, 0));
    for (BlockClass blocks : popular) {
      classes.add(new BlockClass(blocks.count(), bytes + BLOCK_OVERHEAD, blocks.rate() + rate));
    }
  }

  /** Returns the expected number of different blocks that are hit by a number of random draws. */
  private static double distinct(double count, double draws) {
    return -count * Math.expm1(-draws / count);
  }

  // ==== reading a row

  /** Returns the number of files that a Get opens. */
  double opened() {
    return (1 - options.absent) * openedIfPresent + options.absent * openedIfAbsent;
  }

  /** Returns the number of data and index blocks that a Get looks up. */
  double blocks() {
    return requests(data) + requests(index);
  }

  /** Returns the share of requests of some blocks that find their block in the cache. */
  double hitRatio(List<BlockClass> blocks) {
    return hits(cache, blocks) / requests(blocks);
  }

  /** Returns the number of blocks of any kind that a Get does not find in the block cache. */
  double blocksRead() {
    return blocksRead(cache);
  }

  private double blocksRead(BlockCacheModel ofCache) {
    return requests(all) - hits(ofCache, all);
  }

  private static double requests(List<BlockClass> classes) {
    return classes.stream().mapToDouble(BlockClass::requests).sum();
  }

  private static double hits(BlockCacheModel cache, List<BlockClass> classes) {
    return classes.stream().mapToDouble(c -> c.requests() * cache.hitRatio(c)).sum();
  }

  /** Returns the time of reading a row in microseconds. */
  double micros() {
    return options.rowMicros
        + (1 - options.absent) * options.foundMicros
        + queryMicros()
        + lookUpMicros()
        + readMicros();
  }

  /** Returns the part of a row's time that queries of filters take. */
  double queryMicros() {
    return options.fileCount * options.probes[TableFilter.KINDS.indexOf(kind)] / 1000;
  }

  /** Returns the part of a row's time that looking up data and index blocks takes. */
  double lookUpMicros() {
    return blocks() * options.blockMicros;
  }

  /** Returns the part of a row's time that reading blocks takes. */
  double readMicros() {
    return blocksRead() * (options.readMicros + options.diskMicros * options.onDisk);
  }

  /**
   * Returns the size of a server's block cache in bytes with which this fleet reads only a given
   * number of blocks per row.
   */
  double equalCache(double blocksRead) {
    double low = options.cacheBytes() / 4;
    double high = options.cacheBytes() * 4;
    for (int step = 0; step < 30; step++) {
      double middle = (low + high) / 2;
      if (blocksRead(new BlockCacheModel(all, middle)) > blocksRead) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }
}
