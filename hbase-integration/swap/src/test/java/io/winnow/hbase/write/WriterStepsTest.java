package io.winnow.hbase.write;

import static io.winnow.hbase.StoreFiles.put;
import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.settings.WinnowSettings;
import io.winnow.hbase.settings.WrongSettingException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Step by step, what a chunk writer tells HBase, holds, and leaves behind. */
class WriterStepsTest {
  private final Configuration conf =
      StoreFiles.conf(Map.of("winnow.filter", "ribbon", "io.storefile.bloom.block.size", "128"));

  private WinnowChunkWriter writer(boolean cacheOnWrite) throws WrongSettingException {
    return WinnowChunkWriter.of(
        WinnowSettings.of(conf, KeyKind.ROW), KeyKind.ROW, cacheOnWrite, "none", 0, 1L << 30);
  }

  private int limit() throws WrongSettingException {
    return (int) WinnowSettings.of(conf, KeyKind.ROW).keyLimit();
  }

  private static void add(WinnowChunkWriter writer, int from, int to) {
    for (int i = from; i < to; i++) {
      writer.append(put(row(i), "q"));
    }
  }

  private static int writeBlocks(WinnowChunkWriter writer, boolean closing) throws IOException {
    int blocks = 0;
    for (; writer.shouldWriteBlock(closing); blocks++) {
      DataOutputStream out = new DataOutputStream(OutputStream.nullOutputStream());
      writer.writeInlineBlock(out);
      writer.blockWritten(1000L * (1 + blocks), 500, out.size());
    }
    return blocks;
  }

  private static FilterMeta meta(WinnowChunkWriter writer) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    writer.getMetaWriter().write(new DataOutputStream(bytes));
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    assertEquals(FilterMeta.META_VERSION, in.readInt());
    return FilterMeta.readAfterVersion(in, Long.MAX_VALUE);
  }

  @Test
  void chunkIsReadyWithItsLastKeyAndNotBefore() throws Exception {
    WinnowChunkWriter writer = writer(false);
    add(writer, 0, limit() - 1);
    assertFalse(writer.shouldWriteBlock(false));
    add(writer, limit() - 1, limit());
    assertEquals(1, writeBlocks(writer, false));
    assertFalse(writer.shouldWriteBlock(true));
    assertEquals(limit(), meta(writer).keyCount);
  }

  @Test
  void countsAreThoseOfTheChunks() throws Exception {
    long chunks = WinnowMetricsDoor.chunksBuilt.get();
    long keys = WinnowMetricsDoor.keysBuilt.get();
    WinnowChunkWriter writer = writer(false);
    add(writer, 0, 2 * limit() + 1); // however long HBase does not ask for blocks
    assertEquals(2 * limit() + 1, writer.getKeyCount());
    writer.compactBloom();
    assertEquals(3, writeBlocks(writer, true));
    assertEquals(3, WinnowMetricsDoor.chunksBuilt.get() - chunks);
    assertEquals(2 * limit() + 1, WinnowMetricsDoor.keysBuilt.get() - keys);
    FilterMeta meta = meta(writer);
    for (int chunk = 0; chunk < 3; chunk++) {
      assertEquals(chunk < 2 ? limit() : 1, meta.index.keyCount(chunk));
    }
    assertEquals(2 * limit() + 1, meta.keyCount);
    assertEquals(meta.keyLimit, writer.getMaxKeys());
    assertTrue(writer.getMaxKeys() > 2 * limit(), writer.getMaxKeys() + " keys");
    assertEquals(meta.imageBytes, writer.getByteSize());
    assertTrue(writer.getByteSize() > 0);
  }

  /** As of rows: a row that is its own prefix opens a chunk, and is asked about there as both. */
  @Test
  void prefixThatIsARowIsInTheChunkThatThisRowOpensOnceMore() throws Exception {
    conf.set("winnow.scan.prefix", "4");
    WinnowChunkWriter writer = writer(false);
    for (int i = 0; i < limit() - 3; i++) {
      writer.append(put(Bytes.toBytes(String.format(Locale.ROOT, "0000-%05d", i)), "q"));
    }
    writer.append(put(Bytes.toBytes("zzzz"), "a"));
    assertTrue(writer.shouldWriteBlock(false), "its prefix and itself fill the chunk");
    writer.append(put(Bytes.toBytes("zzzz"), "b"));
    writer.append(put(Bytes.toBytes("zzzz-1"), "a"));
    assertEquals(2, writeBlocks(writer, true));
    FilterMeta meta = meta(writer);
    byte[] prefix = Bytes.toBytes("zzzz");
    assertEquals(1, meta.index.chunkOf(prefix, 0, prefix.length));
    assertEquals(2, meta.prefixes.in(0));
    assertEquals(1, meta.prefixes.in(1));
  }

  @Test
  void prefixThatHasNoRoomBesideItsRowOpensTheNextChunk() throws Exception {
    conf.set("winnow.scan.prefix", "4");
    WinnowChunkWriter writer = writer(false);
    for (int i = 0; i < limit() - 2; i++) {
      writer.append(put(Bytes.toBytes(String.format(Locale.ROOT, "0000-%05d", i)), "q"));
    }
    assertFalse(writer.shouldWriteBlock(false), "one more row has room");
    writer.append(put(Bytes.toBytes("zzzz-1"), "q"));
    writer.append(put(Bytes.toBytes("zzzz-2"), "q"));
    assertEquals(2, writeBlocks(writer, true));
    FilterMeta meta = meta(writer);
    assertEquals(limit() - 2, meta.index.keyCount(0));
    assertEquals(1, meta.prefixes.in(0));
    assertEquals(2, meta.index.keyCount(1));
    assertEquals(1, meta.prefixes.in(1));
  }

  /** A reader refuses a meta block with more. */
  @Test
  void chunkHasAtMostHalfAsManyPrefixesAsRows() throws Exception {
    conf.set("winnow.scan.prefix", "4");
    for (int rows = 2; rows <= 3; rows++) {
      WinnowChunkWriter writer = writer(false);
      for (int i = 0; i < rows; i++) {
        writer.append(put(Bytes.toBytes("000" + i / 2 + "-" + i), "q"));
      }
      writer.compactBloom();
      assertEquals(1, writeBlocks(writer, true));
      assertEquals(rows == 3, meta(writer).prefixes.areLeftOutOf(0), "1 of 2, and 2 of 3");
    }
  }

  /** The search finds the last chunk that begins with a row, so that one has to have it. */
  @Test
  void rowThatIsRepeatedAfterACutIsInBothChunks() throws Exception {
    WinnowChunkWriter writer = writer(false);
    add(writer, 0, limit());
    for (String column : new String[] {"r", "s", "t"}) {
      writer.append(put(row(limit() - 1), column));
    }
    writer.append(put(row(limit()), "q"));
    writer.compactBloom();
    assertEquals(2, writeBlocks(writer, true));
    ChunkIndex index = meta(writer).index;
    assertEquals(limit(), index.keyCount(0));
    assertEquals(2, index.keyCount(1));
  }

  @Test
  void cachingIsTheFilesToSay() throws Exception {
    assertTrue(writer(true).getCacheOnWrite());
    assertFalse(writer(false).getCacheOnWrite());
  }

  @Test
  void rateIsTheMeanOfTheChunks() throws Exception {
    for (String rate : new String[] {"0.1", "0.01"}) {
      conf.set("io.storefile.bloom.error.rate", rate);
      WinnowChunkWriter writer = writer(false);
      add(writer, 0, 2000);
      writer.compactBloom();
      writeBlocks(writer, true);
      FilterMeta meta = meta(writer);
      assertEquals(Double.parseDouble(rate), meta.configuredRate, 1e-12);
      String rates = meta.estimatedRate + " of " + meta.configuredRate;
      assertTrue(meta.estimatedRate <= 1.001 * meta.configuredRate, rates);
      assertTrue(meta.estimatedRate > 0.3 * meta.configuredRate, rates);
    }
  }

  @Test
  void memoryIsGivenBackWhereverItEnds() throws Exception {
    OpenWritersTest.awaitNothingHeld();
    WinnowChunkWriter discarded = writer(false);
    add(discarded, 0, 10);
    assertTrue(BuildMemory.bytesInUse() > 0);
    discarded.discard();
    OpenWritersTest.awaitNothingHeld();
    assertEquals(0, discarded.getKeyCount(), "another filter is made");

    WinnowChunkWriter empty = writer(false);
    empty.compactBloom();
    assertFalse(empty.shouldWriteBlock(true));
    OpenWritersTest.awaitNothingHeld();
    assertEquals(0, empty.getKeyCount());

    WinnowChunkWriter written = writer(false);
    add(written, 0, 3 * limit());
    written.compactBloom();
    writeBlocks(written, true);
    assertTrue(BuildMemory.bytesInUse() > 0, "the index is there");
    assertEquals(3 * limit(), meta(written).keyCount);
    OpenWritersTest.awaitNothingHeld();
    assertEquals(3 * limit(), written.getKeyCount(), "its last block is written");
  }
}
