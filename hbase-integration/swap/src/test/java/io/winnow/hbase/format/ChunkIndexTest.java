package io.winnow.hbase.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The bounds of what an index may say: the last value that is taken, and the first that is not. */
class ChunkIndexTest {
  /** What stands before the index in its array. */
  private static final int BEFORE = 1000;

  private static final int SMALLEST_IMAGE = FilterHeader.SIZE_IN_BYTES;

  private static byte[] key(String row) {
    return row.getBytes(StandardCharsets.US_ASCII);
  }

  private static ChunkIndex read(ChunkIndex.Writer entries, int count, long endOfChunks) {
    ByteBuffer bytes = ByteBuffer.allocate(BEFORE + entries.sizeInBytes());
    entries.finish(KeyKind.ROW).writeTo(bytes.position(BEFORE));
    return ChunkIndex.read(
        KeyKind.ROW, bytes.array(), BEFORE, bytes.capacity(), count, endOfChunks);
  }

  private static String refusal(ChunkIndex.Writer entries, int count, long endOfChunks) {
    return assertThrows(FilterFormatException.class, () -> read(entries, count, endOfChunks))
        .getMessage();
  }

  /** Each number is the smallest or the largest one that is allowed. */
  @Test
  void chunksMayLieSideBySideUpToTheEnd() {
    ChunkIndex.Writer entries = new ChunkIndex.Writer();
    entries.add(0, 1, SMALLEST_IMAGE, 1, 7, key("a"));
    entries.add(1, 10, SMALLEST_IMAGE, 1, 7, key("b"));
    ChunkIndex index = read(entries, 2, 11);
    assertEquals(11, index.offset(1) + index.onDiskSize(1));
    assertEquals(0, index.chunkOf(key("ab"), 0, 2));
    assertTrue(refusal(entries, 2, 10).contains("must lie between 1 and 10"));
  }

  /** A key that is repeated around a cut opens the next chunk too. */
  @Test
  void twoChunksMayBeginWithTheSameKey() {
    ChunkIndex.Writer entries = new ChunkIndex.Writer();
    entries.add(100, 50, SMALLEST_IMAGE, 5, 7, key("a"));
    entries.add(200, 50, SMALLEST_IMAGE, 5, 7, key("b"));
    entries.add(300, 50, SMALLEST_IMAGE, 5, 7, key("b"));
    ChunkIndex index = read(entries, 3, 1000);
    assertEquals(2, index.chunkOf(key("b"), 0, 1));
  }

  @Test
  void oneChunkWithAnEmptyFirstKeyIsAnIndex() {
    ChunkIndex.Writer entries = new ChunkIndex.Writer();
    entries.add(100, 50, SMALLEST_IMAGE, 5, 7, new byte[0]);
    ChunkIndex index = read(entries, 1, 1000);
    assertEquals(ChunkIndex.ENTRY_SIZE_IN_BYTES, index.sizeInBytes());
    assertEquals(0, index.chunkOf(key("a"), 0, 1));
  }

  /** Nothing is allocated for chunks that there is no room for. */
  @Test
  void countIsComparedWithTheBytesThatAreThere() {
    ChunkIndex.Writer entries = new ChunkIndex.Writer();
    entries.add(100, 50, SMALLEST_IMAGE, 5, 7, new byte[ChunkIndex.ENTRY_SIZE_IN_BYTES - 1]);
    int size = 2 * ChunkIndex.ENTRY_SIZE_IN_BYTES - 1;
    assertEquals(
        "chunk count 2 in an index of " + size + " bytes", refusal(entries, 2, Long.MAX_VALUE));
    assertEquals(
        "chunk count 0 in an index of " + size + " bytes", refusal(entries, 0, Long.MAX_VALUE));
  }

  @Test
  void entryThatDoesNotFitIsRefusedBeforeItIsRead() {
    ChunkIndex.Writer entries = new ChunkIndex.Writer();
    entries.add(100, 50, SMALLEST_IMAGE, 5, 7, new byte[100]);
    assertTrue(
        refusal(entries, 2, Long.MAX_VALUE)
            .startsWith("index entry of chunk 1 does not fit: first key of -1 bytes"));
    ByteBuffer bytes = ByteBuffer.allocate(BEFORE + entries.sizeInBytes() + 3);
    entries.finish(KeyKind.ROW).writeTo(bytes.position(BEFORE));
    Exception refused =
        assertThrows(
            FilterFormatException.class,
            () ->
                ChunkIndex.read(
                    KeyKind.ROW, bytes.array(), BEFORE, bytes.capacity(), 1, Long.MAX_VALUE));
    assertEquals("3 bytes after the last index entry", refused.getMessage());
  }

  @Test
  void indexKeysHaveTheirForm() {
    KeyKind columns = KeyKind.ROWCOL;
    byte[] bytes = new byte[80];
    assertTrue(columns.isIndexKey(bytes, 70, 72), "no row, no column");
    bytes[70] = 5;
    assertTrue(columns.isIndexKey(bytes, 70, 77), "no column");
    assertFalse(columns.isIndexKey(bytes, 70, 76), "a row that is cut off");
    assertFalse(columns.isIndexKey(new byte[80], 79, 80), "half a length");
    byte[] rows = new byte[1 << 17];
    assertTrue(KeyKind.ROW.isIndexKey(rows, 40_000, 40_000 + Short.MAX_VALUE));
    assertFalse(KeyKind.ROW.isIndexKey(rows, 40_000, 40_001 + Short.MAX_VALUE));
  }
}
