package io.winnow.hbase.read;

import static io.winnow.hbase.StoreFiles.deleteFamily;
import static io.winnow.hbase.StoreFiles.put;
import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.format.FilterMeta;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ByteBufferKeyValue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Store files written and asked by HBase's own classes, the filter ours.
 *
 * <p>No method here, lambdas included, has HBase's reader of a store file as a parameter: JUnit
 * would load that class before it is woven.
 */
class StoreFileRoundTripTest {
  private static final int ROWS = 12_000;
  private static final int COLLIDING = 100_000;

  @TempDir Path dir;

  private static Configuration ribbon(String... more) {
    return filter("ribbon", more);
  }

  private static Configuration filter(String name, String... more) {
    Map<String, String> family = new TreeMap<>();
    family.put("winnow.filter", name);
    family.put("io.storefile.bloom.block.size", "2048");
    for (int i = 0; i < more.length; i += 2) {
      family.put(more[i], more[i + 1]);
    }
    return StoreFiles.conf(family);
  }

  private static void assertRate(double rate, IntPredicate passes, int trials) {
    int positives = 0;
    for (int i = 0; i < trials; i++) {
      positives += passes.test(i) ? 1 : 0;
    }
    // Five sigma, and (5^2 - 1) / 6 more, as small counts are skewed.
    double most = rate * trials + 5 * Math.sqrt(rate * (1 - rate) * trials) + 4;
    assertTrue(positives <= most, positives + " false positives of " + trials + ", rate " + rate);
    assertTrue(positives > 0, "a rate of " + rate + " shows in " + trials + " trials");
  }

  @ParameterizedTest
  @CsvSource({
    "xxh3-seeded, rate, 64, 0.01",
    "xxh3, rate, 64, 0.01",
    "murmur3, rate, 64, 0.01",
    "XXH3, rate, 128, 0.01",
    "xxh3, lindorm, 64, 0.01",
    "xxh3, rate, 64, 0.3",
    "xxh3, rate, 64, 0.001",
  })
  void rowFilterFindsEveryRowAndKeepsItsRate(String hash, String sizing, String width, double rate)
      throws IOException {
    Configuration conf =
        ribbon(
            "winnow.hash", hash,
            "winnow.ribbon.sizing", sizing,
            "winnow.ribbon.width", width,
            "io.storefile.bloom.error.rate", String.valueOf(rate));
    if (sizing.equals("lindorm")) {
      // Its formula counts no whole blocks: in chunks of 2 KB the rate is 1.29 times the asked one.
      conf.setInt("io.storefile.bloom.block.size", 65536);
    }
    checkRowFilter(conf, sizing.equals("rate") ? rate : 1.12 * rate);
  }

  @ParameterizedTest
  @CsvSource({
    "bumped-ribbon, 0.1",
    "bumped-ribbon, 0.01",
    "quotient, 0.3",
    "quotient, 0.01",
    "quotient, 0.001"
  })
  void otherFiltersFindEveryRowAndKeepTheirRate(String filter, double rate) throws IOException {
    checkRowFilter(filter(filter, "io.storefile.bloom.error.rate", String.valueOf(rate)), rate);
  }

  /**
   * Rows that begin with the secret of XXH3 have one hash under it: all pass, or ordinarily few.
   */
  @ParameterizedTest
  @CsvSource({"xxh3-seeded, bumped-ribbon", "'', ribbon", "xxh3, bumped-ribbon"})
  void rowsThatCollideUnderThePlainHashAreOrdinaryUnderASeed(String hash, String filter)
      throws IOException {
    Configuration conf = filter(filter, "winnow.hash", hash);
    var path =
        StoreFiles.write(
            dir,
            conf,
            BloomType.ROW,
            writer -> {
              for (int i = 0; i < COLLIDING; i++) {
                writer.append(StoreFiles.put(colliding(2 * i), "q"));
              }
            });
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
    boolean isSeeded = !hash.equals("xxh3");
    assertEquals(isSeeded ? COLLIDING : 1, general(file).getKeyCount());
    for (int i = 0; i < COLLIDING; i++) {
      assertTrue(StoreFileDoor.passes(file.getReader(), colliding(2 * i), null), "row " + i);
    }
    if (isSeeded) {
      assertRate(
          0.01, i -> StoreFileDoor.passes(file.getReader(), colliding(2 * i + 1), null), COLLIDING);
    } else {
      assertTrue(StoreFileDoor.passes(file.getReader(), colliding(1), null));
    }
    file.closeStoreFile(true);
  }

  /** Some rows after the even one of this number, and before the next. */
  private static byte[] between(int i, int which) {
    return Bytes.add(row(2 * i + 1), Bytes.toBytes("-" + which));
  }

  private static byte[] colliding(int i) {
    return ByteBuffer.allocate(32).putLong(0xb8fe6c3923a44bbeL).putInt(i).array();
  }

  private void checkRowFilter(Configuration conf, double bound) throws IOException {
    var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(ROWS));
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
    WinnowFilterReader filter = general(file);
    assertEquals(ROWS, filter.getKeyCount());
    String kind = "Kind: Winnow " + conf.get("winnow.filter") + " (";
    assertTrue(filter.toString().startsWith(kind), filter.toString());
    assertTrue(filter.toString().contains("Keys: 12000"), filter.toString());
    for (int i = 0; i < ROWS; i++) {
      assertTrue(StoreFileDoor.passes(file.getReader(), row(2 * i), null), "row " + i);
    }
    int trials = 3 * (ROWS - 1); // so many that a rate of 0.001 shows
    assertRate(
        bound, i -> StoreFileDoor.passes(file.getReader(), between(i / 3, i % 3), null), trials);
    file.closeStoreFile(true);
  }

  @ParameterizedTest
  @CsvSource({"ribbon, 7", "quotient, 9"})
  void rowColumnFilterFindsEveryColumnAndKeepsTheRateOfAQuestion(String filter, int chunks)
      throws IOException {
    Configuration conf = filter(filter);
    int rows = ROWS / 3;
    var path =
        StoreFiles.write(
            dir,
            conf,
            BloomType.ROWCOL,
            writer -> {
              for (int i = 0; i < rows; i++) {
                if (i % 10 == 0) {
                  writer.append(deleteFamily(row(i)));
                }
                writer.append(put(row(i), "a"));
                writer.append(put(row(i), "b"));
                writer.append(put(row(i), "long-qualifier-" + i));
              }
            });
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROWCOL, new BloomFilterMetrics());
    String printed = general(file).toString();
    assertTrue(printed.contains("Number of chunks: " + chunks + " "), printed);
    for (int i = 0; i < rows; i++) {
      for (String qualifier : new String[] {"a", "b", "long-qualifier-" + i}) {
        assertTrue(StoreFileDoor.passes(file.getReader(), row(i), Bytes.toBytes(qualifier)));
        assertTrue(
            file.getReader()
                .passesGeneralRowColBloomFilter(
                    offHeap(put(row(i), qualifier)))); // a cell in direct memory
      }
      if (i % 10 == 0) { // the marker hides every column, whether it is there or not
        assertTrue(StoreFileDoor.passes(file.getReader(), row(i), Bytes.toBytes("absent")));
      }
    }
    assertRate(
        0.01,
        i ->
            StoreFileDoor.passes(
                file.getReader(), row(i / 9 * 10 + i % 9 + 1), Bytes.toBytes("absent")),
        rows / 10 * 9);
    file.closeStoreFile(true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ribbon", "bumped-ribbon", "quotient"})
  void prefixFilterFindsEveryPrefix(String filter) throws IOException {
    Configuration conf = filter(filter, "RowPrefixBloomFilter.prefix_length", "14");
    var path =
        StoreFiles.write(
            dir,
            conf,
            BloomType.ROWPREFIX_FIXED_LENGTH,
            writer -> {
              for (int i = 0; i < ROWS; i++) {
                writer.append(put(Bytes.add(row(2 * i), Bytes.toBytes("-1")), "q"));
                writer.append(put(Bytes.add(row(2 * i), Bytes.toBytes("-2")), "q"));
              }
            });
    HStoreFile file =
        StoreFiles.open(conf, path, BloomType.ROWPREFIX_FIXED_LENGTH, new BloomFilterMetrics());
    assertEquals(ROWS, general(file).getKeyCount());
    for (int i = 0; i < ROWS; i++) {
      byte[] other = Bytes.add(row(2 * i), Bytes.toBytes("-other"));
      assertTrue(StoreFileDoor.passes(file.getReader(), other, null));
    }
    assertRate(
        0.01,
        i ->
            StoreFileDoor.passes(
                file.getReader(), Bytes.add(row(2 * i + 1), Bytes.toBytes("-1")), null),
        ROWS - 1);
    file.closeStoreFile(true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ribbon", "bumped-ribbon", "quotient"})
  void deleteFamilyFilterFindsEveryMarker(String filter) throws IOException {
    Configuration conf = filter(filter);
    int rows = ROWS / 2;
    var path =
        StoreFiles.write(
            dir,
            conf,
            BloomType.ROW,
            writer -> {
              for (int i = 0; i < rows; i++) {
                if (i % 2 == 0) {
                  writer.append(deleteFamily(row(i)));
                }
                writer.append(put(row(i), "q"));
              }
            });
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
    for (int i = 0; i < rows; i += 2) {
      assertTrue(file.getReader().passesDeleteFamilyBloomFilter(row(i), 0, row(i).length));
    }
    assertRate(
        0.01,
        i -> file.getReader().passesDeleteFamilyBloomFilter(row(2 * i + 1), 0, row(0).length),
        rows / 2 - 1);
    file.closeStoreFile(true);
  }

  @Test
  void everyAnswerCountsInHBasesMetrics() throws IOException {
    Configuration conf = ribbon();
    var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(1000));
    BloomFilterMetrics metrics = new BloomFilterMetrics();
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, metrics);
    int negatives = 0;
    for (int i = 0; i < 1999; i++) {
      negatives += StoreFileDoor.passes(file.getReader(), row(i), null) ? 0 : 1;
    }
    assertEquals(1999, metrics.getRequestsCount());
    assertEquals(negatives, metrics.getNegativeResultsCount());
    assertTrue(negatives > 950);
    assertEquals(0, metrics.getEligibleRequestsCount());
    file.closeStoreFile(true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GZ", "NONE"})
  void compressedFilesAndTinyOnesWork(String compression) throws IOException {
    Configuration conf = ribbon();
    HFileContext context =
        StoreFiles.context().withCompression(Compression.Algorithm.valueOf(compression)).build();
    for (int rows : new int[] {1, 2, 3, 50, 4000}) {
      var path = StoreFiles.write(dir, conf, BloomType.ROW, context, StoreFiles.evenRows(rows));
      HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
      assertEquals(rows, general(file).getKeyCount());
      for (int i = 0; i < rows; i++) {
        assertTrue(StoreFileDoor.passes(file.getReader(), row(2 * i), null));
      }
      file.closeStoreFile(true);
    }
  }

  private static final Map<String, String> ONE_RATE = Map.of("winnow.error.rate.scope", "file");

  @ParameterizedTest
  @CsvSource({"ribbon, 7.55", "bumped-ribbon, 7.15", "quotient, 9.81"}) // a block of 64 slots: 0.06
  void smallFilesGetChunksOfTheirSize(String kind, double most) throws IOException {
    Configuration conf = filter(kind, "io.storefile.bloom.block.size", "131072");
    conf = new CompoundConfiguration().add(conf).addStringMap(ONE_RATE);
    var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(10_000));
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
    WinnowFilterReader filter = general(file);
    double bitsPerKey = 8.0 * filter.getByteSize() / filter.getKeyCount();
    assertTrue(bitsPerKey < most, "bits per key: " + bitsPerKey);
    assertEquals(10_000, filter.getMaxKeys());
    file.closeStoreFile(true);
  }

  /** Blocks in pooled direct memory, whole or in parts: every one is given back. */
  @ParameterizedTest
  @CsvSource({
    "ribbon, 100",
    "ribbon, 250",
    "ribbon, 65536",
    "quotient, 100",
    "quotient, 250",
    "quotient, 65536"
  })
  void offHeapBlocksAreProbedInPlaceAndReleased(String kind, int bufferSize) throws IOException {
    Configuration conf = filter(kind);
    var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(2000));
    Configuration pooled = new Configuration(false);
    pooled.setInt(ByteBuffAllocator.BUFFER_SIZE_KEY, bufferSize);
    pooled.setInt(ByteBuffAllocator.MAX_BUFFER_COUNT_KEY, 200);
    pooled.setInt(ByteBuffAllocator.MIN_ALLOCATE_SIZE_KEY, 1);
    ByteBuffAllocator allocator = ByteBuffAllocator.create(pooled, true);
    CacheConfig cacheConf = new CacheConfig(conf, null, null, allocator);
    HStoreFile file =
        StoreFiles.open(conf, cacheConf, path, BloomType.ROW, new BloomFilterMetrics());
    long heapBefore = allocator.getHeapAllocationBytes();
    int passed = 0;
    for (int i = 0; i < 2000; i++) {
      assertTrue(StoreFileDoor.passes(file.getReader(), row(2 * i), null), "row " + i);
      passed += StoreFileDoor.passes(file.getReader(), row(2 * i + 1), null) ? 1 : 0;
    }
    assertTrue(passed < 60, "passed: " + passed);
    assertTrue(allocator.getUsedBufferCount() > 0, "some were taken");
    assertEquals(allocator.getUsedBufferCount(), allocator.getFreeBufferCount(), "all given back");
    assertTrue(allocator.getPoolAllocationBytes() > 0, "off heap indeed");
    assertEquals(heapBefore, allocator.getHeapAllocationBytes());
    file.closeStoreFile(true);
  }

  @Test
  void emptyFileHasNoFilter() throws IOException {
    Configuration conf = ribbon();
    var path = StoreFiles.write(dir, conf, BloomType.ROW, writer -> {});
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
    assertNull(StoreFileDoor.generalFilter(file.getReader()));
    assertFalse(file.getReader().passesDeleteFamilyBloomFilter(row(0), 0, 1));
    file.closeStoreFile(true);
  }

  @Test
  void switchedOffMeansNoFilter() throws IOException {
    Configuration conf =
        ribbon(
            "io.storefile.bloom.enabled", "false",
            "io.storefile.delete.family.bloom.enabled", "false");
    var path =
        StoreFiles.write(
            dir,
            conf,
            BloomType.ROW,
            writer -> {
              writer.append(deleteFamily(row(0)));
              writer.append(put(row(0), "q"));
            });
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
    assertNull(file.getReader().getHFileReader().getGeneralBloomFilterMetadata());
    assertNull(file.getReader().getHFileReader().getDeleteBloomFilterMetadata());
    file.closeStoreFile(true);
  }

  @Test
  void typeNoneHasADeleteFamilyFilterOnly() throws IOException {
    Configuration conf = ribbon();
    var path =
        StoreFiles.write(
            dir,
            conf,
            BloomType.NONE,
            writer -> {
              writer.append(deleteFamily(row(0)));
              writer.append(put(row(0), "q"));
            });
    HStoreFile file = StoreFiles.open(conf, path, BloomType.NONE, new BloomFilterMetrics());
    assertNull(file.getReader().getHFileReader().getGeneralBloomFilterMetadata());
    assertEquals(
        FilterMeta.META_VERSION,
        file.getReader().getHFileReader().getDeleteBloomFilterMetadata().readInt());
    file.closeStoreFile(true);
  }

  private static Cell offHeap(KeyValue cell) {
    ByteBuffer direct = ByteBuffer.allocateDirect(cell.getLength());
    direct.put(cell.getBuffer(), cell.getOffset(), cell.getLength()).flip();
    return new ByteBufferKeyValue(direct, 0, direct.limit());
  }

  private static WinnowFilterReader general(HStoreFile file) {
    BloomFilter filter = StoreFileDoor.generalFilter(file.getReader());
    return assertInstanceOf(WinnowFilterReader.class, filter);
  }
}
