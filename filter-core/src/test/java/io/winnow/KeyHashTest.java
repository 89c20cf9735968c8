package io.winnow;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class KeyHashTest {

  /** The vectors of xxHash's own sanity test, over the bytes that it generates. */
  @ParameterizedTest
  @CsvSource({
    "0, 2D06800538D394C2",
    "1, C44BDFF4074EECDB",
    "6, 27B56A84CD2D7325",
    "12, A713DAF0DFBB77E7",
    "24, A3FE70BF9D3510EB",
    "48, 397DA259ECBA1F11",
    "80, BCDEFBBB2C47C90A",
    "195, CD94217EE362EC3A",
    "403, CDEB804D65C6DEA4",
    "512, 617E49599013CB6B",
    "2048, DD59E2C3A5F038E0",
    "2240, 6E73A90539CF2948",
    "2367, CB37AEB9E5D361ED"
  })
  void xxh3KnownAnswers(int length, String expected) {
    assertEquals(Long.parseUnsignedLong(expected, 16), KeyHash.XXH3.hash(generated(length)));
  }

  private static byte[] generated(int length) {
    byte[] key = new byte[length];
    long generator = 2654435761L;
    for (int i = 0; i < length; i++) {
      key[i] = (byte) (generator >>> 56);
      generator *= 0x9E3779B185EBCA8DL;
    }
    return key;
  }

  /** Widely published answers of MurmurHash3 x64-128, seed 0: the first word. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | 0000000000000000",
        "hello | cbd8a7b341bd9b02",
        "'hello, world' | 342fac623a5ebc8e",
        "19 Jan 2038 at 3:14:07 AM | b89e5988b737affc",
        "The quick brown fox jumps over the lazy dog. | cd99481f9ee902c9"
      })
  void murmur3KnownAnswers(String key, String expected) {
    assertEquals(
        Long.parseUnsignedLong(expected, 16),
        KeyHash.MURMUR3.hash(key.getBytes(StandardCharsets.US_ASCII)));
  }

  @ParameterizedTest
  @MethodSource("io.winnow.TestHashes#functions")
  void bytesHashTheSameWhereverTheyLie(KeyHash hash) {
    Random random = new Random(1);
    int[] lengths =
        IntStream.concat(IntStream.rangeClosed(0, 300), IntStream.of(1023, 1024, 1025, 3000, 5001))
            .toArray();
    for (int length : lengths) {
      byte[] key = new byte[length];
      random.nextBytes(key);
      long expected = hash.hash(key);
      int offset = 1 + length % 11;
      byte[] padded = new byte[length + 2 * offset];
      random.nextBytes(padded);
      System.arraycopy(key, 0, padded, offset, length);
      assertEquals(expected, hash.hash(padded, offset, length));

      ByteBuffer direct = ByteBuffer.allocateDirect(padded.length).put(0, padded);
      List<ByteBuffer> buffers = new ArrayList<>();
      for (ByteBuffer buffer : List.of(ByteBuffer.wrap(padded), direct)) {
        buffers.add(buffer);
        buffers.add(buffer.asReadOnlyBuffer());
      }
      for (ByteBuffer buffer : buffers) {
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
          ByteBuffer ordered = buffer.duplicate().order(order).position(offset);
          assertEquals(expected, hash.hash(ordered, offset, length), "length " + length);
          ByteBuffer slice = ordered.slice().order(order);
          assertEquals(expected, hash.hash(slice, 0, length), "slice of length " + length);
          assertEquals(expected, hash.hash(ordered.limit(offset + length)), "between the limits");
          assertEquals(offset, ordered.position());
          assertEquals(order, ordered.order());
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("io.winnow.TestHashes#functions")
  void rangesOutsideTheBufferAreRefused(KeyHash hash) {
    for (ByteBuffer buffer : List.of(ByteBuffer.allocate(100), ByteBuffer.allocateDirect(100))) {
      buffer.limit(50);
      for (ByteBuffer key : List.of(buffer, buffer.asReadOnlyBuffer())) {
        assertThrows(IndexOutOfBoundsException.class, () -> hash.hash(key, 0, 51));
        assertThrows(IndexOutOfBoundsException.class, () -> hash.hash(key, 40, 11));
        assertThrows(IndexOutOfBoundsException.class, () -> hash.hash(key, -1, 10));
        assertThrows(IndexOutOfBoundsException.class, () -> hash.hash(key, 0, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> hash.hash(key, 51, 0));
      }
    }
  }

  /** Of the reference library, for the bytes that its own sanity test generates. */
  @ParameterizedTest
  @CsvSource({
    "0, 9E3779B185EBCA8D, A8A6B918B2F0364A",
    "1, 9E3779B185EBCA8D, 032BE332DD766EF8",
    "3, 9E3779B185EBCA8D, 634B8990B4976373",
    "4, 9E3779B185EBCA8D, AA2E7ECCB0C8F747",
    "8, 9E3779B185EBCA8D, 8F973410999B8F6B",
    "9, 9E3779B185EBCA8D, B3AE7333D9013F60",
    "16, 9E3779B185EBCA8D, 663F29333B4DB6B1",
    "17, 9E3779B185EBCA8D, F3EC5067F4306DB3",
    "32, 9E3779B185EBCA8D, 2199FAB1534893D9",
    "80, 9E3779B185EBCA8D, C6DD0CB699532E73",
    "128, 9E3779B185EBCA8D, 73FDE75280646649",
    "129, 9E3779B185EBCA8D, 21FFFDBCA099C844",
    "195, 9E3779B185EBCA8D, BA68003D370CB3D9",
    "240, 9E3779B185EBCA8D, CC0F58C27EF3D8EE",
    "241, 9E3779B185EBCA8D, DDA9B0A161D4829A",
    "403, 9E3779B185EBCA8D, 6259F6ECFD6443FD",
    "1025, 9E3779B185EBCA8D, 96792BCF9AF88519",
    "2240, 9E3779B185EBCA8D, 757BA8487D1B5247",
    "25, 0000000000000001, 519EAF417310CEC8",
    "25, FFFFFFFFFFFFFFFF, D0EBD25663C4961C"
  })
  void seededKnownAnswers(int length, String seed, String expected) {
    KeyHash hash = KeyHash.seeded(Long.parseUnsignedLong(seed, 16));
    assertEquals(Long.parseUnsignedLong(expected, 16), hash.hash(generated(length)));
  }

  @Test
  void aSeedIsPartOfTheFunction() {
    byte[] key = {1, 2, 3};
    assertEquals(KeyHash.seeded(7), KeyHash.ofId(3, 7));
    assertEquals(KeyHash.seeded(7).hashCode(), KeyHash.ofId(3, 7).hashCode());
    assertEquals(KeyHash.seeded(7).hash(key), KeyHash.ofId(3, 7).hash(key));
    assertEquals(7, KeyHash.seeded(7).seed());
    assertTrue(KeyHash.seeded(7).isSeeded());
    assertNotEquals(KeyHash.seeded(7), KeyHash.seeded(8));
    assertNotEquals(KeyHash.seeded(0), KeyHash.XXH3);
    assertNotEquals(KeyHash.seeded(7).hash(key), KeyHash.seeded(8).hash(key));
    assertEquals(KeyHash.XXH3.hash(key), KeyHash.seeded(0).hash(key));
    assertNotEquals(KeyHash.seeded(), KeyHash.seeded());
    assertNotEquals(KeyHash.ofLabel("xxh3-seeded"), KeyHash.ofLabel("xxh3-seeded"));
    assertFalse(KeyHash.seeded(0x1234).toString().contains("1234"), "a seed is no secret in a log");
  }

  /** Keys that begin with the secret of XXH3 have one hash under it, and under no seed. */
  @Test
  void collisionsThatWereComputedBeforeDoNotWorkWithASeed() {
    byte[] secret = HexFormat.of().parseHex("b8fe6c3923a44bbe");
    Set<Long> plain = new HashSet<>();
    Set<Long> seeded = new HashSet<>();
    KeyHash hash = KeyHash.seeded();
    for (int i = 0; i < 1000; i++) {
      byte[] key = Arrays.copyOf(secret, 32);
      ByteBuffer.wrap(key).putInt(8, i);
      plain.add(KeyHash.XXH3.hash(key));
      seeded.add(hash.hash(key));
    }
    assertEquals(1, plain.size());
    assertEquals(1000, seeded.size());
  }

  @Test
  void xxh3AllocatesNothing() {
    byte[] key = new byte[25];
    ByteBuffer direct = ByteBuffer.allocateDirect(25);
    KeyHash seeded = KeyHash.seeded(3);
    long[] sum = new long[1];
    Runnable hashing =
        () -> {
          for (int i = 0; i < 200_000; i++) {
            sum[0] += KeyHash.XXH3.hash(key) + KeyHash.XXH3.hash(direct, 1, 20);
            sum[0] += seeded.hash(key) + seeded.hash(direct, 1, 20);
          }
        };
    hashing.run();
    hashing.run();
    long allocated = Allocation.bytesOf(hashing);
    assertTrue(allocated < 10_000, allocated + " bytes allocated");
  }

  @Test
  void idsAndLabelsArePinned() {
    assertEquals(1, KeyHash.XXH3.id());
    assertEquals(2, KeyHash.MURMUR3.id());
    assertEquals("xxh3", KeyHash.XXH3.label());
    assertEquals("murmur3", KeyHash.MURMUR3.label());
    assertEquals(3, KeyHash.seeded(5).id());
    assertEquals("xxh3-seeded", KeyHash.seeded(5).label());
    assertEquals(List.of("xxh3-seeded", "xxh3", "murmur3"), KeyHash.labels());
    for (KeyHash hash : List.of(KeyHash.XXH3, KeyHash.MURMUR3)) {
      assertSame(hash, KeyHash.ofId(hash.id()));
      assertSame(hash, KeyHash.ofLabel(hash.label()));
      assertFalse(hash.isSeeded());
      assertThrows(FilterFormatException.class, () -> KeyHash.ofId(hash.id(), 5));
    }
    for (int id : new int[] {-1, 0, 3, 255}) {
      var e = assertThrows(FilterFormatException.class, () -> KeyHash.ofId(id));
      assertTrue(e.getMessage().contains(Integer.toString(id)));
      assertEquals(id == 3, e.getMessage().contains("needs a seed"), e.getMessage());
    }
    for (String label : List.of("", "XXH3", "murmur")) {
      var e = assertThrows(IllegalArgumentException.class, () -> KeyHash.ofLabel(label));
      assertTrue(e.getMessage().contains("'" + label + "'"));
      assertTrue(e.getMessage().contains("xxh3") && e.getMessage().contains("murmur3"));
    }
  }

  /** The answers were worked out apart from this code, from the format page. */
  @ParameterizedTest
  @CsvSource({
    "0000000000000000, 0000000000000000, 0000000000000000",
    "0000000000000001, 0000000000000002, 548B26B1CE3CD07C",
    "0000000000000002, 0000000000000001, 0E45EBB76A6B2869",
    "2D06800538D394C2, C44BDFF4074EECDB, 8488F66A89103C3E"
  })
  void combineKnownAnswers(String first, String second, String expected) {
    assertEquals(
        Long.parseUnsignedLong(expected, 16),
        KeyHash.combine(Long.parseUnsignedLong(first, 16), Long.parseUnsignedLong(second, 16)));
  }

  @Test
  void combineTellsPartsApart() {
    Set<Long> seen = new HashSet<>();
    int size = 0;
    for (int i = 0; i < 300; i++) {
      for (int j = 0; j < 300; j++) {
        seen.add(KeyHash.combine(i, j));
        size++;
      }
    }
    assertEquals(size, seen.size());
    for (int i = 0; i < 100_000; i++) {
      long a = splitMix(1, i);
      long b = splitMix(2, i);
      assertNotEquals(KeyHash.combine(a, b), KeyHash.combine(b, a));
      assertNotEquals(a, KeyHash.combine(a, b));
      assertNotEquals(KeyHash.combine(a, b), KeyHash.combine(a, 0));
      assertNotEquals(KeyHash.combine(a, a), KeyHash.combine(b, b));
    }
  }

  /**
   * One hash fixed: a bit of the other flips about half of the 64 bits. One pair flips 32 with a
   * deviation of 4; the mean of a bit is within that. It is not nearer for each: the function has
   * one multiplication, and files have its hashes.
   */
  @Test
  void combineSpreadsBothParts() {
    int pairs = 2000;
    for (int bit = 0; bit < 64; bit++) {
      int[] flips = new int[2];
      for (int i = 0; i < pairs; i++) {
        long a = splitMix(3, i);
        long b = splitMix(4, i);
        long whole = KeyHash.combine(a, b);
        flips[0] += Long.bitCount(whole ^ KeyHash.combine(a ^ 1L << bit, b));
        flips[1] += Long.bitCount(whole ^ KeyHash.combine(a, b ^ 1L << bit));
      }
      assertEquals(32, flips[0] / (double) pairs, 4, "of the first, bit " + bit);
      assertEquals(32, flips[1] / (double) pairs, 4, "of the second, bit " + bit);
    }
  }
}
