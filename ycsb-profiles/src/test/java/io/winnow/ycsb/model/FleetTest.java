package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import io.winnow.ycsb.TableFilter;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class FleetTest {
  /** 3 million rows of 365 bytes in one region, four files, all rows alike, one rate. */
  private static Model options(String... more) {
    String usual = "--rows=3e6 --regions=1 --servers=1 --one-rate";
    return Program.read(new Model(), (usual + " " + String.join(" ", more)).split(" "));
  }

  /** Its index is so small that it is on the heap. */
  private static Fleet fleet(TableFilter kind, String... more) {
    return new Fleet(options(more), kind, 64 << 10, 256 << 10);
  }

  private static Fleet stock(String... more) {
    return fleet(TableFilter.BLOOM, more);
  }

  @Test
  void rowsOfFiveColumns() {
    // Cells of 4 + 4 + 2 + 25 + 1 + 1 + 6 + 8 + 1 + 20 + 1 bytes.
    assertEquals(365, Fleet.rowBytes(25, 5, 20));
  }

  /** 750,000 keys a file: 6 chunks of 109,306, and the rest in one that is not folded. */
  @Test
  void filtersOfARun() {
    assertEquals(28 * 131_072, stock().filterBytes());
  }

  /** Files of a rewritten store: a row in each later one with the chance 0.1. */
  @Test
  void laterFilesOfARewrittenStoreAreLarger() {
    Fleet fleet = stock("--files=8 --rewritten=0.1");
    assertEquals(506_250, fleet.keysPerFile(), 1e-6); // 1.35 of 375,000
    assertEquals(375_000, fleet.filters.files().get(0).keys());
    assertEquals(637_500, fleet.filters.files().get(7).keys());
  }

  /** Four files of a size: as servers write them, and with one rate. */
  @Test
  void ratesOfWinnowsFilesAreThoseOfTheirStore() {
    Model usual = Program.read(new Model());
    Model oneRate = Program.read(new Model(), "--one-rate");
    Fleet stock = new Fleet(usual, TableFilter.BLOOM);
    for (TableFilter kind : List.of(TableFilter.RIBBON, TableFilter.BUMPED_RIBBON)) {
      Fleet byStore = new Fleet(usual, kind);
      Fleet uniform = new Fleet(oneRate, kind);
      assertEquals(0.01, uniform.rate(), 1e-9);
      assertTrue(byStore.rate() < 0.9 * stock.rate(), kind.id());
      double ofStock = byStore.filterBytes() / stock.filterBytes();
      assertTrue(ofStock < 0.85, kind.id() + " " + ofStock); // winnow.store.memory
      assertTrue(uniform.filterBytes() < byStore.filterBytes(), kind.id());
    }
    assertEquals(stock.filterBytes(), new Fleet(oneRate, TableFilter.BLOOM).filterBytes());
    assertTrue(usual.output().contains("Each file of a store has its own rate, as by default"));
    assertTrue(oneRate.output().contains("which is not the default"));
  }

  /** The three parts of a predicted gain add up to all of it, for each kind of filter. */
  @Test
  void savedTimeHasThreeParts() {
    Model usual = Program.read(new Model(), "--on-disk=0.1");
    Fleet stock = new Fleet(usual, TableFilter.BLOOM);
    Fleet ours = new Fleet(usual, TableFilter.BUMPED_RIBBON);
    double reads = (stock.blocksRead() - ours.blocksRead()) * (50 + 0.1 * 500);
    double lookUps = (stock.blocks() - ours.blocks()) * 7;
    double queries = 4 * (185 + 1.69 * 25 - 65 - 0.21 * 25) / 1000;
    assertTrue(reads > 0 && lookUps > 0);
    assertEquals(reads + lookUps + queries, stock.micros() - ours.micros(), 1e-9);
    String line =
        usual.output().lines().filter(one -> one.contains("fewer blocks")).findFirst().get();
    assertTrue(line.contains(String.format(Locale.ROOT, "  %.2f  ", reads)), line);
  }

  @Test
  void filesThatAGetOpens() {
    String[] all = {"--cache=100", "--hot-reads=0", ""};
    Fleet present = stock(all);
    double rate = present.rate();
    assertEquals(1 + 3 * rate, present.opened(), 1e-9);
    assertEquals((1 + 3 * rate) * (1 + 365 / 65536.0), present.blocks(), 1e-9);
    all[2] = "--absent=1";
    Fleet absent = stock(all);
    assertEquals(4 * rate, absent.opened(), 1e-9);
    all[2] = "--absent=0.5";
    assertEquals((present.blocks() + absent.blocks()) / 2, stock(all).blocks(), 1e-9);
    assertEquals(1, present.hitRatio(present.all));
    assertEquals(0, present.blocksRead(), 1e-9);
  }

  @Test
  void indexHasAsManyLevelsAsItNeeds() {
    // 4,177 data blocks of 64 KiB, an entry of 60 bytes each.
    assertEquals(0, stock().indexBlocks().size());
    Model options = options("--hot-reads=0");
    TableFilter kind = TableFilter.BLOOM;
    assertEquals(1, new Fleet(options, kind).indexBlocks().size());
    // 33,417 data blocks of 8 KiB, 489.5 leaves of 4 KiB, 7.2 blocks above them, and one on the
    // heap.
    Fleet small = new Fleet(options, kind, 8 << 10, 4 << 10);
    assertEquals(2, small.indexBlocks().size());
    assertEquals(4 * 489.5, small.indexBlocks().get(0), 1);
    assertEquals(4 * 7.17, small.indexBlocks().get(1), 0.1);
    assertEquals((1 + 3 * small.rate()) * (1 + 365 / 8192.0 + 2), small.blocks(), 1e-9);
    // Keys that are longer than a block of the index.
    Model longKeys = options("--key-length=30000");
    assertTrue(new Fleet(longKeys, kind, 8 << 10, 4 << 10).indexBlocks().size() > 2);
  }

  /** Requests for a hundred times as much as there is room for: filters stay, data goes. */
  @Test
  void withLittleCacheAReadIsABlock() {
    Fleet fleet = stock("--cache=0.008568 --hot-reads=0"); // 9.2 MB
    // What filters leave of the cache is 5 MB, and data is 1095 MB.
    assertEquals(0.005, fleet.hitRatio(fleet.data), 0.002);
    assertEquals(fleet.blocks(), fleet.blocksRead(), 0.08);
    assertTrue(fleet.hitRatio(fleet.filterBlocks) > 0.98);
  }

  @Test
  void smallerFilterIsNeverALoss() {
    double filterGib = stock().filterBytes() / Model.GIB;
    for (double share = 0.1; share < 3; share *= 1.8) {
      for (String pattern : List.of("--hot-reads=0", "--hot-rows=0.00003", "--zipf")) {
        String options = pattern + " --absent=0.2 --cache=" + filterGib / share;
        Fleet bloom = stock(options);
        // Their rate is 1 %; that of stock Bloom is lower, since the last chunk has room left.
        double wrong = 4 * 1.01 * (0.01 - bloom.rate());
        for (TableFilter kind : List.of(TableFilter.RIBBON, TableFilter.BUMPED_RIBBON)) {
          double read = fleet(kind, options).blocksRead();
          assertTrue(read <= bloom.blocksRead() + wrong, kind + " " + options);
        }
      }
    }
  }

  /** A fleet of ten such servers reads as one does. */
  @Test
  void serversAreAlike() {
    String usual = "--one-rate --cache=0.008568 --absent=0.1 --rows=3e";
    String[] one = (usual + "6 --regions=1 --servers=1").split(" ");
    String[] ten = (usual + "7 --regions=10 --servers=10").split(" ");
    assertEquals(
        new Fleet(Program.read(new Model(), one), TableFilter.RIBBON).blocksRead(),
        new Fleet(Program.read(new Model(), ten), TableFilter.RIBBON).blocksRead(),
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
    assertEquals(1, share(pattern), 1e-9);
    ReadPattern few = ReadPattern.zipf(3e6);
    assertEquals(3e6, few.groups().stream().mapToDouble(ReadPattern.Group::rows).sum(), 0.5);
    assertEquals(0.64, share(few), 0.02); // 1 - (1e10^0.01 - 3e6^0.01) / 0.01 / zeta
  }

  private static double share(ReadPattern pattern) {
    return pattern.groups().stream().mapToDouble(ReadPattern.Group::share).sum();
  }

  @Test
  void timeOfARow() {
    String costs =
        "--row-us=10 --found-us=5 --block-us=2 --read-us=100 --disk-us=500 --on-disk=0.1";
    Fleet fleet = stock(costs, "--absent=0.6", "--key-length=10", "--hot-reads=0 --cache=0.01");
    assertTrue(fleet.blocksRead() > 0.3);
    // 10; four of ten rows are present; four probes of 201.9 ns; a block read takes 150.
    double time = 10 + 2 + 0.8076 + 2 * fleet.blocks() + 150 * fleet.blocksRead();
    assertEquals(time, fleet.micros(), 1e-9);
  }
}
