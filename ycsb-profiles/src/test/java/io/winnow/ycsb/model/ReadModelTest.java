package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import io.winnow.ycsb.TableFilter;
import org.junit.jupiter.api.Test;

class ReadModelTest {
  private static final double GIB = 1 << 30;

  /** 3 million rows of 365 bytes in one region, four files. */
  private static Fleet fleet(double cacheBytes, int files, double rewritten) {
    return new Fleet(3_000_000, 25, 365, 1, 1, files, rewritten, cacheBytes, 0.01, 131_072, 0);
  }

  @Test
  void rowsOfFiveColumns() {
    // Cells of 4 + 4 + 2 + 25 + 1 + 1 + 6 + 8 + 1 + 20 + 1 bytes.
    assertEquals(365, Fleet.rowBytes(25, 5, 20));
  }

  /** 750,000 keys a file: 6 chunks of 109,306, and the rest in one that is not folded. */
  @Test
  void filtersOfARun() {
    assertEquals(28 * 131_072, fleet(GIB, 4, 0).filterBytes(TableFilter.BLOOM));
    assertEquals(28 * 131_072, fleet(GIB, 4, 0).filterBytesPerServer(TableFilter.BLOOM));
  }

  /** Files of a rewritten store: a row in each later one with the chance 0.1. */
  @Test
  void laterFilesOfARewrittenStoreAreLarger() {
    Fleet fleet = fleet(GIB, 8, 0.1);
    assertEquals(1.35, fleet.versions(), 1e-9);
    assertEquals(506_250, fleet.keysPerFile(), 1e-6);
    // 375,000 keys in the oldest file, 637,500 in the newest.
    assertEquals(4, fleet.filters(TableFilter.BLOOM).get(0).chunks());
    assertEquals(6, fleet.filters(TableFilter.BLOOM).get(7).chunks());
  }

  /** Four files of a size: as servers write them, and with one rate. */
  @Test
  void ratesOfWinnowsFilesAreThoseOfTheirStore() {
    Model usual = Program.read(new Model());
    Model oneRate = Program.read(new Model(), "--one-rate");
    double stockRate = usual.fleet().falsePositiveRate(TableFilter.BLOOM);
    double stockBytes = usual.fleet().filterBytes(TableFilter.BLOOM);
    for (TableFilter kind : new TableFilter[] {TableFilter.RIBBON, TableFilter.BUMPED_RIBBON}) {
      assertEquals(0.01, oneRate.fleet().falsePositiveRate(kind), 1e-9);
      assertTrue(usual.fleet().falsePositiveRate(kind) < 0.9 * stockRate, kind.id());
      double ofStock = usual.fleet().filterBytes(kind) / stockBytes;
      assertTrue(ofStock < 0.85, kind.id() + " " + ofStock); // winnow.store.memory
      assertTrue(oneRate.fleet().filterBytes(kind) < usual.fleet().filterBytes(kind), kind.id());
    }
    assertEquals(stockBytes, oneRate.fleet().filterBytes(TableFilter.BLOOM));
    assertTrue(usual.output().contains("Each file of a store has its own rate, as by default"));
    assertTrue(oneRate.output().contains("which is not the default"));
  }

  @Test
  void whatAGetOpens() {
    Fleet fleet = fleet(100 * GIB, 4, 0);
    double rate = fleet.falsePositiveRate(TableFilter.BLOOM);
    ReadModel hits = ReadModel.of(fleet, ReadPattern.uniform(), 0, TableFilter.BLOOM);
    assertEquals(4, hits.queried());
    assertEquals(3 * (1 - rate), hits.skipped(), 1e-9);
    assertEquals((1 + 3 * rate) * (1 + 365 / 65536.0), hits.blocks(), 1e-9);
    ReadModel misses = ReadModel.of(fleet, ReadPattern.uniform(), 1, TableFilter.BLOOM);
    assertEquals(4 * (1 - rate), misses.skipped(), 1e-9);
    ReadModel half = ReadModel.of(fleet, ReadPattern.uniform(), 0.5, TableFilter.BLOOM);
    assertEquals((hits.blocks() + misses.blocks()) / 2, half.blocks(), 1e-9);
    // A cache for all.
    assertEquals(1, hits.hitRatio());
    assertEquals(0, hits.blocksRead(), 1e-9);
  }

  private static Fleet withIndex(int keyLength, int blockBytes, int indexBlockBytes) {
    double row = Fleet.rowBytes(keyLength, 5, 20);
    return new Fleet(
        3_000_000,
        keyLength,
        row,
        1,
        1,
        4,
        0,
        100 * GIB,
        0.01,
        131_072,
        -1,
        blockBytes,
        indexBlockBytes,
        true);
  }

  @Test
  void anIndexHasAsManyLevelsAsItNeeds() {
    // A file: 4,177 data blocks of 64 KiB, an entry of 60 bytes each.
    assertEquals(1, withIndex(25, 64 << 10, 128 << 10).indexBlocksPerServer().size());
    assertEquals(0, withIndex(25, 64 << 10, 256 << 10).indexBlocksPerServer().size());
    // 33,417 data blocks of 8 KiB, 489.5 leaves of 4 KiB, 7.2 blocks above them, and one on the
    // heap.
    Fleet small = withIndex(25, 8 << 10, 4 << 10);
    assertEquals(4 * 489.5, small.indexBlocksPerServer().get(0), 1);
    assertEquals(4 * 7.17, small.indexBlocksPerServer().get(1), 0.1);
    assertEquals(2, small.indexBlocksPerServer().size());
    ReadModel hits = ReadModel.of(small, ReadPattern.uniform(), 0, TableFilter.BLOOM);
    double opened = 1 + 3 * small.falsePositiveRate(TableFilter.BLOOM);
    assertEquals(opened * (1 + 365 / 8192.0 + 2), hits.blocks(), 1e-9);
    // Keys that are longer than a block of the index.
    assertTrue(withIndex(30_000, 8 << 10, 4 << 10).indexBlocksPerServer().size() > 2);
  }

  /** Asked for a hundred times as much as there is room for: filters stay, data goes. */
  @Test
  void withLittleCacheAReadIsABlock() {
    Fleet fleet = fleet(9.2e6, 4, 0);
    ReadModel reads = ReadModel.of(fleet, ReadPattern.uniform(), 0, TableFilter.BLOOM);
    assertTrue(reads.filterHitRatio() > 0.98, reads.toString());
    // What filters leave of the cache is 5 MB, and data is 1095 MB.
    assertEquals(0.005, reads.dataHitRatio(), 0.002);
    assertEquals(reads.blocks(), reads.blocksRead(), 0.08);
  }

  @Test
  void aSmallerFilterIsNeverALoss() {
    for (double share = 0.1; share < 4; share *= 1.3) {
      Fleet fleet = fleet(fleet(1, 4, 0).filterBytes(TableFilter.BLOOM) / share, 4, 0);
      for (ReadPattern pattern :
          new ReadPattern[] {
            ReadPattern.uniform(), ReadPattern.hotSet(80, 0.95), ReadPattern.zipf(3_000_000)
          }) {
        double bloom = ReadModel.of(fleet, pattern, 0.2, TableFilter.BLOOM).blocksRead();
        double ribbon = ReadModel.of(fleet, pattern, 0.2, TableFilter.RIBBON).blocksRead();
        double bumped = ReadModel.of(fleet, pattern, 0.2, TableFilter.BUMPED_RIBBON).blocksRead();
        // Their rate is 1 %; that of stock Bloom is lower, since the last chunk has room left.
        double wrong = 4 * 1.01 * (0.01 - fleet.falsePositiveRate(TableFilter.BLOOM));
        assertTrue(bumped <= bloom + wrong, share + " " + pattern.groups().size());
        assertTrue(ribbon <= bloom + wrong, share + " " + pattern.groups().size());
      }
    }
  }

  /** A fleet of ten such servers reads as one does. */
  @Test
  void serversAreAlike() {
    Fleet one = fleet(9.2e6, 4, 0);
    Fleet ten = new Fleet(30_000_000, 25, 365, 10, 10, 4, 0, 9.2e6, 0.01, 131_072, 0);
    assertEquals(
        ReadModel.of(one, ReadPattern.hotSet(80, 0.95), 0.1, TableFilter.RIBBON).blocksRead(),
        ReadModel.of(ten, ReadPattern.hotSet(800, 0.95), 0.1, TableFilter.RIBBON).blocksRead(),
        1e-9);
  }

  /** YCSB's own constants for 10 billion ranks. */
  @Test
  void zipfIsYcsbs() {
    double zeta = 26.46902820178302;
    ReadPattern pattern = ReadPattern.zipf(1e10);
    assertEquals(1 / zeta, pattern.groups().get(0).share(), 1e-5);
    // The second group is ranks 2 and 3.
    assertEquals(
        (Math.pow(2, -0.99) + Math.pow(3, -0.99)) / zeta, pattern.groups().get(1).share(), 1e-5);
    assertEquals(0, pattern.others(), 1e-9);
    double rows = ReadPattern.zipf(3e6).groups().stream().mapToDouble(g -> g.rows()).sum();
    assertEquals(3e6, rows, 0.5);
    assertEquals(
        0.36, ReadPattern.zipf(3e6).others(), 0.02); // (1e10^0.01 - 3e6^0.01) / 0.01 / zeta
  }

  @Test
  void whatARowCosts() {
    Costs costs = new Costs(10, 5, 2, 100, 50, Costs.probes(10));
    // 10, four of ten rows are there, four questions of 201.9 ns, a block looked up 1.5 times, a
    // fifth of one read for 150.
    ReadModel reads = new ReadModel(0.4, 4, 3, 1.5, 0, 0.2, 0.9, 0.9, 0.9);
    assertEquals(10 + 2 + 0.8076 + 3 + 30, reads.micros(TableFilter.BLOOM, costs), 1e-9);
  }
}
