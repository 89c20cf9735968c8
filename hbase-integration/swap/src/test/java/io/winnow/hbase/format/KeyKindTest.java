package io.winnow.hbase.format;

import static io.winnow.hbase.StoreFiles.put;
import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.hbase.LogLines;
import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.hooks.WinnowHooks;
import io.winnow.hbase.read.TamperedReader;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.WinnowSettings;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ByteBufferKeyValue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys of cells wherever they lie, and chunks that must be those that the meta block tells of. */
class KeyKindTest {
  @TempDir Path dir;

  /** In direct memory, in a heap buffer, and in a slice of one, each time behind other bytes. */
  private static Cell[] formsOf(KeyValue cell) {
    byte[] bytes =
        Arrays.copyOfRange(cell.getBuffer(), cell.getOffset(), cell.getOffset() + cell.getLength());
    byte[] large = new byte[bytes.length + 50];
    Arrays.fill(large, (byte) 0x55);
    System.arraycopy(bytes, 0, large, 31, bytes.length);
    ByteBuffer direct = ByteBuffer.allocateDirect(large.length).put(large).flip();
    ByteBuffer slice = ByteBuffer.wrap(large, 20, bytes.length + 15).slice();
    return new Cell[] {
      cell,
      new KeyValue(large, 31, bytes.length),
      new ByteBufferKeyValue(direct, 31, bytes.length),
      new ByteBufferKeyValue(ByteBuffer.wrap(large), 31, bytes.length),
      new ByteBufferKeyValue(slice, 11, bytes.length)
    };
  }

  @ParameterizedTest
  @EnumSource
  void memoryOfACellDoesNotMatter(KeyKind kind) {
    for (int length : new int[] {1, 30, 255, 256, 300, 600, 30_000}) {
      byte[] row = new byte[length];
      Arrays.fill(row, (byte) 'r');
      KeyValue cell = put(row, "qualifier");
      byte[] key = kind.indexKey(cell);
      byte[] padded = new byte[key.length + 10];
      System.arraycopy(key, 0, padded, 7, key.length);
      byte[] greater = kind.indexKey(put(Bytes.add(row, new byte[1]), "a"));
      byte[] smaller = kind.indexKey(put(Arrays.copyOf(row, length - 1), "z"));
      assertTrue(kind.isIndexKey(padded, 7, 7 + key.length));
      for (Cell form : formsOf(cell)) {
        assertEquals(kind.hash(KeyHash.XXH3, cell), kind.hash(KeyHash.XXH3, form));
        assertEquals(0, kind.compareToCell(padded, 7, 7 + key.length, form));
        assertTrue(kind.compareToCell(greater, 0, greater.length, form) > 0);
        assertTrue(kind.compareToCell(smaller, 0, smaller.length, form) < 0);
        assertTrue(Arrays.equals(key, kind.indexKey(form)));
      }
    }
  }

  /** Wherever the cell lies: bytes without a sign, and what is longer is greater. */
  @ParameterizedTest
  @EnumSource
  void indexKeysAreComparedAsHBaseDoes(KeyKind kind) {
    byte[][] names = {{1}, {1, 0}, {1, 5}, {1, 127}, {1, -128}, {1, -1}, {2}};
    for (int a = 0; a < names.length; a++) {
      for (int b = 0; b < names.length; b++) {
        byte[] rowKey = kind.indexKey(new KeyValue(names[a], StoreFiles.FAMILY, bytes("q")));
        byte[] columnKey = kind.indexKey(new KeyValue(bytes("row"), StoreFiles.FAMILY, names[a]));
        KeyValue row = new KeyValue(names[b], StoreFiles.FAMILY, bytes("q"));
        KeyValue column = new KeyValue(bytes("row"), StoreFiles.FAMILY, names[b]);
        int order = Integer.compare(a, b);
        for (Cell form : formsOf(row)) {
          assertEquals(order, Integer.signum(kind.compareToCell(rowKey, 0, rowKey.length, form)));
        }
        for (Cell form : formsOf(column)) {
          assertEquals(
              kind.hasQualifier() ? order : 0,
              Integer.signum(kind.compareToCell(columnKey, 0, columnKey.length, form)));
        }
      }
    }
  }

  /** A compaction reads cells from any memory: one prefix less than a file has costs its rows. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "4", "delimiter:-", "delimiter:-,2", "delimiter:0xFF"})
  void prefixOfACellIsThatOfItsRowWhereverItLies(String text) {
    PrefixRule rule = PrefixRule.parse(text);
    String[] rows = {
      "a", "abc", "abcd", "abcde", "abc-e-", "-", "ab-", "abd-c", "a--b-", "a\\xFF-z"
    };
    for (String name : rows) {
      byte[] row = Bytes.toBytesBinary(name);
      int length = rule.lengthIn(row, 0, row.length);
      byte[] prefix = length == PrefixRule.NONE ? null : Arrays.copyOf(row, length);
      for (Cell form : formsOf(put(row, "qualifier"))) {
        assertArrayEquals(prefix, rule.prefixOf(form), name);
        for (String other : rows) {
          byte[] start = Bytes.toBytesBinary(other);
          assertEquals(
              name.startsWith(other), PrefixRule.isPrefixOf(start, form), other + " of " + name);
        }
      }
    }
  }

  private static byte[] bytes(String text) {
    return Bytes.toBytes(text);
  }

  @Test
  void kindsAreNamedInMessages() {
    assertEquals("ROW", KeyKind.ROW.label);
    assertEquals("delete family", KeyKind.DELETE_FAMILY.label);
  }

  /** The row's length takes two bytes in the index. */
  @ParameterizedTest
  @ValueSource(strings = {"ribbon", "quotient"})
  void longRowsOfManyChunksAreFound(String filter) throws IOException {
    Configuration conf =
        StoreFiles.conf(Map.of("winnow.filter", filter, "io.storefile.bloom.block.size", "256"));
    int rows = 700;
    byte[][] names = new byte[rows][];
    for (int i = 0; i < rows; i++) {
      names[i] = Arrays.copyOf(row(i), 200 + i % 400); // zeros behind
    }
    var path =
        StoreFiles.write(
            dir,
            conf,
            BloomType.ROWCOL,
            writer -> {
              for (byte[] name : names) {
                writer.append(put(name, "a"));
                writer.append(put(name, "b"));
              }
            });
    HStoreFile file = StoreFiles.open(conf, path, BloomType.ROWCOL, new BloomFilterMetrics());
    assertTrue(file.getReader().getGeneralBloomFilter() instanceof WinnowFilterReader);
    for (byte[] name : names) {
      for (String column : new String[] {"a", "b"}) {
        assertTrue(StoreFileDoor.passes(file.getReader(), name, Bytes.toBytes(column)));
      }
    }
    file.closeStoreFile(true);
  }

  /** What a chunk says of itself must be what the meta block says of it, though the bytes match. */
  @Test
  void chunkOfAnotherKindIsNotBelieved() throws IOException {
    Configuration conf =
        StoreFiles.conf(Map.of("winnow.filter", "ribbon", "io.storefile.bloom.block.size", "512"));
    int rows = 2000;
    var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(rows));
    TamperedReader reader = TamperedReader.open(conf, new CacheConfig(conf), path);
    var stored = reader.getGeneralBloomFilterMetadata();
    stored.readInt();
    FilterMeta meta = FilterMeta.readAfterVersion(stored, Long.MAX_VALUE);
    try (LogLines log = new LogLines(WinnowFilterReader.class)) {
      assertTrue(passed(reader, meta, rows) < 0.05 * rows);
      assertEquals(0, log.all().size());
      FilterMeta[] others = {
        changed(meta, FilterType.QUOTIENT, meta.hash, meta.index),
        changed(meta, meta.type, KeyHash.MURMUR3, meta.index),
        changed(meta, meta.type, meta.hash, oneKeyMoved(meta.index)),
      };
      for (FilterMeta other : others) {
        int lines = log.errors().size();
        int passed = passed(reader, other, rows);
        int believed = other == others[2] ? meta.index.keyCount(0) * 2 : rows;
        assertTrue(passed >= believed - 2, passed + " pass");
        assertTrue(log.errors().size() > lines);
      }
      // the other way round it is as it should be: small chunks of a bumped filter are plain ones
      assertTrue(
          passed(reader, changed(meta, FilterType.BUMPED_RIBBON, meta.hash, meta.index), rows)
              < 0.05 * rows);
    }
    reader.close(true);
  }

  /** A query of rows with columns makes two probes, and each of them may be wrong. */
  @Test
  void rateOfAQueryIsThatOfItsProbes() {
    assertEquals(0.19, KeyKind.ROWCOL.rateOfQuery(0.1), 1e-15);
    assertEquals(0.1, KeyKind.ROWCOL.rateOfProbe(0.19), 1e-15);
    assertEquals(5e-21, KeyKind.ROWCOL.rateOfProbe(1e-20), 1e-35, "loses no digits");
    assertEquals(0.1, KeyKind.ROW.rateOfQuery(0.1));
    assertEquals(0.1, KeyKind.ROW.rateOfProbe(0.1));
  }

  private static FilterMeta changed(
      FilterMeta meta, FilterType type, KeyHash hash, ChunkIndex index) {
    return new FilterMeta.Builder(type, hash, meta.kind)
        .keys(meta.keyCount, meta.keyLimit)
        .images(meta.imageBytes, meta.chunkBytes)
        .rates(meta.configuredRate, meta.estimatedRate)
        .shape(meta.shape())
        .build(index, null);
  }

  /** The first chunk has a key less, and the second one more. */
  private static ChunkIndex oneKeyMoved(ChunkIndex index) {
    ByteBuffer bytes = ByteBuffer.allocate(index.sizeInBytes());
    index.writeTo(bytes);
    bytes.order(java.nio.ByteOrder.LITTLE_ENDIAN);
    int second = ChunkIndex.ENTRY_SIZE_IN_BYTES + bytes.getInt(24);
    bytes.putInt(16, bytes.getInt(16) - 1);
    bytes.putInt(second + 16, bytes.getInt(second + 16) + 1);
    return ChunkIndex.read(
        KeyKind.ROW, bytes.array(), 0, bytes.capacity(), index.size(), Long.MAX_VALUE);
  }

  private static int passed(TamperedReader reader, FilterMeta meta, int rows) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(meta.toByteArray()));
    var filter = WinnowHooks.filterOf(WinnowHooks.peeked(in), reader, null);
    int passed = 0;
    for (int i = 0; i < rows; i++) {
      byte[] present = row(2 * i);
      assertTrue(filter.contains(present, 0, present.length, null), "row " + i);
      byte[] absent = row(2 * i + 1);
      passed += filter.contains(absent, 0, absent.length, null) ? 1 : 0;
    }
    return passed;
  }

  @Test
  void qualifiersOfARowMustBeInOrderInTheIndex() {
    ChunkIndex.Writer index = new ChunkIndex.Writer();
    index.add(1000, 297, 264, 145, 1, KeyKind.ROWCOL.indexKey(put(row(1), "b")));
    index.add(5000, 297, 264, 145, 2, KeyKind.ROWCOL.indexKey(put(row(1), "a")));
    assertThrows(FilterFormatException.class, () -> index.finish(KeyKind.ROWCOL));
  }

  /** A finished filter is checked unless someone says that it is not to be. */
  @Test
  void filtersAreVerifiedByDefault() throws Exception {
    Field verify = WinnowSettings.class.getDeclaredField("verify");
    verify.setAccessible(true);
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", "ribbon");
    assertTrue(verify.getBoolean(WinnowSettings.of(conf, KeyKind.ROW)));
    conf.set("winnow.verify", "false");
    assertFalse(verify.getBoolean(WinnowSettings.of(conf, KeyKind.ROW)));
  }
}
