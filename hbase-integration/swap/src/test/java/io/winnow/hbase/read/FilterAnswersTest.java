package io.winnow.hbase.read;

import static io.winnow.hbase.StoreFiles.put;
import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.LogLines;
import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.hooks.WinnowHooks;
import io.winnow.hbase.settings.FilterChoice;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each way to ask the filter of a small file, its answer, and what it tells of itself. */
class FilterAnswersTest {
  private static final int ROWS = 1000;

  @TempDir Path dir;

  private final Configuration conf =
      StoreFiles.conf(Map.of("winnow.filter", "ribbon", "io.storefile.bloom.block.size", "256"));
  private final LogLines log = new LogLines(WinnowFilterReader.class);
  private TamperedReader reader;

  @BeforeEach
  void write() throws IOException {
    open(BloomType.ROW, new CacheConfig(conf));
  }

  private void open(BloomType type, CacheConfig cacheConf) throws IOException {
    var path = StoreFiles.write(dir, conf, type, StoreFiles.evenRows(ROWS));
    reader = TamperedReader.open(conf, cacheConf, path);
  }

  private void openWithCache() throws IOException {
    reader.close(true);
    LruBlockCache cache = new LruBlockCache(64 << 20, 4096, false, conf);
    open(BloomType.ROW, new CacheConfig(conf, null, cache, ByteBuffAllocator.HEAP));
  }

  @AfterEach
  void close() throws IOException {
    log.close();
    reader.close(true);
  }

  private FilterMeta meta() throws IOException {
    var stored = reader.getGeneralBloomFilterMetadata();
    stored.readInt();
    return FilterMeta.readAfterVersion(stored, Long.MAX_VALUE);
  }

  private static boolean asks(WinnowFilterReader filter, int number) {
    byte[] row = row(number);
    return filter.contains(row, 0, row.length, null);
  }

  private static boolean asksByCell(WinnowFilterReader filter, int number) {
    ExtendedCell cell = put(row(number), "q"); // as HBase 3 asks
    return filter.contains(cell, null, BloomType.ROW);
  }

  /** Each row passes, few others do, and nothing is told. */
  private void assertRowsAndRate(WinnowFilterReader filter) {
    int passed = 0;
    for (int i = 0; i < ROWS; i++) {
      assertTrue(asks(filter, 2 * i) && asksByCell(filter, 2 * i), "row " + i);
      assertEquals(asks(filter, 2 * i + 1), asksByCell(filter, 2 * i + 1));
      passed += asks(filter, 2 * i + 1) ? 1 : 0;
    }
    assertTrue(passed < 0.05 * ROWS, passed + " pass");
    assertEquals(List.of(), log.all());
  }

  @Test
  void bytesAndCellsGetTheSameAnswer() throws IOException {
    assertRowsAndRate(reader.filter(null));
  }

  /** HBase's own filter rules it out too; the first key of this filter is a prefix. */
  @ParameterizedTest
  @ValueSource(strings = {"row-", "row-/", "row-000000000"})
  void rowBeforeTheFirstIsRuledOutWithoutAProbe(String before) throws IOException {
    reader.close(true);
    conf.set("winnow.scan.prefix", "4");
    open(BloomType.ROW, new CacheConfig(conf));
    assertArrayEquals(Bytes.toBytes("row-"), meta().index.firstKeyOf(0));
    WinnowFilterReader filter = reader.filter(null);
    byte[] row = Bytes.toBytes(before);
    assertFalse(filter.contains(row, 0, row.length, null));
    assertEquals(0, reader.loads());
    assertTrue(filter.mayHaveRowsWith(row, 4));
    assertTrue(asks(filter, 0), "the first row");
  }

  /** With a cache whose blocks are found again without a look-up. */
  @Test
  void shortCutGivesTheSameAnswers() throws IOException {
    openWithCache();
    assertTrue(meta().index.size() > 2, "several chunks");
    WinnowFilterReader filter = reader.filter(null);
    for (int round = 0; round < 10; round++) {
      assertRowsAndRate(filter);
    }
    assertTrue(reader.loads() < 10 * ROWS, reader.loads() + " look-ups");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void blockMayBeASliceOfLargerMemory(boolean shared) throws IOException {
    reader.tamper(
        block -> TamperedReader.copy(block, new byte[3 * block.headerSize() + 1000], 71, shared));
    assertRowsAndRate(reader.filter(null));
  }

  /** Memory that HBase uses again must not be asked once the block was given back. */
  @Test
  void sharedMemoryIsNotRemembered() throws IOException {
    openWithCache();
    byte[] pool = new byte[1000];
    reader.tamper(
        block -> {
          Arrays.fill(pool, (byte) 0); // what another block might leave
          return TamperedReader.copy(block, pool, 40, true);
        });
    WinnowFilterReader filter = reader.filter(null);
    for (int round = 0; round < 40; round++) {
      for (int i = 0; i < ROWS; i += 100) { // in another chunk each time
        assertTrue(asks(filter, 2 * i));
      }
    }
    assertEquals(40 * ROWS / 100, reader.loads());
  }

  @Test
  void blockWithoutAByteTooManyIsAsked() throws IOException {
    reader.tamper(
        block -> {
          HFileBlock whole = block;
          byte[] bytes = new byte[block.headerSize() + block.getUncompressedSizeWithoutHeader()];
          whole.getBufferReadOnly().get(0, bytes, 0, bytes.length);
          return TamperedReader.block(block, java.nio.ByteBuffer.wrap(bytes), false);
        });
    assertRowsAndRate(reader.filter(null));
  }

  /** A question for a whole key and one for half of it are different questions. */
  @Test
  void questionsOfAnotherKindAreAnsweredWithTrue() throws IOException {
    WinnowFilterReader rows = reader.filter(null);
    assertTrue(isAbsentKeyDenied(rows, BloomType.ROW));
    assertFalse(isAbsentKeyDenied(rows, BloomType.ROWCOL));
    reader.close(true);
    open(BloomType.ROWCOL, new CacheConfig(conf));
    WinnowFilterReader columns = reader.filter(null);
    assertTrue(isAbsentKeyDenied(columns, BloomType.ROWCOL));
    assertFalse(isAbsentKeyDenied(columns, BloomType.ROW));
    assertTrue(asks(columns, 1));
  }

  /** Of twenty keys that are not there, since one may be a false positive. */
  private static boolean isAbsentKeyDenied(WinnowFilterReader filter, BloomType type) {
    return IntStream.range(0, 20)
        .anyMatch(i -> !filter.contains((ExtendedCell) put(row(2 * i + 1), "q"), null, type));
  }

  @Test
  void factsAreThoseOfTheMetaBlock() throws IOException {
    FilterMeta meta = meta();
    FilterMeta other =
        new FilterMeta.Builder(meta.type, meta.hash, meta.kind)
            .keys(ROWS, 2 * ROWS)
            .images(meta.imageBytes, 256)
            .rates(0.125, 0.0625)
            .shape("a shape")
            .build(meta.index, null);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(other.toByteArray()));
    var filter = (WinnowFilterReader) WinnowHooks.filterOf(WinnowHooks.peeked(in), reader, null);
    assertEquals(ROWS, filter.getKeyCount());
    assertEquals(2 * ROWS, filter.getMaxKeys());
    assertEquals(meta.imageBytes, filter.getByteSize());
    assertEquals(0.125, filter.configuredRate());
    assertEquals(0.0625, filter.estimatedRate());
    assertEquals(FilterChoice.of(meta.type), filter.choice());
    assertTrue(filter.supportsAutoLoading());
    String facts = filter.toString();
    for (String fact :
        new String[] {
          "Kind: Winnow ribbon (a shape), ROW keys",
          "Bytes: " + meta.imageBytes,
          "Keys: " + ROWS,
          "Key limit: " + 2 * ROWS,
          "Percentage filled: 50%",
          "Number of chunks: " + meta.index.size() + " of 256 bytes when full",
          String.format(java.util.Locale.ROOT, "Bits per key: %.4f", 8.0 * meta.imageBytes / ROWS),
          "Configured false-positive rate: 0.1250000 per probe",
          "Estimated false-positive rate: 0.0625000 per probe",
          "Hash: " + meta.hash.label()
        }) {
      assertTrue(facts.contains(fact), fact + " in " + facts);
    }
  }
}
