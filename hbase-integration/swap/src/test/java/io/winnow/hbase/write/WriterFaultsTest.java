package io.winnow.hbase.write;

import static io.winnow.hbase.StoreFiles.put;
import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.hbase.LogLines;
import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.Thrown;
import io.winnow.hbase.format.ChunkIndex;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.hooks.WinnowHooks;
import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.WinnowSettings;
import io.winnow.hbase.settings.WrongSettingException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.InlineBlockWriter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What fails while a filter is made: the file goes on without one, and no half of one is believed.
 */
class WriterFaultsTest {
  @TempDir Path dir;

  private final Configuration conf =
      StoreFiles.conf(Map.of("winnow.filter", "ribbon", "io.storefile.bloom.block.size", "128"));
  private final LogLines log = new LogLines(WinnowChunkWriter.class);
  private final LogLines hookLog = new LogLines(WinnowHooks.class);
  private int blocksWritten;
  private final long abandoned = WinnowMetricsDoor.abandoned.get();
  private final long failures = WinnowMetricsDoor.fallbacks(Fallback.FAILURE);

  @AfterEach
  void close() {
    log.close();
    hookLog.close();
  }

  private WinnowChunkWriter writer() throws WrongSettingException {
    return WinnowChunkWriter.of(
        WinnowSettings.of(conf, KeyKind.ROW), KeyKind.ROW, false, "none", 0, 1L << 30);
  }

  /** Adds so many rows, and has the chunks that are full written to nowhere. */
  private void addRows(WinnowChunkWriter writer, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      writer.append(put(row(i), "q"));
      writeBlocks(writer, false);
    }
  }

  private int writeBlocks(WinnowChunkWriter writer, boolean closing) throws IOException {
    int blocks = 0;
    while (writer.shouldWriteBlock(closing)) {
      DataOutputStream out = new DataOutputStream(OutputStream.nullOutputStream());
      writer.writeInlineBlock(out);
      writer.blockWritten(1000L * ++blocksWritten, 500, out.size());
      blocks++;
    }
    return blocks;
  }

  private static byte[] meta(WinnowChunkWriter writer) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    writer.getMetaWriter().write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  private static FilterMeta read(byte[] meta) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(meta));
    assertEquals(FilterMeta.META_VERSION, in.readInt());
    return FilterMeta.readAfterVersion(in, Long.MAX_VALUE);
  }

  private static KeyValue unreadable(Throwable fault) {
    return new KeyValue(put(row(1_000_000), "q")) {
      private static final long serialVersionUID = 1L;

      @Override
      public short getRowLength() {
        return Thrown.sneakily(fault);
      }
    };
  }

  @Test
  void faultOnTheNextChunksFirstKeyLeavesNoMeta() throws Exception {
    for (Supplier<Throwable> kind : Thrown.KINDS) {
      WinnowChunkWriter writer = writer();
      int limit = (int) WinnowSettings.of(conf, KeyKind.ROW).keyLimit();
      addRows(writer, 0, limit);
      writer.compactBloom();
      writeBlocks(writer, false);
      assertTrue(read(meta(writer)).keyCount() == limit, "all is well so far");
      KeyValue unreadable = unreadable(kind.get());
      writer.append(unreadable);
      assertSame(unreadable, writer.getPrevCell());
      assertEquals(0, writer.getKeyCount());
      assertEquals(0, writer.getMaxKeys());
      assertEquals(0, writer.getByteSize());
      assertThrows(FilterFormatException.class, () -> read(meta(writer)), kind.get().toString());
      addRows(writer, limit, 3 * limit);
      writer.compactBloom();
      assertFalse(writer.shouldWriteBlock(true));
      assertThrows(FilterFormatException.class, () -> read(meta(writer)));
    }
    assertEquals(Thrown.KINDS.size(), WinnowMetricsDoor.abandoned.get() - abandoned);
    assertEquals(Thrown.KINDS.size(), log.errors().size());
  }

  @Test
  void keysThatNoChunkHasLeaveNoMeta() throws Exception {
    WinnowChunkWriter writer = writer();
    addRows(writer, 0, 300);
    writer.compactBloom();
    assertTrue(writeBlocks(writer, false) > 0);
    writer.append(put(row(301), "q"));
    assertThrows(FilterFormatException.class, () -> read(meta(writer)));
    assertEquals(1, WinnowMetricsDoor.abandoned.get() - abandoned);
  }

  @Test
  void chunkThatWaitsForItsBlockLeavesNoMeta() throws Exception {
    WinnowChunkWriter writer = writer();
    addRows(writer, 0, 300);
    writer.compactBloom();
    assertTrue(writeBlocks(writer, false) > 0);
    writer.append(put(row(301), "q"));
    writer.compactBloom();
    assertEquals(Integer.BYTES, meta(writer).length, "the version alone");
    assertEquals(1, WinnowMetricsDoor.abandoned.get() - abandoned);
  }

  /** However long HBase does not ask for blocks. */
  @Test
  void fullChunksHaveAsManyKeysAsTheyMay() throws Exception {
    WinnowChunkWriter writer = writer();
    int limit = (int) WinnowSettings.of(conf, KeyKind.ROW).keyLimit();
    for (int i = 0; i < 2 * limit + 1; i++) {
      writer.append(put(row(i), "q"));
    }
    writer.compactBloom();
    assertEquals(3, writeBlocks(writer, true));
    ChunkIndex index = read(meta(writer)).index();
    assertEquals(limit, index.keyCount(0));
    assertEquals(limit, index.keyCount(1));
    assertEquals(1, index.keyCount(2));
  }

  @Test
  void rateIsTheMeanOfTheChunks() throws Exception {
    for (String rate : new String[] {"0.1", "0.01"}) {
      conf.set("io.storefile.bloom.error.rate", rate);
      WinnowChunkWriter writer = writer();
      addRows(writer, 0, 2000);
      writer.compactBloom();
      writeBlocks(writer, true);
      FilterMeta meta = read(meta(writer));
      assertEquals(Double.parseDouble(rate), meta.configuredRate(), 1e-12);
      assertTrue(meta.estimatedRate() <= 1.001 * meta.configuredRate(), meta.toString());
      assertTrue(meta.estimatedRate() > 0.3 * meta.configuredRate(), meta.toString());
    }
  }

  @Test
  void chunksAndKeysThatWereBuiltAreCounted() throws Exception {
    long chunks = WinnowMetricsDoor.chunksBuilt.get();
    long keys = WinnowMetricsDoor.keysBuilt.get();
    WinnowChunkWriter writer = writer();
    addRows(writer, 0, 1000);
    writer.compactBloom();
    writeBlocks(writer, true);
    assertEquals(1000, WinnowMetricsDoor.keysBuilt.get() - keys);
    FilterMeta meta = read(meta(writer));
    assertEquals(meta.index().size(), WinnowMetricsDoor.chunksBuilt.get() - chunks);
  }

  /** Cells whose memory cannot be copied before HBase takes it back must not be compared later. */
  @Test
  void previousCellThatCannotBeCopiedIsForgotten() throws Exception {
    for (Supplier<Throwable> kind : Thrown.KINDS) {
      WinnowChunkWriter writer = writer();
      writer.append(put(row(1), "q"));
      writer.append(
          new KeyValue(put(row(2), "q")) {
            private static final long serialVersionUID = 1L;

            @Override
            public int getQualifierLength() {
              return Thrown.sneakily(kind.get());
            }
          });
      writer.beforeShipped();
      assertNull(writer.getPrevCell());
      assertEquals(0, writer.getKeyCount());
      writer.append(put(row(3), "q"));
      assertTrue(CellUtil.matchingRows(put(row(3), "q"), writer.getPrevCell()));
    }
  }

  @Test
  void streamThatFailsIsHBasesToSeeAndOtherFaultsAreOurs() throws Exception {
    for (Supplier<Throwable> kind : Thrown.KINDS) {
      WinnowChunkWriter writer = writer();
      addRows(writer, 0, 10);
      writer.compactBloom();
      assertTrue(writer.shouldWriteBlock(true));
      DataOutputStream out =
          new DataOutputStream(OutputStream.nullOutputStream()) {
            @Override
            public synchronized void write(byte[] bytes, int offset, int length) {
              Thrown.sneakily(kind.get());
            }
          };
      if (kind.get() instanceof IOException) {
        assertThrows(IOException.class, () -> writer.writeInlineBlock(out));
        continue;
      }
      writer.writeInlineBlock(out);
      writer.blockWritten(1, 2, 3);
      assertFalse(writer.shouldWriteBlock(true));
      assertThrows(FilterFormatException.class, () -> read(meta(writer)));
      writer.getMetaWriter().write(out);
    }
  }

  /** A file's writer that knows our chunk writer already gets nothing from it. */
  @Test
  void writerThatWasRegisteredBeforeTheFaultStaysEmpty() throws Exception {
    for (Supplier<Throwable> kind : Thrown.KINDS) {
      List<InlineBlockWriter> registered = new ArrayList<>();
      HFile.Writer file = fileWriter(registered, kind);
      Object stock =
          WinnowHooks.generalWriter(conf, new CacheConfig(conf), BloomType.ROW, 100, file);
      assertTrue(stock == null || !(stock instanceof WinnowChunkWriter), kind.get().toString());
      WinnowChunkWriter ours = assertInstanceOf(WinnowChunkWriter.class, registered.get(0));
      ours.append(put(row(1), "q"));
      ours.compactBloom();
      assertEquals(0, ours.getKeyCount());
      assertFalse(ours.shouldWriteBlock(false));
      assertFalse(ours.shouldWriteBlock(true));
    }
    assertTrue(WinnowMetricsDoor.fallbacks(Fallback.FAILURE) - failures >= Thrown.KINDS.size());
    assertEquals(abandoned, WinnowMetricsDoor.abandoned.get());
  }

  /** A file's writer that fails once it has registered a writer of inline blocks. */
  private HFile.Writer fileWriter(List<InlineBlockWriter> registered, Supplier<Throwable> fault) {
    return (HFile.Writer)
        Proxy.newProxyInstance(
            WriterFaultsTest.class.getClassLoader(),
            new Class<?>[] {HFile.Writer.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "addInlineBlockWriter" -> {
                    registered.add((InlineBlockWriter) arguments[0]);
                    if (registered.size() > 1) {
                      yield null;
                    }
                    Throwable thrown = fault.get();
                    yield Thrown.sneakily(
                        thrown instanceof Exception && !(thrown instanceof RuntimeException)
                            ? new InvocationTargetException(thrown)
                            : thrown);
                  }
                  case "getFileContext" -> StoreFiles.context().build();
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> proxy == arguments[0];
                  default -> null;
                });
  }

  /** A configuration that cannot be read: the file gets what HBase gives it. */
  @Test
  void whateverAHookMeetsTheFileIsWritten() throws Exception {
    for (Supplier<Throwable> kind : Thrown.KINDS) {
      var path = StoreFiles.write(dir, broken(kind), BloomType.ROW, StoreFiles.mixedRows(300));
      HStoreFile file = StoreFiles.open(conf, path, BloomType.ROW, new BloomFilterMetrics());
      assertFalse(file.getReader().getGeneralBloomFilter() instanceof WinnowFilterReader);
      assertTrue(file.getReader().getGeneralBloomFilter() != null, "the stock one");
      file.closeStoreFile(true);
    }
    assertEquals(
        Thrown.KINDS.size(),
        WinnowMetricsDoor.fallbacks(Fallback.FAILURE) - failures,
        "each file once, though it has two filters");
  }

  /** What fails at each flush fills no log. */
  @Test
  void repeatedFailureIsSaidOnceAndThenWithItsCount() throws Exception {
    WinnowHooks.FAILURES.forget();
    writeWithABrokenHook(new IllegalStateException("one"));
    writeWithABrokenHook(new IllegalStateException("two"));
    writeWithABrokenHook(new IllegalStateException("three"));
    assertEquals(1, hookLog.errors().size(), hookLog.errors().toString());
    assertFalse(hookLog.errors().get(0).contains("more files"), hookLog.errors().get(0));
    writeWithABrokenHook(new NoSuchMethodError("another kind"));
    assertEquals(2, hookLog.errors().size(), hookLog.errors().toString());
    WinnowHooks.FAILURES.expire();
    writeWithABrokenHook(new IllegalStateException("four"));
    assertEquals(3, hookLog.errors().size(), hookLog.errors().toString());
    assertTrue(
        hookLog.errors().get(2).endsWith(", and was for 2 more files since the last line"),
        hookLog.errors().get(2));
    assertEquals(5, WinnowMetricsDoor.fallbacks(Fallback.FAILURE) - failures);
  }

  private void writeWithABrokenHook(Throwable fault) throws IOException {
    StoreFiles.write(dir, broken(() -> fault), BloomType.ROW, StoreFiles.mixedRows(300));
  }

  private Configuration broken(Supplier<Throwable> kind) {
    return new Configuration(conf) {
      @Override
      public String getTrimmed(String name, String otherwise) {
        return name.startsWith("winnow.")
            ? Thrown.sneakily(kind.get())
            : super.getTrimmed(name, otherwise);
      }
    };
  }

  /** What HBase hands in may be any kind of cell. */
  @Test
  void cellThatCannotBeTakenCostsTheFilterOnly() throws Exception {
    WinnowChunkWriter writer = writer();
    writer.append((Cell) null);
    assertEquals(0, writer.getKeyCount());
    assertNull(writer.getPrevCell());
    assertEquals(1, WinnowMetricsDoor.abandoned.get() - abandoned);
  }
}
