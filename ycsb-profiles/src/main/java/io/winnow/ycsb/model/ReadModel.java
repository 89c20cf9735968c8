package io.winnow.ycsb.model;

import io.winnow.ycsb.TableFilter;
import io.winnow.ycsb.model.BlockCacheModel.BlockClass;
import java.util.ArrayList;
import java.util.List;

/**
 * The number of blocks that reading a row looks up and reads, on a region server with filters of
 * one kind.
 *
 * <p>A Get of <i>F</i> files queries <i>F</i> filters, one chunk of each. It opens the <i>v</i>
 * files that have the row, and each of the others with the filters' false-positive rate <i>f</i>:
 * for an absent row, <i>F f</i> files. In an opened file it looks up a data block, or two if the
 * row crosses a boundary, and a block of each level of the index but the topmost. {@link
 * BlockCacheModel} says how many of these are in the cache, which filter, index and data blocks
 * share.
 *
 * @param found share of rows that are present
 * @param queried number of filters that are queried, per row
 * @param skipped number of files that the filters rule out, per row
 * @param blocks number of data and index blocks that are looked up, per row
 * @param nextBlocks of these, data blocks that follow another one in their file, where a row ends
 *     with its block or crosses its end
 * @param blocksRead number of blocks, of these and of filters, that are not found in the block
 *     cache, per row
 */
public record ReadModel(
    double found,
    double queried,
    double skipped,
    double blocks,
    double nextBlocks,
    double blocksRead,
    double hitRatio,
    double dataHitRatio,
    double filterHitRatio) {

  /**
   * Maximum share of blocks with popular rows for which these blocks form a class of their own in
   * the model. If popular rows are in more, all blocks count as having some.
   */
  private static final double MAX_POPULAR_SHARE = 0.9;

  /**
   * Returns the number of blocks that reading a row of a fleet's table looks up and reads.
   *
   * @param absent share of reads of absent rows, which are as popular as the present ones
   */
  public static ReadModel of(Fleet fleet, ReadPattern pattern, double absent, TableFilter kind) {
    return new Blocks(fleet, pattern.of(fleet.servers()), absent, kind).reads();
  }

  /** The blocks of a region server in classes of equal size and popularity. */
  private static final class Blocks {
    private final Fleet fleet;
    private final ReadPattern pattern;
    private final double absent;

    /** Number of store files that a Get of a present row opens. */
    private final double openedIfPresent;

    /** Number of store files that a Get of an absent row opens. */
    private final double openedIfAbsent;

    /** Number of data blocks that a Get looks up in each store file that it opens. */
    private final double dataBlocksOfRow;

    private final List<BlockClass> filter = new ArrayList<>();
    private final List<BlockClass> data = new ArrayList<>();
    private final List<BlockClass> index = new ArrayList<>();

    Blocks(Fleet fleet, ReadPattern pattern, double absent, TableFilter kind) {
      this.fleet = fleet;
      this.pattern = pattern;
      this.absent = absent;
      double rate = fleet.falsePositiveRate(kind);
      double versions = fleet.versions();
      this.openedIfPresent = versions + (fleet.files() - versions) * rate;
      this.openedIfAbsent = fleet.files() * rate;
      double regionsOfServer = (double) fleet.regions() / fleet.servers();
      for (FilterSize size : fleet.filters(kind)) {
        double chunks = size.chunks() * regionsOfServer;
        filter.add(
            new BlockClass(
                chunks, (double) size.bytes() / size.chunks() + Fleet.BLOCK_OVERHEAD, 1 / chunks));
      }
      this.dataBlocksOfRow = 1 + fleet.rowBytes() / fleet.blockBytes();
      spread(data, fleet.dataBlocksPerServer(), dataBlocksOfRow, fleet.blockBytes());
      for (double blocks : fleet.indexBlocksPerServer()) {
        spread(index, blocks, 1, fleet.indexBlockBytes());
      }
    }

    /**
     * Computes the classes of equally popular data or index blocks of a server, and adds them to a
     * list. Popular rows have blocks of their own, at random places, so that some share a block.
     * From the first group on for which there are too few blocks, rows share all blocks with the
     * other rows.
     */
    private void spread(List<BlockClass> classes, double count, double blocksOfFile, int bytes) {
      double left = count;
      double requestsOfOthers = opened() * blocksOfFile;
      List<BlockClass> popular = new ArrayList<>();
      for (ReadPattern.Group group : pattern.groups()) {
        double present = distinct(count, group.rows() * openedIfPresent * blocksOfFile);
        double wrong =
            absent == 0 ? 0 : distinct(count, group.rows() * openedIfAbsent * blocksOfFile);
        if (present + wrong > MAX_POPULAR_SHARE * left) {
          break;
        }
        left -= present + wrong;
        double ofPresent = group.share() * (1 - absent) * openedIfPresent * blocksOfFile;
        double ofAbsent = group.share() * absent * openedIfAbsent * blocksOfFile;
        popular.add(new BlockClass(present, bytes, ofPresent / present));
        if (wrong > 0) {
          popular.add(new BlockClass(wrong, bytes, ofAbsent / wrong));
        }
        requestsOfOthers -= ofPresent + ofAbsent;
      }
      double rate = Math.max(0, requestsOfOthers) / count;
      for (BlockClass blocks : popular) {
        classes.add(
            new BlockClass(blocks.count(), bytes + Fleet.BLOCK_OVERHEAD, blocks.rate() + rate));
      }
      classes.add(new BlockClass(left, bytes + Fleet.BLOCK_OVERHEAD, rate));
    }

    /** Returns the expected number of different blocks that are hit by a number of random draws. */
    private static double distinct(double count, double throwsAtThem) {
      return -count * Math.expm1(-throwsAtThem / count);
    }

    private double opened() {
      return (1 - absent) * openedIfPresent + absent * openedIfAbsent;
    }

    ReadModel reads() {
      List<BlockClass> all = new ArrayList<>(filter);
      all.addAll(data);
      all.addAll(index);
      BlockCacheModel cache = BlockCacheModel.of(all, fleet.cacheBytes());
      double requests = requests(all);
      double hits = hits(cache, all);
      return new ReadModel(
          1 - absent,
          fleet.files(),
          fleet.files() - opened(),
          requests - requests(filter),
          requests(data) * (1 - 1 / dataBlocksOfRow),
          requests - hits,
          hits / requests,
          hits(cache, data) / requests(data),
          hits(cache, filter) / requests(filter));
    }

    private static double requests(List<BlockClass> classes) {
      return classes.stream().mapToDouble(BlockClass::requests).sum();
    }

    private static double hits(BlockCacheModel cache, List<BlockClass> classes) {
      return classes.stream().mapToDouble(c -> c.requests() * cache.hitRatio(c)).sum();
    }
  }

  /**
   * Returns the numbers of blocks per row as HBase's counters show them, by kind of block. The
   * counters leave out blocks that follow another one: {@code HFileReaderImpl} looks up the next
   * block without naming its kind, and then {@code CacheStats} counts it for no kind.
   */
  ReadModel counted() {
    double read = blocksRead - nextBlocks * (1 - dataHitRatio);
    return new ReadModel(
        found,
        queried,
        skipped,
        blocks - nextBlocks,
        0,
        read,
        1 - read / (queried + blocks - nextBlocks),
        dataHitRatio,
        filterHitRatio);
  }

  /** Returns the time of reading a row in microseconds. */
  public double micros(TableFilter kind, Costs costs) {
    return costs.micros(kind, this);
  }
}
