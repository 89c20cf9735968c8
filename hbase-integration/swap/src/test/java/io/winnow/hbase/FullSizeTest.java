package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The promises of size and rate, on store files of the size for which they are made. In each build
 * those that are written by default; in CI the others, and the largest.
 */
class FullSizeTest {
  private static final int KEY_SIZE = 25;
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final byte[] NOTHING = new byte[0];
  private static final Map<String, String> BUMPED = Map.of("winnow.filter", "bumped-ribbon");

  @TempDir Path dir;

  /**
   * The size in the mean: a chunk in four is up to 2 % larger than the others, as its seed has it.
   * So one file in a thousand or so is above the bound, and the mean of four is 20 sigma below it.
   */
  @Test
  void aMillionRows() throws IOException {
    int files = 4;
    double bits = 0;
    for (int i = 0; i < files; i++) {
      Measured measured = measure(1_000_000, Map.of());
      assertRate(0.0100, measured);
      assertEquals(0, measured.lost(), measured.toString());
      bits += measured.bitsPerKey() / files;
    }
    assertTrue(bits <= 7.35, bits + " bits per key");
  }

  /** In the mean: of 6,000 filters of so many keys 24 were above the bound, by one part in 100. */
  @Test
  void tenThousandRows() throws IOException {
    assertTrue(meanBitsPerKey(20, 10_000, Map.of()) <= 7.6);
  }

  private double meanBitsPerKey(int files, int keys, Map<String, String> settings)
      throws IOException {
    double bits = 0;
    for (int i = 0; i < files; i++) {
      Measured measured = measure(keys, settings);
      assertEquals(0, measured.lost(), measured.toString());
      bits += measured.bitsPerKey() / files;
    }
    return bits;
  }

  @Test
  @Tag("long")
  void tenMillionRowsBumped() throws IOException {
    Measured measured = measure(10_000_000, BUMPED);
    assertTrue(measured.bitsPerKey() <= 6.77, measured.toString());
    assertRate(0.0100, measured);
    assertEquals(0, measured.lost(), measured.toString());
  }

  @Test
  void aMillionRowsBumpedAtATenthOfAPercent() throws IOException {
    Measured measured = measure(1_000_000, bumpedAt("0.001"));
    assertTrue(measured.bitsPerKey() <= 10.1, measured.toString());
    assertRate(0.0010, measured);
    assertEquals(0, measured.lost(), measured.toString());
  }

  @Test
  void aHundredThousandRowsBumped() throws IOException {
    Measured hundredThousand = measure(100_000, BUMPED);
    assertTrue(hundredThousand.bitsPerKey() <= 6.83, hundredThousand.toString());
    assertEquals(0, hundredThousand.lost(), hundredThousand.toString());
  }

  /**
   * In the mean: seeds are drawn for each file, and with them how many keys are bumped, which is
   * 0.017 bits per key (standard deviation) of so small a file, 0.0012 of the mean.
   */
  @Test
  void tenThousandRowsBumped() throws IOException {
    double bits = meanBitsPerKey(200, 10_000, BUMPED);
    assertTrue(bits <= 7.15, bits + " bits per key");
  }

  /** Larger than the stock filter's 9.6 bits; the rate is that of whole bits, below the asked. */
  @Test
  @Tag("long")
  void aMillionRowsQuotient() throws IOException {
    Measured measured = measure(1_000_000, Map.of("winnow.filter", "quotient"));
    assertTrue(measured.bitsPerKey() <= 9.7, measured.toString());
    assertTrue(measured.falsePositiveRate() <= 0.95 / 128 + 5 * 0.000086, measured.toString());
    assertEquals(0, measured.lost(), measured.toString());
  }

  /** Seeds are drawn, so each run is a sample of its own: one in 3,000,000 is above 5 sigma. */
  private static void assertRate(double promised, Measured measured) {
    double sigma = Math.sqrt(promised * (1 - promised) / measured.asked());
    assertTrue(measured.falsePositiveRate() <= promised + 5 * sigma, measured.toString());
  }

  private static Map<String, String> bumpedAt(String rate) {
    return Map.of("winnow.filter", "bumped-ribbon", "io.storefile.bloom.error.rate", rate);
  }

  @Test
  @Tag("long")
  void aMillionRowsSizedAsLindormDoes() throws IOException {
    Measured measured = measure(1_000_000, Map.of("winnow.ribbon.sizing", "lindorm"));
    assertEquals(7, measured.imageSizes().size());
    assertEquals(List.of(131072), measured.imageSizes().subList(0, 6).stream().distinct().toList());
    assertTrue(measured.imageSizes().get(6) < 131072, measured.toString());
    // Its bits are fixed, whatever the rate that comes of them: seen is 1.085 %
    assertTrue(measured.falsePositiveRate() <= 0.0112, measured.toString());
    assertEquals(0, measured.lost(), measured.toString());
  }

  /** Of the file: bytes on disk with headers and checksums, and the meta block. */
  private record Measured(
      int keys,
      long chunkBytes,
      long metaBytes,
      int asked,
      double falsePositiveRate,
      int lost,
      List<Integer> imageSizes) {
    double bitsPerKey() {
      return 8.0 * (chunkBytes + metaBytes) / keys;
    }

    @Override
    public String toString() {
      return String.format(
          "%d keys: %d bytes of chunks + %d of meta, %.4f bits per key, rate %.5f, %d lost, %d"
              + " chunks",
          keys, chunkBytes, metaBytes, bitsPerKey(), falsePositiveRate, lost, imageSizes.size());
    }
  }

  private Measured measure(int keys, Map<String, String> settings) throws IOException {
    Map<String, String> family = new HashMap<>(settings);
    family.putIfAbsent("winnow.filter", "ribbon");
    family.put("winnow.error.rate.scope", "file"); // the rate that is asked for, and no lower one
    Configuration conf = StoreFiles.conf(family);
    var context =
        StoreFiles.context()
            .withBlockSize(64 * 1024)
            .withDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
            .build();
    var path =
        StoreFiles.write(
            dir,
            conf,
            BloomType.ROW,
            context,
            writer -> {
              byte[] row = zeroes();
              for (int i = 0; i < keys; i++) {
                setNumber(row, 2L * i);
                writer.append(new KeyValue(row, StoreFiles.FAMILY, QUALIFIER, 1L, NOTHING));
              }
            });
    CacheConfig cache = new CacheConfig(conf, new LruBlockCache(64 << 20, 64 * 1024));
    HStoreFile file = StoreFiles.open(conf, cache, path, BloomType.ROW, new BloomFilterMetrics());
    try {
      BloomFilter filter = StoreFileDoor.generalFilter(file.getReader());
      int lost = 0;
      byte[] row = zeroes();
      for (int i = 0; i < keys; i++) {
        setNumber(row, 2L * i);
        lost += filter.contains(row, 0, KEY_SIZE, null) ? 0 : 1;
      }
      row = zeroes();
      long passed = 0;
      int asked = 0;
      // Ten million where a rate is promised: one sigma of 1 % is then a 300th of it.
      int rounds = keys < 1_000_000 ? 1 : 10_000_000 / keys;
      for (int round = 0; round < rounds; round++) {
        byte[] absent = Arrays.copyOf(zeroes(), KEY_SIZE + 1);
        absent[KEY_SIZE] = (byte) ('0' + round);
        for (int i = 0; i < keys; i++) {
          setNumber(row, 2L * i);
          System.arraycopy(row, 0, absent, 0, KEY_SIZE);
          passed += filter.contains(absent, 0, absent.length, null) ? 1 : 0;
          asked++;
        }
      }
      HFile.Reader reader = file.getReader().getHFileReader();
      long loadOnOpen = reader.getTrailer().getLoadOnOpenDataOffset();
      List<HFileBlock> chunks = blocks(reader, BlockType.BLOOM_CHUNK, 0, loadOnOpen);
      List<HFileBlock> metas =
          blocks(
              reader,
              BlockType.GENERAL_BLOOM_META,
              loadOnOpen,
              reader.length() - reader.getTrailer().getTrailerSize());
      Measured measured =
          new Measured(
              keys,
              onDisk(chunks),
              onDisk(metas),
              asked,
              (double) passed / asked,
              lost,
              chunks.stream().map(HFileBlock::getUncompressedSizeWithoutHeader).toList());
      System.out.println(measured);
      return measured;
    } finally {
      file.closeStoreFile(true);
    }
  }

  private static long onDisk(List<HFileBlock> blocks) {
    return blocks.stream().mapToLong(HFileBlock::getOnDiskSizeWithHeader).sum();
  }

  private static List<HFileBlock> blocks(HFile.Reader reader, BlockType type, long from, long to)
      throws IOException {
    List<HFileBlock> found = new ArrayList<>();
    HFileBlock.BlockIterator blocks = reader.getUncachedBlockReader().blockRange(from, to);
    for (HFileBlock block = blocks.nextBlock(); block != null; block = blocks.nextBlock()) {
      if (block.getBlockType() == type) {
        found.add(block);
      }
    }
    return found;
  }

  private static byte[] zeroes() {
    byte[] row = new byte[KEY_SIZE];
    Arrays.fill(row, (byte) '0');
    return row;
  }

  /** Decimal digits over those of a smaller number: numbers and rows are in the same order. */
  private static void setNumber(byte[] row, long number) {
    long rest = number;
    for (int i = KEY_SIZE - 1; rest > 0; i--) {
      row[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }
}
