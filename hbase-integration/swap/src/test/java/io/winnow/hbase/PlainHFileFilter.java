package io.winnow.hbase;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The way from a row to an answer, written from {@code docs/format/hfile-meta-v2.md}, {@code
 * ribbon-v1.md} and {@code bumped-ribbon-v1.md} alone: no code of HBase or of the filter is in it.
 * It reads files without compression, bumped and homogeneous Ribbon, XXH3 of parts of 0 or 4 to 8
 * bytes.
 */
final class PlainHFileFilter {
  private static final int BLOCK_HEADER_BYTES = 33;
  private static final int TRAILER_BYTES = 4096;
  private static final int ROWCOL = 2;

  /** An index entry. */
  public record Chunk(
      long offset, int onDiskSize, int imageSize, int keys, int crc, byte[] firstKey) {}

  private final ByteBuffer file;
  private final int type;
  private final int kind;

  /** 1, or 2 where the hash has a seed. */
  private final int format;

  /** That of the hash; 0 where it has none. */
  public final long seed;

  /** Where in the file the meta block's content begins. */
  public final int meta;

  public final long keys;

  /** 0 for none, 1 for a length, 2 for a delimiter. */
  public final int prefixRule;

  /** Bytes of a prefix, or delimiters in it. */
  public final int prefixNumber;

  /** For each chunk the number of prefixes, -1 where they are left out. */
  public final List<Integer> prefixes = new ArrayList<>();

  public final List<Chunk> chunks = new ArrayList<>();

  /** The filter of the meta block with this magic. */
  public PlainHFileFilter(byte[] bytes, String magic) {
    file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    meta = contentOfBlock(magic);
    check(file.duplicate().getInt(meta) == 0x57494E31, "meta version"); // a duplicate: big-endian
    int length = file.getInt(meta + 4);
    check(file.getInt(meta + length - 4) == crc(meta, length - 4), "checksum");
    format = file.get(meta + 8);
    check(format == 1 || format == 2, "format");
    seed = format == 1 ? 0 : file.getLong(meta + 64);
    type = file.get(meta + 9);
    check(file.get(meta + 10) == (format == 1 ? 1 : 3), "XXH3");
    prefixRule = file.get(meta + 62);
    kind = file.get(meta + 11);
    keys = file.getLong(meta + 16);
    int at = meta + (format == 1 ? 64 : 72) + file.getShort(meta + 60);
    prefixNumber = prefixRule == 0 ? 0 : file.getInt(at);
    if (prefixRule != 0) {
      for (int chunk = 0; chunk < file.getInt(meta + 12); chunk++) {
        prefixes.add(file.getInt(at + 4 + 4 * chunk));
      }
      at += 4 + 4 * prefixes.size();
    }
    for (int left = file.getInt(meta + 12); left > 0; left--) {
      byte[] firstKey = Arrays.copyOfRange(bytes, at + 28, at + 28 + file.getInt(at + 24));
      chunks.add(
          new Chunk(
              file.getLong(at),
              file.getInt(at + 8),
              file.getInt(at + 12),
              file.getInt(at + 16),
              file.getInt(at + 20),
              firstKey));
      at += 28 + firstKey.length;
    }
    check(at == meta + length - 4, "the index ends where the checksum begins");
    for (int chunk = 0; chunk < chunks.size(); chunk++) {
      checkChunk(chunks.get(chunk), prefixRule == 0 ? 0 : Math.max(0, prefixes.get(chunk)));
    }
  }

  /** Goes from block to block: each header tells where the next one is. */
  private int contentOfBlock(String magic) {
    int at = 0;
    while (at < file.capacity() - TRAILER_BYTES) {
      if (magicAt(at).equals(magic)) {
        return at + BLOCK_HEADER_BYTES;
      }
      at += BLOCK_HEADER_BYTES + bigEndianInt(at + 8);
    }
    throw new AssertionError("no block " + magic);
  }

  private String magicAt(int at) {
    return new String(file.array(), at, 8, StandardCharsets.US_ASCII);
  }

  private int bigEndianInt(int at) {
    return file.duplicate().getInt(at);
  }

  private int crc(int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(file.array(), from, length);
    return (int) crc.getValue();
  }

  private void checkChunk(Chunk chunk, int besideKeys) {
    int block = (int) chunk.offset();
    int image = block + BLOCK_HEADER_BYTES;
    check(magicAt(block).equals("BLMFBLK2"), "magic");
    check(BLOCK_HEADER_BYTES + bigEndianInt(block + 8) == chunk.onDiskSize(), "size on disk");
    check(bigEndianInt(block + 12) == chunk.imageSize(), "size of the image");
    check(crc(image, chunk.imageSize()) == chunk.crc(), "the image's checksum");
    check(file.getInt(image) == 0x46574E57, "the image's magic");
    check(file.get(image + 4) == type || type == 2 && file.get(image + 4) == 1, "type");
    check(
        file.get(image + 5) == 1 && file.get(image + 6) == (kind == ROWCOL || format == 2 ? 0 : 1),
        "version and hash");
    check(file.getLong(image + 8) == chunk.keys() + besideKeys, "keys");
    check(file.getInt(image + 60) == crc(image, 60), "the header's checksum");
    check(file.getInt(image + 56) == crc(image + 64, chunk.imageSize() - 64), "the payload's");
  }

  private static void check(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  // ---- Key to hash ----

  private long xxh3(byte[] key) {
    if (key.length == 0) {
      long h = seed ^ 0x8726F9105DC21DDCL;
      h = (h ^ h >>> 33) * 0xC2B2AE3D27D4EB4FL;
      h = (h ^ h >>> 29) * 0x165667B19E3779F9L;
      return h ^ h >>> 32;
    }
    check(key.length >= 4 && key.length <= 8, "4 to 8 bytes");
    ByteBuffer bytes = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
    long first = bytes.getInt(0) & 0xFFFFFFFFL;
    long last = bytes.getInt(key.length - 4) & 0xFFFFFFFFL;
    long mixedSeed = seed ^ (long) Integer.reverseBytes((int) seed) << 32;
    long secret = (0x1CAD21F72C81017CL ^ 0xDB979083E96DD4DEL) - mixedSeed;
    long h = secret ^ last + (first << 32);
    h ^= Long.rotateLeft(h, 49) ^ Long.rotateLeft(h, 24);
    h *= 0x9FB21C651E98DF25L;
    h ^= (h >>> 35) + key.length;
    h *= 0x9FB21C651E98DF25L;
    return h ^ h >>> 28;
  }

  /** The hash of a row, or of a row and a qualifier where the filter is one of columns. */
  public long hash(byte[] row, byte[] qualifier) {
    if (kind != ROWCOL) {
      return xxh3(row);
    }
    return combine(xxh3(row), xxh3(qualifier));
  }

  private static long combine(long a, long b) {
    long x = Long.rotateLeft(a, 32) ^ b * 0x9E3779B97F4A7C15L;
    x = (x ^ x >>> 29) * 0xBF58476D1CE4E5B9L;
    return x ^ x >>> 32;
  }

  // ---- Key to chunk ----

  /** The last chunk whose first key is not greater; -1 if there is none. */
  public int chunkOf(byte[] row, byte[] qualifier) {
    int chunk = -1;
    while (chunk + 1 < chunks.size()
        && compare(chunks.get(chunk + 1).firstKey(), row, qualifier) <= 0) {
      chunk++;
    }
    return chunk;
  }

  /** Whether rows with this prefix, of a rule of a length, may be in the file. */
  public boolean mightHavePrefix(byte[] prefix) {
    check(prefixRule == 1 && prefix.length == prefixNumber, "a prefix");
    int chunk = chunkOf(prefix, new byte[0]);
    return chunk >= 0 && (prefixes.get(chunk) == -1 || asks(chunk, prefixHash(prefix)));
  }

  public long prefixHash(byte[] prefix) {
    return combine(xxh3(prefix), 1);
  }

  private int compare(byte[] firstKey, byte[] row, byte[] qualifier) {
    if (kind != ROWCOL) {
      return Arrays.compareUnsigned(firstKey, row);
    }
    int end = 2 + (firstKey[0] & 0xFF) + ((firstKey[1] & 0xFF) << 8);
    int order = Arrays.compareUnsigned(firstKey, 2, end, row, 0, row.length);
    return order != 0
        ? order
        : Arrays.compareUnsigned(firstKey, end, firstKey.length, qualifier, 0, qualifier.length);
  }

  // ---- Hash to answer ----

  /** Whether the key may be in the file. */
  public boolean mightContain(byte[] row, byte[] qualifier) {
    int chunk = chunkOf(row, qualifier);
    return chunk >= 0 && asks(chunk, hash(row, qualifier));
  }

  private boolean asks(int chunk, long hash) {
    int image = (int) chunks.get(chunk).offset() + BLOCK_HEADER_BYTES;
    return file.get(image + 4) == 1
        ? homogeneous(image + 40, image + 64, hash)
        : bumped(image, hash);
  }

  private static long mix(long x) {
    long y = (x ^ x >>> 32) * 0xBF58476D1CE4E5B9L;
    return (y ^ y >>> 29) * 0x94D049BB133111EBL;
  }

  private static long seedMask(int seed) {
    return (seed & 0xFFFFFFFFL) * 0x9E3779B97F4A7C15L;
  }

  private boolean homogeneous(int shape, int solution, long hash) {
    int blocks = file.getInt(shape);
    check(file.get(shape + 12) == 64, "width 64");
    if (blocks == 0) {
      return false;
    }
    long mixed = mix(hash ^ seedMask(file.getInt(shape + 8)));
    int slots = 64 * blocks;
    long raw = Math.multiplyHigh(mixed >>> 1, 2L * (slots - 64 + 1 + 32)); // 2 a b >> 64
    int start = (int) Math.min(Math.max(raw - 16, 0), slots - 64);
    long row = (mixed ^ mixed >>> 32) * 0xC28F82822B650BEDL | 1;
    return matches(solution, file.getInt(shape + 4), file.get(shape + 13), start, row, 0);
  }

  private boolean bumped(int image, long hash) {
    int layers = file.get(image + 44);
    int columns = file.get(image + 45);
    int[] limits = {128, 36, 17, 0};
    long x = hash;
    long mask = seedMask(file.getInt(image + 40));
    int at = image + 64 + 8 * layers + 16;
    for (int layer = 0; layer < layers; layer++) {
      int blocks = file.getInt(image + 64 + 8 * layer);
      int lower = file.getInt(image + 68 + 8 * layer);
      int starts = 64 * blocks - 63;
      int solution = at + 8 * (((starts + 127) / 128 + 31) / 32);
      x = mix(x ^ mask);
      int start = (int) Math.multiplyHigh(x >>> 1, 2L * starts);
      int bucket = start / 128;
      int threshold = file.get(at + bucket / 4) >> 2 * (bucket % 4) & 3;
      if (start % 128 >= limits[threshold]) {
        long y = x ^ x >>> 32;
        long f = y * 0xE7037ED1A0B428DBL;
        long row = y * 0xC28F82822B650BEDL | 1;
        return matches(solution, lower, columns, start, row, f ^ f >>> 32);
      }
      at = solution + 8 * (blocks * columns - lower);
      mask = 0xA0761D6478BD642FL;
    }
    return homogeneous(image + 64 + 8 * layers, at, x);
  }

  /** Whether the sums over the columns are the bits of a number. */
  private boolean matches(
      int solution, int lower, int columns, int start, long row, long fingerprint) {
    int used = start / 64 < lower ? columns - 1 : columns;
    for (int column = 0; column < used; column++) {
      long sum = 0;
      for (int i = 0; i < 64; i++) {
        int block = (start + i) / 64;
        int word = solution + 8 * (block * columns - Math.min(block, lower) + column);
        if ((row >>> i & 1) != 0) {
          sum ^= file.getLong(word) >>> (start + i) % 64 & 1;
        }
      }
      if (sum != (fingerprint >>> column & 1)) {
        return false;
      }
    }
    return true;
  }
}
