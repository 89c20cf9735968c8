package io.winnow.hbase.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.read.CachedFilter;
import io.winnow.hbase.read.WinnowFilterReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files that nobody's store writes, as bulk loads and tools make them: each lets through no more
 * than HBase's own filter of the same keys would.
 */
class OnlyFileTest {
  private static final int ASKED = 200_000;
  private static final BlockCache CACHE = CachedFilter.lru(64 << 20);

  @TempDir Path directory;

  private WinnowFilterReader filter(Map<String, String> family, BloomType type, int rows)
      throws IOException {
    Configuration conf = StoreFiles.conf(family);
    var path = StoreFiles.write(directory, conf, type, StoreFiles.evenRows(rows));
    CacheConfig cache = new CacheConfig(conf, null, CACHE, ByteBuffAllocator.HEAP);
    CACHE.evictBlocksByHfileName(path.getName());
    HStoreFile file = StoreFiles.open(conf, cache, path, type, new BloomFilterMetrics());
    return (WinnowFilterReader) StoreFileDoor.generalFilter(file.getReader());
  }

  private static Map<String, String> family(String filter) {
    return new HashMap<>(Map.of("winnow.filter", filter));
  }

  private static double stockRate(Map<String, String> family, BloomType type, int rows) {
    return StockBloom.of(StoreFiles.conf(family), type).rate(rows);
  }

  /** Around the sizes at which stock folds once less, and where chunks of stock's and ours end. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        1, 10, 1000, 20_000, 27_000, 54_600, 54_700, 60_000, 70_000, 111_000, 149_000, 164_500,
        220_000
      })
  void noMoreIsLetThroughThanWithStocksFilter(int rows) throws IOException {
    for (String filter : new String[] {"bumped-ribbon", "ribbon"}) {
      Map<String, String> family = family(filter);
      double stock = stockRate(family, BloomType.ROW, rows);
      WinnowFilterReader ours = filter(family, BloomType.ROW, rows);
      double atMost = Math.max(stock, StoreRate.MIN_RATE);
      assertTrue(ours.estimatedRate() <= atMost, filter + ": " + ours + ", stock's " + stock);
      assertLetsThrough(ours, rows, atMost);
    }
  }

  /** The files of many small chunks: what was let through before counts. */
  @ParameterizedTest
  @CsvSource({"ROW, 512", "ROW, 8192", "ROWCOL, 8192", "ROWCOL, 131072"})
  void norWithOtherChunksAndKeys(BloomType type, String chunkBytes) throws IOException {
    for (int rows : new int[] {300, 500, 3000, 5000, 7000, 20_000, 60_000}) {
      Map<String, String> family = family("bumped-ribbon");
      family.put("io.storefile.bloom.block.size", chunkBytes);
      double stock = stockRate(family, type, rows);
      WinnowFilterReader ours = filter(family, type, rows);
      assertTrue(ours.estimatedRate() <= Math.max(stock, StoreRate.MIN_RATE), ours + ", " + stock);
    }
  }

  /** Who gives filters less memory than stock's rates take gets what was asked for. */
  @ParameterizedTest
  @ValueSource(doubles = {0.7, 0.6, 0.5})
  void lessMemoryIsWhatIsTaken(double memory) throws IOException {
    for (String filter : new String[] {"bumped-ribbon", "ribbon"}) {
      for (int rows : new int[] {10, 1000, 27_000, 54_700, 111_000, 220_000}) {
        Map<String, String> family = family(filter);
        family.put("winnow.store.memory", String.valueOf(memory));
        StockBloom stock = StockBloom.of(StoreFiles.conf(family), BloomType.ROW);
        WinnowFilterReader ours = filter(family, BloomType.ROW, rows);
        double bytes = ours.getByteSize();
        assertTrue(bytes <= memory * stock.bytes(rows) + StoreRate.SMALL_BYTES, ours.toString());
      }
    }
  }

  private static void assertLetsThrough(WinnowFilterReader filter, int rows, double rate) {
    int passed = 0;
    for (int i = 0; i < ASKED; i++) {
      // From the first row to the last, so that each chunk is asked by its keys.
      byte[] row = Bytes.add(StoreFiles.row((int) (2L * rows * i / ASKED)), Bytes.toBytes("-" + i));
      passed += filter.contains(row, 0, row.length, null) ? 1 : 0;
    }
    double sigma = Math.sqrt(ASKED * rate * (1 - rate));
    // Small counts are skewed: at z sigma that is (z^2 - 1) / 6 more (Cornish and Fisher).
    assertTrue(passed <= ASKED * rate + 5 * sigma + 4, passed + " of " + ASKED + " at " + rate);
    for (int i = 0; i < rows; i++) {
      byte[] row = StoreFiles.row(2 * i);
      assertTrue(filter.contains(row, 0, row.length, null), "row " + i);
    }
  }

  /** Who asks for one rate for all files by name gets it, and so do fixed chunks and quotients. */
  @Test
  void whatIsAskedForByNameIsGiven() throws IOException {
    Map<String, String> ofFile = family("bumped-ribbon");
    ofFile.put("winnow.error.rate.scope", "file");
    Map<String, String> lindorm = family("ribbon");
    lindorm.put("winnow.ribbon.sizing", "lindorm");
    for (Map<String, String> family : List.of(ofFile, lindorm, family("quotient"))) {
      WinnowFilterReader ours = filter(family, BloomType.ROW, 60_000);
      double stock = stockRate(family, BloomType.ROW, 60_000);
      assertTrue(ours.estimatedRate() > 10 * stock, ours.toString());
      assertEquals("0.0100000", rate(ours));
    }
    assertFalse(rate(filter(family("ribbon"), BloomType.ROW, 60_000)).equals("0.0100000"));
  }

  private static String rate(WinnowFilterReader filter) {
    String facts = filter.toString();
    String name = "Configured false-positive rate: ";
    return facts.substring(facts.indexOf(name) + name.length()).split("[^0-9.]")[0];
  }
}
