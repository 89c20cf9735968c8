package io.winnow.hbase.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.base.KeyBuffer;
import io.winnow.hbase.LogLines;
import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.WinnowSettings;
import io.winnow.hbase.settings.WrongSettingException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.ByteBufferKeyValue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Chunks of few keys, so that there are many cuts, and keys repeated wherever. */
class ChunkCutTest {
  @TempDir Path dir;

  private static Configuration conf(int blockSize) {
    return conf("ribbon", blockSize);
  }

  private static Configuration conf(String filter, int blockSize) {
    return StoreFiles.conf(
        Map.of("winnow.filter", filter, "io.storefile.bloom.block.size", "" + blockSize));
  }

  /** Writes the cells, and each one's key into the filter, repeats too, as no store file would. */
  private WinnowFilterReader write(Configuration conf, KeyKind kind, List<? extends Cell> cells)
      throws IOException, WrongSettingException {
    var path = new org.apache.hadoop.fs.Path(dir.resolve("cut").toUri());
    FileSystem fs = FileSystem.getLocal(conf).getRaw();
    fs.delete(path, false);
    CacheConfig cacheConf = new CacheConfig(conf);
    WinnowChunkWriter chunks =
        WinnowChunkWriter.of(WinnowSettings.of(conf, kind), kind, false, "cut", 0, Long.MAX_VALUE);
    try (HFile.Writer writer =
        HFile.getWriterFactory(conf, cacheConf)
            .withPath(fs, path)
            .withFileContext(StoreFiles.context().withBlockSize(256).build())
            .create()) {
      writer.addInlineBlockWriter(chunks);
      for (Cell cell : cells) {
        chunks.append(cell);
        writer.append(cell);
        if (cell.getRowLength() % 3 == 0) {
          chunks.beforeShipped(); // as in a compaction, where cells' memory is given back
        }
      }
      writer.addGeneralBloomFilter(chunks);
    }
    HFile.Reader reader = HFile.createReader(fs, path, cacheConf, true, conf);
    return assertInstanceOf(
        WinnowFilterReader.class,
        BloomFilterFactory.createFromMeta(reader.getGeneralBloomFilterMetadata(), reader));
  }

  private static void assertFound(WinnowFilterReader filter, KeyKind kind, Cell cell) {
    if (kind.hasQualifier()) {
      assertTrue(filter.contains(cell, null, BloomType.ROWCOL), cell.toString());
    } else {
      byte[] row = CellUtil.cloneRow(cell);
      assertTrue(filter.contains(row, 0, row.length, null), cell.toString());
      assertTrue(filter.contains(cell, null, BloomType.ROW), cell.toString());
    }
  }

  private static Cell offHeap(KeyValue cell) {
    ByteBuffer direct = ByteBuffer.allocateDirect(cell.getLength() + 3);
    direct.position(3).put(cell.getBuffer(), cell.getOffset(), cell.getLength()).flip();
    return new ByteBufferKeyValue(direct, 3, cell.getLength());
  }

  @ParameterizedTest
  @CsvSource({
    "ribbon, ROW, 128",
    "ribbon, ROW, 400",
    "ribbon, ROWCOL, 128",
    "ribbon, ROWCOL, 300",
    "ribbon, DELETE_FAMILY, 200",
    "quotient, ROW, 128",
    "quotient, ROWCOL, 300",
    "quotient, DELETE_FAMILY, 400"
  })
  void everyKeyIsFoundHoweverItIsRepeated(String name, KeyKind kind, int blockSize)
      throws Exception {
    for (int round = 0; round < 15; round++) {
      long seed = System.nanoTime();
      Random random = new Random(seed);
      List<Cell> cells = new ArrayList<>();
      byte[] row = new byte[0];
      while (cells.size() < 700) {
        row = next(row, random);
        byte[] qualifier = new byte[0];
        for (int columns = random.nextInt(4); columns >= 0; columns--) {
          KeyValue cell = new KeyValue(row, StoreFiles.FAMILY, qualifier, 1L, row);
          for (int repeats = random.nextInt(10) == 0 ? 80 : 1; repeats > 0; repeats--) {
            cells.add(random.nextBoolean() ? cell : offHeap(cell));
          }
          qualifier = next(qualifier, random);
        }
      }
      WinnowFilterReader filter = write(conf(name, blockSize), kind, cells);
      for (Cell cell : cells) {
        assertFound(filter, kind, cell);
      }
      assertTrue(filter.getMaxKeys() >= filter.getKeyCount(), "seed " + seed);
    }
  }

  /** A byte string that is greater, often by one byte appended, bytes over 0x7F among them. */
  private static byte[] next(byte[] before, Random random) {
    if (before.length < 5 || before.length < 60 && random.nextInt(3) == 0) {
      return Bytes.add(before, new byte[] {(byte) random.nextInt(128)});
    }
    int at = before.length - 1;
    while (at > 0 && before[at] == -1) {
      at--;
    }
    byte[] after = java.util.Arrays.copyOf(before, at + 1);
    after[at]++;
    return after;
  }

  @ParameterizedTest
  @CsvSource({"ribbon, 128", "quotient, 300"})
  void keyThatStraddlesEveryCutIsFound(String name, int blockSize) throws Exception {
    Configuration conf = conf(name, blockSize);
    int limit = (int) WinnowSettings.of(conf, KeyKind.ROW).keyLimit();
    for (int before = limit - 3; before <= limit + 3; before++) {
      List<KeyValue> cells = new ArrayList<>();
      for (int i = 0; i < before; i++) {
        cells.add(StoreFiles.put(StoreFiles.row(i), "q"));
      }
      for (int i = 0; i < 5; i++) {
        cells.add(StoreFiles.put(StoreFiles.row(before), "q")); // around the cut
      }
      for (int i = 1; i < 3 * limit; i++) {
        cells.add(StoreFiles.put(StoreFiles.row(before + i), "q"));
      }
      WinnowFilterReader filter = write(conf, KeyKind.ROW, cells);
      for (KeyValue cell : cells) {
        assertFound(filter, KeyKind.ROW, cell);
      }
    }
  }

  /** 500 million keys would fit: more than 10 GB of heap to build. */
  @ParameterizedTest
  @CsvSource({"ribbon, rate", "ribbon, lindorm", "bumped-ribbon, rate", "quotient, rate"})
  void hugeBlockSizeDoesNotMakeHugeChunks(String filter, String sizing) throws Exception {
    Configuration conf =
        StoreFiles.conf(
            Map.of(
                "winnow.filter",
                filter,
                "winnow.ribbon.sizing",
                sizing,
                "io.storefile.bloom.error.rate",
                "0.5",
                "io.storefile.bloom.block.size",
                "67108864"));
    assertEquals(1 << 22, WinnowSettings.of(conf, KeyKind.ROW).keyLimit());
  }

  @Test
  void allKeysEqualMakeOneKey() throws Exception {
    List<KeyValue> cells = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      cells.add(StoreFiles.put(StoreFiles.row(1), "q"));
    }
    WinnowFilterReader filter = write(conf(128), KeyKind.ROW, cells);
    assertFound(filter, KeyKind.ROW, cells.get(0));
    assertEquals(1, filter.getKeyCount());
  }

  /** Questions that the file was not made for must not be answered with a no. */
  @Test
  void otherKindsOfQuestionsAreAnsweredWithTrue() throws Exception {
    List<KeyValue> cells = List.of(StoreFiles.put(StoreFiles.row(5), "q"));
    byte[] absent = StoreFiles.row(7);
    WinnowFilterReader rows = write(conf(4096), KeyKind.ROW, cells);
    assertTrue(rows.contains(StoreFiles.put(absent, "z"), null, BloomType.ROWCOL));
    WinnowFilterReader columns = write(conf(4096), KeyKind.ROWCOL, cells);
    assertTrue(columns.contains(absent, 0, absent.length, null));
    assertTrue(columns.contains(StoreFiles.put(absent, "z"), null, BloomType.ROW));
  }

  @Test
  void previousCellOutlivesTheMemoryItCameFrom() throws Exception {
    WinnowChunkWriter chunks =
        WinnowChunkWriter.of(
            WinnowSettings.of(conf(4096), KeyKind.ROWCOL),
            KeyKind.ROWCOL,
            true,
            "none",
            0,
            Long.MAX_VALUE);
    KeyValue cell = StoreFiles.put(StoreFiles.row(1), "q");
    ByteBuffer memory = ByteBuffer.allocateDirect(cell.getLength());
    memory.put(cell.getBuffer(), cell.getOffset(), cell.getLength()).flip();
    chunks.append((Cell) new ByteBufferKeyValue(memory, 0, memory.limit()));
    chunks.beforeShipped();
    memory.put(new byte[memory.capacity()]);
    assertTrue(CellUtil.matchingRowColumn(cell, chunks.getPrevCell()));
    assertEquals(1, chunks.getKeyCount());
    assertTrue(chunks.getCacheOnWrite());
  }

  /** A filter that cannot be finished must look like none at all, whoever asks. */
  @Test
  void filterThatIsGivenUpIsRefusedByReaders() throws Exception {
    WinnowChunkWriter chunks =
        WinnowChunkWriter.of(
            WinnowSettings.of(conf(4096), KeyKind.ROW),
            KeyKind.ROW,
            false,
            "none",
            0,
            Long.MAX_VALUE);
    chunks.append((Cell) StoreFiles.put(StoreFiles.row(1), "q"));
    chunks.compactBloom();
    assertEquals(1, chunks.getKeyCount());
    ByteArrayOutputStream meta = new ByteArrayOutputStream();
    try (LogLines log = new LogLines(WinnowChunkWriter.class)) {
      chunks.getMetaWriter().write(new DataOutputStream(meta)); // no chunk was written before it
      assertEquals(1, log.errors().size());
    }
    assertEquals(0, chunks.getKeyCount());
    assertFalse(chunks.shouldWriteBlock(true));
    chunks.append((Cell) StoreFiles.put(StoreFiles.row(2), "q"));
    assertFalse(chunks.shouldWriteBlock(true));
    assertNotNull(chunks.getPrevCell());
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(meta.toByteArray()));
    assertEquals(FilterMeta.META_VERSION, in.readInt());
    assertThrows(
        FilterFormatException.class, () -> FilterMeta.readAfterVersion(in, Long.MAX_VALUE));
  }

  /** Whoever fails, when the chunk is full or while it fills: the cells go on being written. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void chunkThatCannotBeBuiltStopsNoWriter(boolean whenFull) throws Exception {
    FilterSizing failing =
        new FilterSizing() {
          @Override
          public FilterType type() {
            return FilterType.RIBBON;
          }

          @Override
          public double rate() {
            return 0.01;
          }

          @Override
          public long keyLimit(long imageBytes) {
            return 4;
          }

          @Override
          public long expectedImageBytes(long keys) {
            return 64;
          }

          @Override
          public FilterImage build(KeyBuffer keys, KeyHash keyHash, boolean verified) {
            throw new OutOfMemoryError("no room for the image");
          }
        };
    WinnowChunkWriter chunks =
        WinnowChunkWriter.of(
            new WinnowSettings(failing, KeyHash.XXH3, KeyKind.ROW, true, 128),
            KeyKind.ROW,
            false,
            "none",
            0,
            Long.MAX_VALUE);
    if (!whenFull) {
      KeyValue unreadable =
          new KeyValue(StoreFiles.put(StoreFiles.row(0), "q")) {
            @Override
            public short getRowLength() {
              throw new IllegalStateException("no row");
            }
          };
      try (LogLines log = new LogLines(WinnowChunkWriter.class)) {
        chunks.append((Cell) unreadable);
        assertEquals(1, log.errors().size());
      }
      assertFalse(chunks.shouldWriteBlock(true));
      return;
    }
    try (LogLines log = new LogLines(WinnowChunkWriter.class)) {
      for (int i = 0; i < 10; i++) {
        chunks.append((Cell) StoreFiles.put(StoreFiles.row(i), "q"));
      }
      assertEquals(1, log.errors().size());
    }
    assertEquals(0, chunks.getKeyCount());
    assertFalse(chunks.shouldWriteBlock(true));
    assertTrue(CellUtil.matchingRows(StoreFiles.put(StoreFiles.row(9), "q"), chunks.getPrevCell()));
  }
}
