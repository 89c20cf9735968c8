package io.winnow.hbase.read;

import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.format.FilterHeader;
import io.winnow.hbase.LogLines;
import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilterMeta;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.ChecksumType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Chunks that cannot be read, or are not what they should be: no row is lost for it. */
class ChunkDamageTest {
  private static final int ROWS = 2000;

  @TempDir Path dir;

  private Configuration conf = conf("ribbon");

  private static Configuration conf(String filter) {
    return StoreFiles.conf(Map.of("winnow.filter", filter, "io.storefile.bloom.block.size", "512"));
  }

  private org.apache.hadoop.fs.Path write(ChecksumType checksum) throws IOException {
    return StoreFiles.write(
        dir,
        conf,
        BloomType.ROW,
        StoreFiles.context().withChecksumType(checksum).build(),
        StoreFiles.evenRows(ROWS));
  }

  private HStoreFile open(org.apache.hadoop.fs.Path path) throws IOException {
    return StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
  }

  private ChunkIndex indexOf(org.apache.hadoop.fs.Path path) throws IOException {
    HStoreFile file = open(path);
    HFile.Reader reader = file.getReader().getHFileReader();
    var meta = reader.getGeneralBloomFilterMetadata();
    assertEquals(FilterMeta.META_VERSION, meta.readInt());
    ChunkIndex index = FilterMeta.readAfterVersion(meta, Long.MAX_VALUE).index();
    file.closeStoreFile(true);
    return index;
  }

  private static void flip(org.apache.hadoop.fs.Path path, long offset, int mask)
      throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toUri().getPath(), "rw")) {
      file.seek(offset);
      int value = file.read();
      file.seek(offset);
      file.write(value ^ mask);
    }
  }

  /** The number of absent rows that pass, after every present one did. */
  private static int probeAll(HStoreFile file, int step) {
    int passed = 0;
    for (int i = 0; i < ROWS; i += step) {
      assertTrue(StoreFileDoor.passes(file.getReader(), row(2 * i), null), "row " + i);
      passed += StoreFileDoor.passes(file.getReader(), row(2 * i + 1), null) ? 1 : 0;
    }
    assertInstanceOf(
        WinnowFilterReader.class, StoreFileDoor.generalFilter(file.getReader()), "still in use");
    return passed;
  }

  /** What HBase itself refuses to load; stock code would now drop the whole filter. */
  @Test
  void chunkThatCannotBeLoadedIsAnsweredForAndTriedAgain() throws IOException {
    var path = write(ChecksumType.CRC32C);
    ChunkIndex index = indexOf(path);
    assertTrue(index.size() > 3, "several chunks");
    flip(path, index.offset(1), 0xFF); // the block's magic
    HStoreFile file = open(path);
    try (LogLines log = new LogLines(WinnowFilterReader.class)) {
      int passed = probeAll(file, 1);
      int inChunk = index.keyCount(1);
      assertTrue(passed >= inChunk - 1 && passed < inChunk + 0.05 * ROWS, "passed: " + passed);
      assertEquals(2, log.all().size(), String.valueOf(log.all())); // the first time, the pause
      assertEquals(0, log.errors().size());
      flip(path, index.offset(1), 0xFF);
      long start = System.nanoTime();
      int passedThen = passed;
      // In the round in which it is loaded, some were answered for before.
      while (passedThen >= 0.05 * ROWS && System.nanoTime() - start < 60_000_000_000L) {
        passedThen = probeAll(file, 1);
      }
      assertTrue(passedThen < 0.05 * ROWS, "passed: " + passedThen);
      assertEquals(3, log.all().size(), String.valueOf(log.all()));
    }
    file.closeStoreFile(true);
  }

  /** Without HBase's checksums it is the image's own, of header and payload, that find it. */
  @ParameterizedTest
  @ValueSource(strings = {"ribbon", "quotient"})
  void everyFlippedByteOfAnImageIsAnsweredWithTrue(String filter) throws IOException {
    conf = conf(filter);
    var path = write(ChecksumType.NULL);
    ChunkIndex index = indexOf(path);
    long image = index.offset(2) + HConstants.HFILEBLOCK_HEADER_SIZE;
    int size = index.imageSizeInBytes(2);
    for (int at = 0; at < size; at += at < FilterHeader.SIZE_IN_BYTES ? 1 : 7) {
      flip(path, image + at, 1 << at % 8);
      HStoreFile file = open(path);
      try (LogLines log = new LogLines(WinnowFilterReader.class)) {
        int passed = probeAll(file, 3);
        assertTrue(passed >= (index.keyCount(2) - 1) / 3, "byte " + at + " passed " + passed);
        assertEquals(1, log.errors().size(), String.valueOf(log.errors()));
      }
      file.closeStoreFile(true);
      flip(path, image + at, 1 << at % 8);
    }
  }

  /** A well-formed chunk of the same shape, but not the one that the index tells of. */
  @Test
  void chunkInTheWrongPlaceIsRefused() throws IOException {
    var path = write(ChecksumType.NULL);
    ChunkIndex index = indexOf(path);
    int into = 0; // seeds are drawn, so that not all chunks are of one size
    int other = 1;
    while (index.onDiskSize(into) != index.onDiskSize(other)) {
      other++;
      if (other == index.size()) {
        into++;
        other = into + 1;
      }
    }
    assertEquals(index.keyCount(into), index.keyCount(other));
    try (RandomAccessFile file = new RandomAccessFile(path.toUri().getPath(), "rw")) {
      byte[] chunk = new byte[index.onDiskSize(other)];
      file.seek(index.offset(other));
      file.readFully(chunk);
      file.seek(index.offset(into));
      file.write(chunk);
    }
    HStoreFile file = open(path);
    try (LogLines log = new LogLines(WinnowFilterReader.class)) {
      int passed = probeAll(file, 1);
      assertTrue(passed >= index.keyCount(into) - 1, "passed: " + passed);
      assertEquals(1, log.errors().size());
    }
    file.closeStoreFile(true);
  }

  /** Every byte of the meta block as it stands in the file, block header included. */
  @Test
  void damagedMetaInTheFileLosesTheFilterButNoRow() throws IOException {
    var path = write(ChecksumType.NULL);
    byte[] bytes = java.nio.file.Files.readAllBytes(Path.of(path.toUri()));
    int at = 0;
    while (bytes[at] != 'W'
        || bytes[at + 1] != 'I'
        || bytes[at + 2] != 'N'
        || bytes[at + 3] != '1') {
      at++;
    }
    int length = bytes[at + 4] & 0xFF | (bytes[at + 5] & 0xFF) << 8;
    for (int i = 0; i < length; i += 1 + i / 40) {
      flip(path, at + i, 0x41);
      HStoreFile file = open(path);
      assertNull(StoreFileDoor.generalFilter(file.getReader()), "byte " + i);
      assertTrue(StoreFileDoor.passes(file.getReader(), row(1), null));
      file.closeStoreFile(true);
      flip(path, at + i, 0x41);
    }
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
  void offHeapBlocksAreProbedInPlaceAndReleased(String filter, int bufferSize) throws IOException {
    conf = conf(filter);
    var path = write(ChecksumType.CRC32C);
    Configuration pooled = new Configuration(false);
    pooled.setInt(ByteBuffAllocator.BUFFER_SIZE_KEY, bufferSize);
    pooled.setInt(ByteBuffAllocator.MAX_BUFFER_COUNT_KEY, 200);
    pooled.setInt(ByteBuffAllocator.MIN_ALLOCATE_SIZE_KEY, 1);
    ByteBuffAllocator allocator = ByteBuffAllocator.create(pooled, true);
    CacheConfig cacheConf = new CacheConfig(conf, null, null, allocator);
    HStoreFile file =
        StoreFiles.open(conf, cacheConf, path, BloomType.ROW, new BloomFilterMetrics());
    long heapBefore = allocator.getHeapAllocationBytes();
    int passed = probeAll(file, 1);
    assertTrue(passed < 0.03 * ROWS, "passed: " + passed);
    assertTrue(allocator.getUsedBufferCount() > 0, "some were taken");
    assertEquals(allocator.getUsedBufferCount(), allocator.getFreeBufferCount(), "all given back");
    assertTrue(allocator.getPoolAllocationBytes() > 0, "off heap indeed");
    assertEquals(heapBefore, allocator.getHeapAllocationBytes());
    file.closeStoreFile(true);
  }
}
