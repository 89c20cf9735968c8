package io.winnow.flash.bloom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** A reader of whole files with pages of 4096 bytes, made from docs/format/bit-pages-v1.md. */
final class PlainBitPages {
  private static final int PAGE_BYTES = 4096;
  private static final int PAYLOAD = 8;

  private final ByteBuffer bytes;
  private final long bits;
  private final int hashFunctions;

  private PlainBitPages(ByteBuffer bytes, long bits, int hashFunctions) {
    this.bytes = bytes;
    this.bits = bits;
    this.hashFunctions = hashFunctions;
  }

  static PlainBitPages read(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    int head = PAYLOAD + (bytes.getLong(24) > bytes.getLong(PAGE_BYTES + 24) ? 0 : PAGE_BYTES);
    for (int page = 0; page < 2; page++) {
      checkSum(bytes, page, 0);
    }
    assertEquals(0x3173675074694257L, bytes.getLong(head));
    assertEquals(1, bytes.getInt(head + 8));
    int hashFunctions = bytes.getInt(head + 12);
    long bits = bytes.getLong(head + 24);
    long id = bytes.getLong(head + 32);
    long round = bytes.getLong(head + 40);
    int bitPages =
        Math.toIntExact((bits + 8 * (PAGE_BYTES - PAYLOAD) - 1) / (8 * (PAGE_BYTES - 8)));
    assertEquals(2 + bitPages + 2, bytes.capacity() / PAGE_BYTES); // few: one page of versions
    for (int page = 2; page < 2 + bitPages + 2; page++) {
      checkSum(bytes, page, id);
    }
    for (int copy = 0; copy < 2; copy++) {
      int versions = (2 + bitPages + copy) * PAGE_BYTES + PAYLOAD;
      assertEquals(round, bytes.getLong(versions));
      for (int page = 0; page < bitPages; page++) {
        int version = bytes.getInt((2 + page) * PAGE_BYTES + 4);
        assertEquals(version, Short.toUnsignedInt(bytes.getShort(versions + 8 + 2 * page)));
        assertTrue(version > 0);
      }
    }
    return new PlainBitPages(bytes, bits, hashFunctions);
  }

  private static void checkSum(ByteBuffer bytes, int page, long salt) {
    CRC32C crc = new CRC32C();
    int at = page * PAGE_BYTES;
    long number = page ^ salt ^ (long) bytes.getInt(at + 4) << 48;
    crc.update(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, number));
    crc.update(bytes.duplicate().limit(at + PAGE_BYTES).position(at + PAYLOAD));
    assertEquals((int) crc.getValue(), bytes.getInt(at), "page " + page);
  }

  boolean mightContain(long keyHash) {
    long z = (keyHash ^ keyHash >>> 33) * 0xFF51AFD7ED558CCDL;
    z = (z ^ z >>> 33) * 0xC4CEB9FE1A85EC53L;
    z ^= z >>> 33;
    long y = (z ^ z >>> 32) * 0x9E3779B97F4A7C15L;
    for (long i = 0; i < hashFunctions; i++) {
      long at = z + i * y + (i * i * i - i) / 6 * 0xD1B54A32D192ED03L;
      BigInteger even = new BigInteger(Long.toUnsignedString(at & -2L));
      long bit = even.multiply(BigInteger.valueOf(bits)).shiftRight(64).longValue();
      long onPage = bit % (8 * (PAGE_BYTES - PAYLOAD));
      int page = 2 + (int) (bit / (8 * (PAGE_BYTES - PAYLOAD)));
      int octet = bytes.get(page * PAGE_BYTES + PAYLOAD + (int) (onPage / 8));
      if ((octet >>> onPage % 8 & 1) == 0) {
        return false;
      }
    }
    return true;
  }
}
