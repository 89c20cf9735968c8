package io.winnow.ycsb.model;

import io.winnow.ycsb.TableFilter;
import io.winnow.ycsb.model.BlockCacheModel.BlockClass;
import java.util.ArrayList;
import java.util.List;

/**
 * What a row that is asked for costs in blocks, on a server of a fleet with filters of one kind.
 *
 * <p>A Get of <i>F</i> files asks <i>F</i> filters, a chunk of each. It opens the <i>v</i> files
 * that have the row, and each of the others with the filters' false-positive rate <i>f</i>: for an
 * absent row, <i>F f</i>. In an opened file it looks up a data block, or two if the row lies across
 * a boundary, and a block of each level of the index but the topmost. Which of these are in the
 * cache {@link BlockCacheModel} says, for filter, index and data blocks that share it.
 *
 * @param found the share of rows that are there
 * @param asked filters asked, per row
 * @param skipped files that the filters ruled out, per row
 * @param blocks of data and indexes looked up, per row
 * @param nextBlocks of these, data blocks that follow another in their file, where a row ends with
 *     its block or goes over its end
 * @param blocksRead per row: of all these and of the filters' blocks, those not found in the block
 *     cache
 */
public record ReadModel(
    double found,
    double asked,
    double skipped,
    double blocks,
    double nextBlocks,
    double blocksRead,
    double hitRatio,
    double dataHitRatio,
    double filterHitRatio) {

  /** With less than a tenth left over, no block is without a popular row. */
  private static final double MOST_OF_BLOCKS = 0.9;

  /**
   * Reads of a fleet's rows.
   *
   * @param absent the share of reads that ask for rows that are not there, and are as popular as
   *     those that are
   */
  public static ReadModel of(Fleet fleet, ReadPattern pattern, double absent, TableFilter kind) {
    return new Blocks(fleet, pattern.of(fleet.servers()), absent, kind).reads();
  }

  /** The blocks of a server, class by class. */
  private static final class Blocks {
    private final Fleet fleet;
    private final ReadPattern pattern;
    private final double absent;

    /** Files opened for a present row, and for an absent one. */
    private final double openedIfPresent;

    private final double openedIfAbsent;

    /** Looked up in each file that is opened. */
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
     * Popular rows have blocks of their own, at random places, so that some fall together; the
     * first group for which there are too few, and all after it, share all blocks with the other
     * rows.
     */
    private void spread(List<BlockClass> classes, double count, double blocksOfFile, int bytes) {
      double left = count;
      double requestsOfOthers = opened() * blocksOfFile;
      List<BlockClass> popular = new ArrayList<>();
      for (ReadPattern.Group group : pattern.groups()) {
        double present = distinct(count, group.rows() * openedIfPresent * blocksOfFile);
        double wrong =
            absent == 0 ? 0 : distinct(count, group.rows() * openedIfAbsent * blocksOfFile);
        if (present + wrong > MOST_OF_BLOCKS * left) {
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

    /** How many of {@code count} blocks are hit by {@code throwsAtThem} random throws. */
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
   * What HBase's counters say of these reads, kind of block by kind. They leave out the blocks that
   * follow another: {@code HFileReaderImpl} looks the next block up without saying of which kind it
   * must be, and then {@code CacheStats} counts it for no kind.
   */
  ReadModel counted() {
    double read = blocksRead - nextBlocks * (1 - dataHitRatio);
    return new ReadModel(
        found,
        asked,
        skipped,
        blocks - nextBlocks,
        0,
        read,
        1 - read / (asked + blocks - nextBlocks),
        dataHitRatio,
        filterHitRatio);
  }

  /** Of a row. */
  public double micros(TableFilter kind, Costs costs) {
    return costs.micros(kind, this);
  }
}
