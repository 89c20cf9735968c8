package io.winnow.hbase.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.StoreFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.BloomFilterChunk;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Hash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is computed of HBase's own filter is what HBase writes. */
class StockBloomTest {
  private static final Map<String, String> SMALL_CHUNKS =
      Map.of("io.storefile.bloom.block.size", "4096");

  @TempDir Path directory;

  private static StockBloom of(Configuration conf) {
    return StockBloom.of(0.01, conf.getInt("io.storefile.bloom.block.size", 0), 7);
  }

  private HStoreFile write(Configuration conf, int rows) throws IOException {
    return StoreFiles.open(
        conf,
        StoreFiles.write(directory, conf, BloomType.ROW, StoreFiles.evenRows(rows)),
        BloomType.ROW,
        null);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 100, 853, 1700, 1709, 3400, 3415, 3416, 3500, 5200, 10_000, 20_000})
  void takesSoManyBytes(int rows) throws IOException {
    Configuration conf = StoreFiles.conf(SMALL_CHUNKS);
    HStoreFile file = write(conf, rows);
    assertEquals(file.getReader().getTotalBloomSize(), of(conf).bytes(rows));
    file.closeStoreFile(true);
  }

  @ParameterizedTest
  @ValueSource(ints = {5200, 15_000})
  void letsSoManyThrough(int rows) throws IOException {
    Configuration conf = StoreFiles.conf(SMALL_CHUNKS);
    HStoreFile file = write(conf, rows);
    int questions = 0;
    int wrong = 0;
    for (int round = 0; round * rows < 300_000; round++) {
      for (int i = 0; i < rows; i++) {
        byte[] absent = (new String(StoreFiles.row(2 * i)) + "-" + round).getBytes();
        questions++;
        wrong += StoreFileDoor.wouldBeRead(file.getReader(), absent) ? 1 : 0;
      }
    }
    double expected = of(conf).rate(rows) * questions;
    assertEquals(expected, wrong, 5 * Math.sqrt(expected));
    file.closeStoreFile(true);
  }

  /** Rates of whole files with 1 % asked and chunks of 128 KiB, as they were measured. */
  @ParameterizedTest
  @CsvSource({
    "5000, 0.0021, 0.0003",
    "20000, 0.0021, 0.0003",
    "60000, 0.00044, 0.00005",
    "150000, 0.0081, 0.0003",
    "400000, 0.0085, 0.0003"
  })
  void knowsFilesThatWereMeasured(int rows, double rate, double tolerance) {
    StockBloom stock = StockBloom.of(0.01, 128 * 1024, 7);
    assertEquals(rate, stock.rate(rows), tolerance);
  }

  /** HBase's own chunks, filled and folded as its writer does it, tell their own rates. */
  @ParameterizedTest
  @CsvSource({
    "1, 0.01",
    "2, 0.01",
    "200, 0.01",
    "3417, 0.01",
    "3418, 0.01",
    "3419, 0.01",
    "5000, 0.01",
    "20000, 0.01",
    "6837, 0.01",
    "5000, 0.001",
    "20000, 0.1"
  })
  void ratesAreThoseOfHBasesOwnChunks(int keys, double rate) {
    int chunkBytes = BloomFilterUtil.computeFoldableByteSize(4096 * 8L, 7);
    double expected = 0;
    BloomFilterChunk chunk = null;
    for (int i = 0; i < keys; i++) {
      if (chunk == null) {
        chunk =
            BloomFilterUtil.createBySize(
                chunkBytes, (float) rate, Hash.MURMUR_HASH, 7, BloomType.ROW);
        chunk.allocBloom();
      }
      chunk.add(StoreFiles.put(StoreFiles.row(i), "q"));
      if (chunk.getKeyCount() == chunk.getMaxKeys() || i == keys - 1) {
        chunk.compactBloom();
        expected += chunk.getKeyCount() * chunk.actualErrorRate() / keys;
        chunk = null;
      }
    }
    assertEquals(expected, StockBloom.of(rate, 4096, 7).rate(keys), 1e-12);
  }

  @Test
  void hasNothingForNoKeys() {
    StockBloom stock = StockBloom.of(0.01, 4096, 7);
    assertEquals(0, stock.bytes(0));
    assertEquals(0, stock.rate(0));
  }
}
