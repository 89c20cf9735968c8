package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Families that did not ask, and servers that know nothing of Winnow. */
class StockFilesTest {
  private static final int ROWS = 3000;
  private static final StockHBase STOCK = new StockHBase();

  @TempDir Path dir;

  @ParameterizedTest
  @CsvSource({
    "ROW, 0.01, ''",
    "ROW, 0.05, bloom",
    "ROWCOL, 0.01, ' Bloom '",
    "ROWPREFIX_FIXED_LENGTH, 0.01, bloom",
    "NONE, 0.01, bloom",
  })
  void familyThatDidNotAskGetsWhatStockWrites(String type, String rate, String filter)
      throws IOException {
    Map<String, String> family =
        Map.of(
            "io.storefile.bloom.error.rate", rate,
            "io.storefile.bloom.block.size", "2048",
            "RowPrefixBloomFilter.prefix_length", "12",
            "winnow.hash", "no such hash",
            "winnow.filter", filter);
    byte[] stock =
        Files.readAllBytes(
            Path.of(URI.create(STOCK.write(dir.resolve("stock").toString(), family, type, ROWS))));
    var path =
        StoreFiles.write(
            dir.resolve("ours"),
            StoreFiles.conf(family),
            BloomType.valueOf(type),
            StoreFiles.mixedRows(ROWS));
    byte[] ours = Files.readAllBytes(Path.of(path.toUri()));
    assertArrayEquals(stock, ours);
  }

  @Test
  void stockFileIsServedWithItsOwnFilter() throws IOException {
    String path = STOCK.write(dir.toString(), Map.of(), "ROW", ROWS);
    HStoreFile file =
        StoreFiles.open(
            StoreFiles.conf(Map.of("winnow.filter", "ribbon")),
            new org.apache.hadoop.fs.Path(path),
            BloomType.ROW,
            new BloomFilterMetrics());
    assertInstanceOf(CompoundBloomFilter.class, StoreFileDoor.generalFilter(file.getReader()));
    int passed = 0;
    for (int i = 0; i < ROWS; i++) {
      passed += StoreFileDoor.passes(file.getReader(), StoreFiles.row(2 * i), null) ? 1 : 0;
    }
    assertEquals(ROWS, passed);
    file.closeStoreFile(true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ROW", "ROWCOL"})
  void stockServerServesOurFilesWithoutTheirFilter(String type) throws IOException {
    String path =
        StoreFiles.write(
                dir,
                StoreFiles.conf(Map.of("winnow.filter", "ribbon")),
                BloomType.valueOf(type),
                StoreFiles.mixedRows(ROWS))
            .toString();
    assertEquals(ROWS + " rows, filter: null", STOCK.read(path, type));
  }
}
