package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
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

  @Test
  void hasNothingForNoKeys() {
    StockBloom stock = StockBloom.of(0.01, 4096, 7);
    assertEquals(0, stock.bytes(0));
    assertEquals(0, stock.rate(0));
  }
}
