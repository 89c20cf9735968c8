package io.winnow.flash.buffered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.zip.CRC32C;

/**
 * A buffered Bloom filter as {@code docs/format/buffered-bloom-v3.md} has it, and version 2, word
 * by word, with no buffer: a model for tests, and a second reader of files. It shares no code with
 * the filter.
 */
final class PlainBufferedBloom {
  private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

  final int groups;
  final int groupPages;
  final int pageBytes;
  final int hashFunctions;
  final int entryBytes;
  final BitSet[] pages;
  boolean whole = true;
  long mark;
  long keys;

  PlainBufferedBloom(int groups, int groupPages, int pageBytes, int hashFunctions, int entryBytes) {
    this.groups = groups;
    this.groupPages = groupPages;
    this.pageBytes = pageBytes;
    this.hashFunctions = hashFunctions;
    this.entryBytes = entryBytes;
    this.pages = new BitSet[groups * groupPages];
    for (int i = 0; i < pages.length; i++) {
      pages[i] = new BitSet();
    }
  }

  static PlainBufferedBloom of(BufferedBloomSizing sizing) {
    return new PlainBufferedBloom(
        sizing.groups(),
        sizing.groupPages(),
        sizing.pageBytes(),
        sizing.hashFunctions(),
        sizing.entryBytes());
  }

  /** Reads a file in which nothing is damaged. */
  static PlainBufferedBloom read(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    checkPage(bytes, 4096, 0, 0);
    checkPage(bytes, 4096, 0, 1);
    int head = bytes.getLong(8 + 16) > bytes.getLong(4096 + 8 + 16) ? 8 : 4096 + 8;
    byte[] magic = new byte[8];
    bytes.get(head, magic);
    assertEquals("BfBloom1", new String(magic, StandardCharsets.US_ASCII));
    int version = bytes.getInt(head + 8);
    assertTrue(version == 2 || version == 3);
    int copies = version - 1;
    long id = bytes.getLong(head + 56);
    PlainBufferedBloom read =
        new PlainBufferedBloom(
            bytes.getInt(head + 48),
            bytes.getInt(head + 44),
            bytes.getInt(head + 40),
            bytes.get(head + 52),
            bytes.get(head + 53));
    read.whole = bytes.getInt(head + 12) == 1;
    read.mark = bytes.getLong(head + 24);
    read.keys = bytes.getLong(head + 32);
    int firstPage = Math.max(8192, read.pageBytes) / read.pageBytes;
    int before = version == 2 ? 8 : 16;
    int perPage = (read.pageBytes - before) / 2;
    int versionPages = (read.pages.length + perPage - 1) / perPage;
    int firstVersionPage = firstPage + read.pages.length;
    assertEquals((firstVersionPage + copies * versionPages) * read.pageBytes, bytes.capacity());
    for (int i = 0; i < copies * versionPages; i++) {
      checkPage(bytes, read.pageBytes, id, firstVersionPage + i);
      if (version == 3) {
        long round = bytes.getLong((firstVersionPage + i) * read.pageBytes + 8);
        assertEquals(bytes.getLong(head + 64), round, "page of versions " + i);
        int first = (firstVersionPage + i % versionPages) * read.pageBytes;
        int copy = (firstVersionPage + i) * read.pageBytes;
        assertEquals(
            bytes.slice(first + 8, read.pageBytes - 8), bytes.slice(copy + 8, read.pageBytes - 8));
      }
    }
    for (int i = 0; i < read.pages.length; i++) {
      checkPage(bytes, read.pageBytes, id, firstPage + i);
      int versionPage = (firstVersionPage + i / perPage) * read.pageBytes;
      short known = bytes.getShort(versionPage + before + i % perPage * 2);
      int ofPage = bytes.getInt((firstPage + i) * read.pageBytes + 4);
      assertTrue((short) (ofPage - known) >= 0, "page " + i + " is older than its version");
      assertTrue(!read.whole || (short) ofPage == known, "page " + i);
      byte[] payload = new byte[read.pageBytes - 8];
      bytes.get((firstPage + i) * read.pageBytes + 8, payload);
      read.pages[i] = BitSet.valueOf(payload);
    }
    return read;
  }

  private static void checkPage(ByteBuffer bytes, int pageBytes, long salt, int page) {
    long number = salt ^ page ^ (long) bytes.getInt(page * pageBytes + 4) << 48;
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, number));
    crc.update(bytes.duplicate().limit((page + 1) * pageBytes).position(page * pageBytes + 8));
    assertEquals((int) crc.getValue(), bytes.getInt(page * pageBytes), "page " + page);
  }

  void add(long hash) {
    BitSet page = pages[page(hash)];
    for (int bit : bits(hash)) {
      page.set(bit);
    }
  }

  boolean mightContain(long hash) {
    BitSet page = pages[page(hash)];
    for (int bit : bits(hash)) {
      if (!page.get(bit)) {
        return false;
      }
    }
    return true;
  }

  int group(long hash) {
    return product(mix(hash), groups).shiftRight(64).intValueExact();
  }

  long entry(long hash) {
    long rest = product(mix(hash), groups).mod(TWO_64).longValue();
    return entryBytes == 8 ? rest : rest >>> (64 - 8 * entryBytes);
  }

  int page(long hash) {
    long fraction = entry(hash) << (64 - 8 * entryBytes);
    return group(hash) * groupPages + product(fraction, groupPages).shiftRight(64).intValueExact();
  }

  int[] bits(long hash) {
    long x = entry(hash);
    x = (x ^ (x >>> 33)) * 0xFF51AFD7ED558CCDL;
    x = (x ^ (x >>> 33)) * 0xC4CEB9FE1A85EC53L;
    x = x ^ (x >>> 33);
    long y = (x ^ (x >>> 32)) * 0x9E3779B97F4A7C15L;
    int[] bits = new int[hashFunctions];
    for (long i = 0; i < hashFunctions; i++) {
      long fraction = x + i * y + (i * i * i - i) / 6 * 0xD1B54A32D192ED03L;
      bits[(int) i] = product(fraction, 8L * (pageBytes - 8)).shiftRight(64).intValueExact();
    }
    return bits;
  }

  private static long mix(long h) {
    long x = (h ^ (h >>> 32)) * 0xBF58476D1CE4E5B9L;
    return (x ^ (x >>> 29)) * 0x94D049BB133111EBL;
  }

  /** Of a number whose lowest bit does not count. */
  private static BigInteger product(long fraction, long times) {
    return new BigInteger(Long.toUnsignedString(fraction & ~1L))
        .multiply(BigInteger.valueOf(times));
  }
}
