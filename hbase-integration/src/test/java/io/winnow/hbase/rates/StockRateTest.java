package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterChunk;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Hash;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StockRateTest {
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
  void itIsThatOfHBasesOwnChunks(int keys, double rate) {
    int chunkBytes = BloomFilterUtil.computeFoldableByteSize(4096 * 8L, 7);
    long bytes = 0;
    double expected = 0;
    BloomFilterChunk chunk = null;
    for (int i = 0; i < keys; i++) {
      if (chunk == null) {
        chunk =
            BloomFilterUtil.createBySize(
                chunkBytes, (float) rate, Hash.MURMUR_HASH, 7, BloomType.ROW);
        chunk.allocBloom();
      }
      byte[] row = RowKey.of(i);
      chunk.add(new KeyValue(row, Bytes.toBytes("f"), row));
      if (chunk.getKeyCount() == chunk.getMaxKeys() || i == keys - 1) {
        chunk.compactBloom();
        bytes += chunk.getByteSize();
        expected += chunk.getKeyCount() * chunk.actualErrorRate() / keys;
        chunk = null;
      }
    }
    assertEquals(expected, new StockRate(rate, 4096).of(keys, bytes), 1e-12);
  }
}
