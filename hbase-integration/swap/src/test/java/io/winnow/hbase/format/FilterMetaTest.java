package io.winnow.hbase.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.hbase.StoreFiles;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.hadoop.hbase.KeyValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The meta block's bytes: pinned, and refused when damaged. */
class FilterMetaTest {
  private static final long END = 1_000_000;

  private static final long SEED = 0x0123456789ABCDEFL;

  /** Three chunks; for ROWCOL the second cut falls between two columns of a row. */
  private static FilterMeta sample(KeyKind kind) {
    return sample(kind, kind == KeyKind.ROWCOL ? KeyHash.MURMUR3 : KeyHash.XXH3);
  }

  private static FilterMeta seededSample(KeyKind kind) {
    return sample(kind, KeyHash.seeded(SEED));
  }

  private static FilterMeta sample(KeyKind kind, KeyHash hash) {
    ChunkIndex.Writer index = new ChunkIndex.Writer();
    index.add(1000, 297, 264, 145, 0x1234, key(kind, "alpha", "q1"));
    index.add(5000, 297, 264, 145, 0x89ABCDEF, key(kind, "mike", "q1"));
    index.add(9000, 161, 128, 17, -1, key(kind, "mike" + (kind.hasQualifier() ? "" : "s"), "q2"));
    return new FilterMeta.Builder(FilterType.RIBBON, hash, kind)
        .keys(307, 307)
        .images(656, 264)
        .rates(0.01, 0.00975)
        .shape("width 64, a full chunk’s shape")
        .build(index.finish(kind), null);
  }

  private static byte[] key(KeyKind kind, String row, String qualifier) {
    return kind.indexKey(cell(row, qualifier));
  }

  private static KeyValue cell(String row, String qualifier) {
    return new KeyValue(bytes(row), StoreFiles.FAMILY, bytes(qualifier));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static FilterMeta read(byte[] block) throws IOException {
    return read(block, END);
  }

  private static FilterMeta read(byte[] block, long end) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(block));
    in.readInt();
    return FilterMeta.readAfterVersion(in, end);
  }

  private static byte[] golden(int format, KeyKind kind) throws IOException {
    String file = "hfile-meta-v" + format + "-" + kind.name().toLowerCase(Locale.ROOT) + ".bin";
    String name = "/golden/" + file;
    try (InputStream in = FilterMetaTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @EnumSource
  void goldenBytesAreWrittenAndReadEqual(KeyKind kind) throws IOException {
    byte[] golden = golden(1, kind);
    assertArrayEquals(golden, sample(kind).toByteArray());
    FilterMeta meta = read(golden);
    assertArrayEquals(golden, meta.toByteArray());
    assertEquals(kind == KeyKind.ROWCOL ? KeyHash.MURMUR3 : KeyHash.XXH3, meta.hash);
    assertIsTheSample(kind, meta);
  }

  /** A seed makes the block 8 bytes longer, and the format 2. */
  @ParameterizedTest
  @EnumSource
  void goldenBytesWithASeedAreWrittenAndReadEqual(KeyKind kind) throws IOException {
    byte[] golden = golden(2, kind);
    assertArrayEquals(golden, seededSample(kind).toByteArray());
    assertEquals(2, golden[8]);
    assertEquals(golden(1, kind).length + 8, golden.length);
    FilterMeta meta = read(golden);
    assertArrayEquals(golden, meta.toByteArray());
    assertEquals(KeyHash.seeded(SEED), meta.hash);
    assertIsTheSample(kind, meta);
  }

  private static void assertIsTheSample(KeyKind kind, FilterMeta meta) {
    assertEquals(FilterType.RIBBON, meta.type);
    assertEquals(kind, meta.kind);
    assertEquals(307, meta.keyCount);
    assertEquals(656, meta.imageBytes);
    assertEquals(0.01, meta.configuredRate);
    assertEquals(0.00975, meta.estimatedRate);
    assertEquals(264, meta.chunkBytes);
    assertEquals("width 64, a full chunk’s shape", meta.shape());
    assertEquals(3, meta.index.size());
    assertEquals(9000, meta.index.offset(2));
    assertEquals(161, meta.index.onDiskSize(2));
    assertEquals(128, meta.index.imageSizeInBytes(2));
    assertEquals(17, meta.index.keyCount(2));
    assertEquals(0x89ABCDEF, meta.index.imageCrc(1));
  }

  @Test
  void keysAreFoundInTheLastChunkThatStartsAtOrBeforeThem() {
    ChunkIndex rows = sample(KeyKind.ROW).index;
    assertChunk(rows, -1, "");
    assertChunk(rows, -1, "alph");
    assertChunk(rows, 0, "alpha");
    assertChunk(rows, 0, "alpha0");
    assertChunk(rows, 0, "mik");
    assertChunk(rows, 1, "mike");
    assertChunk(rows, 1, "miker");
    assertChunk(rows, 2, "mikes");
    assertChunk(rows, 2, "\u00ff"); // bytes above 0x7f are greater, not smaller
    ChunkIndex columns = sample(KeyKind.ROWCOL).index;
    assertEquals(-1, columns.chunkOf(cell("alpha", "q0")));
    assertEquals(0, columns.chunkOf(cell("alpha", "q1")));
    assertEquals(0, columns.chunkOf(cell("mike", ""))); // the row alone, before its columns
    assertEquals(1, columns.chunkOf(cell("mike", "q1")));
    assertEquals(1, columns.chunkOf(cell("mike", "q11")));
    assertEquals(2, columns.chunkOf(cell("mike", "q2")));
    assertEquals(2, columns.chunkOf(cell("mikes", "")));
    assertEquals(2, columns.chunkOf(cell("z", "a")));
  }

  private static void assertChunk(ChunkIndex index, int chunk, String row) {
    byte[] key = bytes(row);
    byte[] shifted = new byte[key.length + 5];
    System.arraycopy(key, 0, shifted, 3, key.length);
    assertEquals(chunk, index.chunkOf(shifted, 3, key.length), row);
    if (!row.isEmpty()) {
      assertEquals(chunk, index.chunkOf(cell(row, "ignored")), row);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyFlippedBitIsRefused(KeyKind kind) {
    everyFlippedBitIsRefused(sample(kind).toByteArray());
    everyFlippedBitIsRefused(seededSample(kind).toByteArray());
  }

  private static void everyFlippedBitIsRefused(byte[] block) {
    for (int bit = 8 * Integer.BYTES; bit < 8 * block.length; bit++) {
      byte[] damaged = block.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThrows(FilterFormatException.class, () -> read(damaged), "bit " + bit);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyTruncationIsRefused(KeyKind kind) {
    everyTruncationIsRefused(sample(kind).toByteArray());
    everyTruncationIsRefused(seededSample(kind).toByteArray());
  }

  private static void everyTruncationIsRefused(byte[] block) {
    for (int length = Integer.BYTES; length < block.length; length++) {
      byte[] damaged = Arrays.copyOf(block, length);
      assertThrows(FilterFormatException.class, () -> read(damaged), "length " + length);
    }
  }

  /** Damage that someone made a matching checksum for: refused, or opened without any exception. */
  @ParameterizedTest
  @EnumSource
  void damageWithAMatchingChecksumNeverThrowsAnythingElse(KeyKind kind) throws IOException {
    damageWithAMatchingChecksum(sample(kind).toByteArray());
    damageWithAMatchingChecksum(seededSample(kind).toByteArray());
  }

  private static void damageWithAMatchingChecksum(byte[] block) throws IOException {
    for (int at = Integer.BYTES; at < block.length - Integer.BYTES; at++) {
      for (int value : new int[] {0, 1, 0x7F, 0x80, 0xFF, block[at] + 1}) {
        byte[] damaged = block.clone();
        damaged[at] = (byte) value;
        try {
          FilterMeta meta = read(withChecksum(damaged));
          for (String row : new String[] {"", "alpha", "mike", "z"}) {
            if (meta.kind.hasQualifier()) {
              meta.index.chunkOf(cell("r" + row, "q1"));
            } else {
              meta.index.chunkOf(bytes(row), 0, row.length());
            }
          }
        } catch (FilterFormatException expected) {
          // the documented answer
        }
      }
    }
  }

  private static byte[] withChecksum(byte[] block) {
    CRC32C crc = new CRC32C();
    crc.update(block, 0, block.length - Integer.BYTES);
    ByteBuffer.wrap(block)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(block.length - Integer.BYTES, (int) crc.getValue());
    return block;
  }

  private static byte[] patched(int offset, int value) {
    byte[] block = sample(KeyKind.ROW).toByteArray();
    ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).putInt(offset, value);
    return withChecksum(block);
  }

  @Test
  void contradictionsAreRefusedEvenWithAMatchingChecksum() {
    int shape = bytes("width 64, a full chunk’s shape").length;
    int first = 64 + shape;
    int second = first + 28 + "alpha".length();
    int[][] patches = {
      {8, 0x01010103}, // a format that comes later
      {8, 0x01010100},
      {8, 0x01010102}, // a hash without a seed in the format that has one
      {8, 0x01030101}, // and the other way round
      // unknown ids of type, hash and key kind
      {8, 0x01016301},
      {8, 0x01630101},
      {8, 0x63010101},
      {60, shape | 1 << 16}, // reserved bytes
      {60, shape | 1 << 31},
      {12, 2}, // chunk count too small, too large
      {12, 4},
      {12, 0},
      {12, -1},
      {12, Integer.MAX_VALUE},
      {16, 308}, // key count
      {24, 306}, // key limit below the key count
      {32, 655}, // image bytes
      {44, 0x7FF80000}, // NaN
      {52, 0xBFF00000}, // a negative rate
      {60, 0xFFFF}, // shape longer than the block
      {first, 4800}, // the first chunk reaches into the second
      {first + 4, -1}, // a negative offset
      {second, 999}, // out of order by offset
      {first + 8, 0}, // no bytes on disk
      {first + 8, -5},
      {first + 12, 63}, // an image smaller than its header
      {first + 16, 0}, // no keys
      {first + 24, -1}, // first key sizes
      {first + 24, Integer.MAX_VALUE},
      {first + 24, 4},
      {first + 28, 0x7A7A7A7A}, // first keys out of order
    };
    for (int[] patch : patches) {
      assertThrows(
          FilterFormatException.class,
          () -> read(patched(patch[0], patch[1])),
          Arrays.toString(patch));
    }
    byte[] good = sample(KeyKind.ROW).toByteArray();
    assertThrows(FilterFormatException.class, () -> read(good, 9160)); // ends inside the last chunk
    assertTrue(good.length > 0);
  }

  /** A length that is not true costs no more memory than there are bytes. */
  @Test
  void hugeLengthsAllocateNothingMuch() {
    for (int length : new int[] {1 << 30, (1 << 30) + 1, Integer.MAX_VALUE, -1, 0, 8, 95}) {
      byte[] block = new byte[200_000];
      ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).putInt(4, length);
      CountingStream in = new CountingStream(block);
      assertThrows(
          FilterFormatException.class,
          () -> {
            in.readNBytes(4);
            FilterMeta.readAfterVersion(new DataInputStream(in), END);
          });
      assertTrue(in.largestRequest <= 2 * block.length, "asked for " + in.largestRequest);
    }
  }

  /** Everything is as small as can be: the block, the shape text, the first key, the rates. */
  @Test
  void smallestBlockIsRead() throws IOException {
    byte[] block = withShape("", new byte[0], 0, 1).toByteArray();
    assertEquals(64 + 28 + 4, block.length);
    FilterMeta meta = read(block);
    assertEquals("", meta.shape());
    assertEquals(0, meta.configuredRate);
    assertEquals(1, meta.estimatedRate);
    assertEquals(1, read(withShape("", new byte[0], 1, 0).toByteArray()).configuredRate);
  }

  @Test
  void shapeTextIsAsLongAsItsSizeCanSay() throws IOException {
    FilterMeta longest = withShape("s".repeat(0xFFFF), bytes("k"), 0.5, 0.5);
    assertEquals(longest.shape(), read(longest.toByteArray()).shape());
    FilterMeta tooLong = withShape("s".repeat(0x10000), bytes("k"), 0.5, 0.5);
    assertThrows(FilterFormatException.class, tooLong::toByteArray);
  }

  @Test
  void shapeTextEndsBeforeTheChecksum() {
    int rest = sample(KeyKind.ROW).toByteArray().length - 64 - 4;
    assertEquals("chunk count 3 in an index of 0 bytes", refusal(patched(60, rest)));
    assertEquals(
        "shape text of " + (rest + 1) + " bytes does not fit", refusal(patched(60, rest + 1)));
  }

  @Test
  void lengthsOutsideTheBoundsAreNotReadOn() {
    assertEquals("filter meta ends early", refusal(ofLength(1 << 30)));
    assertEquals("filter meta ends early", refusal(ofLength(96)));
    for (int length : new int[] {(1 << 30) + 1, 95}) {
      assertEquals(
          "filter meta of " + length + " bytes, must have 96 to 1073741824",
          refusal(ofLength(length)));
    }
  }

  private static byte[] ofLength(int length) {
    return ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN).putInt(4, length).array();
  }

  private static String refusal(byte[] block) {
    return assertThrows(FilterFormatException.class, () -> read(block)).getMessage();
  }

  private static FilterMeta withShape(
      String shape, byte[] firstKey, double configuredRate, double estimatedRate) {
    ChunkIndex.Writer index = new ChunkIndex.Writer();
    index.add(1000, 297, 264, 145, 0x1234, firstKey);
    return new FilterMeta.Builder(FilterType.RIBBON, KeyHash.XXH3, KeyKind.ROW)
        .keys(145, 145)
        .images(264, 264)
        .rates(configuredRate, estimatedRate)
        .shape(shape)
        .build(index.finish(KeyKind.ROW), null);
  }

  private static final class CountingStream extends ByteArrayInputStream {
    int largestRequest;

    CountingStream(byte[] bytes) {
      super(bytes);
    }

    @Override
    public synchronized int read(byte[] to, int offset, int length) {
      largestRequest = Math.max(largestRequest, to.length);
      return super.read(to, offset, length);
    }
  }

  @Test
  void garbageIsRefused() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] block = new byte[4 + random.nextInt(400)];
      random.nextBytes(block);
      if (i % 2 == 0 && block.length > 96) { // get past the length, the format and the checksum
        ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).putInt(4, block.length);
        block[8] = (byte) (1 + i / 2 % 2);
        block[9] = 1;
        block[10] = (byte) (block[8] == 1 ? 1 : 3);
        block[11] = (byte) (1 + random.nextInt(4));
        withMetaVersionAndChecksum(block);
      }
      assertThrows(FilterFormatException.class, () -> read(block), "seed " + seed);
    }
  }

  private static void withMetaVersionAndChecksum(byte[] block) {
    ByteBuffer.wrap(block).putInt(0, FilterMeta.META_VERSION);
    withChecksum(block);
  }
}
