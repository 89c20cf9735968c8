package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final KeySpace KEYS = KeySpace.of(25, 1_000_000);
  private static final long BLOCK = BlockSizes.SMALL.dataOf(25) + 700;
  private static final long LEAF = BlockSizes.SMALL.index() + 700;

  private static long hotRows(long cacheBytes, long leafIndexBytes) {
    return HotRows.of(cacheBytes, 4_000_000, leafIndexBytes, KEYS, BlockSizes.SMALL);
  }

  @Test
  void hotRowsFillTheCacheBesideTheFilters() {
    assertEquals(100, hotRows(4_000_000 + 100 * BLOCK, 0));
    assertEquals(99, hotRows(4_000_000 + 100 * BLOCK - 1, 0));
    assertEquals(
        50,
        HotRows.of(4_000_000 + 100 * BLOCK, 4_000_000, 0, KeySpace.of(25, 50), BlockSizes.SMALL),
        "all there are");
    assertEquals(1, hotRows(1_000, 0), "one at least");
  }

  @Test
  void hotRowsNeedTheirShareOfTheBlockIndex() {
    long leaves = 100_000L * BlockSizes.SMALL.index();
    long room = 4_000_000 + leaves / 100 + 100 * (BLOCK + LEAF);
    assertEquals(100, hotRows(room, leaves), "an index so large that hardly any block is shared");
    assertEquals(
        (100 * (BLOCK + LEAF) - LEAF - BlockSizes.SMALL.index() / 100) / BLOCK,
        hotRows(4_000_000 + 100 * (BLOCK + LEAF), BlockSizes.SMALL.index()),
        "one index block for all");
  }

  /** As an index of short keys has it: a default run says in its results how many they were. */
  @Test
  void aDefaultRunHasAThousandHotRowsWithEachLengthOfKeys() {
    Ycsb options = Program.read(new Ycsb());
    for (int keyLength : options.keyLengths) {
      KeySpace keys = KeySpace.of(keyLength, options.rows);
      long bloomBytes = Math.round(options.rows * 9.79 / 8);
      long rowsPerBlock = BlockSizes.SMALL.dataOf(keyLength) / (5 * (keyLength + 48L));
      long leafIndexBytes = options.rows / rowsPerBlock * 40;
      long hot =
          HotRows.of(
              options.cache.bytesFor(bloomBytes), bloomBytes, leafIndexBytes, keys, options.blocks);
      assertTrue(hot >= 1000, keyLength + " bytes: " + hot);
    }
    assertTrue(options.rounds >= 20, "draws");
  }

  @Test
  void blocksAreOfWholeRows() {
    for (int keyLength : Program.read(new Ycsb()).keyLengths) {
      int block = BlockSizes.SMALL.dataOf(keyLength);
      assertEquals(0, block % (5 * (keyLength + 48)), "five cells of key, value and 28 bytes");
      assertEquals(BlockSizes.SMALL.data(), block, 900);
    }
  }

  private static double expectedSeconds(String... options) throws IOException {
    return Comparison.of(Program.read(new Ycsb(), options)).expectedSeconds();
  }

  @Test
  void aDefaultRunIsMeantToTakeHalfAnHour() throws IOException {
    double seconds = expectedSeconds();
    assertTrue(seconds > 20 * 60 && seconds <= 29 * 60, "about " + seconds + " s");
    assertTrue(expectedSeconds("--rounds=48") > 1.3 * seconds, "more rounds take longer");
    double sweep = expectedSeconds("--sweep");
    assertTrue(sweep > 7 * 60 && sweep <= 13 * 60, "about " + sweep + " s");
  }

  @Test
  void aRunOnStoresIsMeantToTakeAQuarterOfAnHour() throws IOException {
    double seconds = expectedSeconds("--stores");
    assertTrue(seconds > 10 * 60 && seconds <= 17 * 60, "about " + seconds + " s");
  }

  @Test
  void blocksAreHBasesOwnOrOfTheSizeAskedFor() {
    assertEquals(65_536, BlockSizes.parse("64k").dataOf(25), "HBase's default, to the byte");
    assertEquals(131_072, BlockSizes.parse("64K").index());
    assertEquals(BlockSizes.SMALL, BlockSizes.parse("8k"));
    for (String wrong : new String[] {"64", "0k", "2000k", "64m", ""}) {
      assertThrows(IllegalArgumentException.class, () -> BlockSizes.parse(wrong), wrong);
    }
  }

  /** With HBase's own blocks, index blocks are few: all hot rows share them. */
  @Test
  void aBucketCacheHasWhatFiltersAndIndexLeave() {
    ServerCache cache =
        HotRows.bucketCache(12_000_000, 5_000_000, 1_000_000, 90, BlockSizes.DEFAULT);
    assertEquals(6_000_000, cache.bucketBytes());
    assertEquals(Math.round(6_000_000 * 1.3), cache.heapBytes());
    assertEquals(65_536, cache.blockBytes());
  }
}
