package io.winnow.hbase.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The keys of a range, beside all rows of few letters that are in it. */
class RangeKeysTest {
  private static final byte[] LETTERS = {0, 1, 2, 'a', (byte) 0xFE, (byte) 0xFF};

  private static byte[] bytes(String text) {
    return Bytes.toBytesBinary(text);
  }

  private static String keys(String rule, String from, String to) {
    RangeKeys keys = RangeKeys.of(PrefixRule.parse(rule), bytes(from), bytes(to));
    return keys == null ? null : inWords(keys.prefixes) + " | " + inWords(keys.rows);
  }

  private static String inWords(List<byte[]> keys) {
    return keys.stream().map(Bytes::toStringBinary).collect(Collectors.joining(" "));
  }

  @Test
  void keysAreAllThatRowsOfARangeCanHave() {
    assertEquals("abc\\x00 | abc", keys("delimiter:0x00", "abc", "abc\\x01"));
    assertEquals("a\\x00b\\x00 | a\\x00b", keys("delimiter:0x00,2", "a\\x00b", "a\\x00b\\x01"));
    assertEquals("abc\\x00 | abc", keys("delimiter:0x00", "abc", "abc\\x00def"));
    assertNull(keys("delimiter:0x00", "abc", "abc\\x01d"), "abc\\x01 has any prefix, or none");
    assertNull(keys("delimiter:0x00,2", "abc", "abc\\x01"), "the second delimiter may be anywhere");
    assertNull(keys("delimiter:0x01", "abc", "abc\\x01"));
    assertNull(keys("delimiter:0x00", "abc", "abc\\x02"), "abc\\x01 has any prefix, or none");
    assertNull(keys("delimiter:0xFF", "abc", "abc\\xFF"));
    assertEquals("abc\\x00 | abc", keys("4", "abc", "abc\\x01"));
    assertEquals("user1 user2 | ", keys("5", "user1", "user3"));
    assertEquals(
        "ab\\x01\\xFF ab\\x02\\x00 ab\\x02\\x01 | ab\\x02",
        keys("4", "ab\\x01\\xFF", "ab\\x02\\x02"));
    assertEquals(" | ab\\x00 ab", keys("4", "ab", "ab\\x00\\x00"));
    assertNull(keys("4", "abc", "abd"), "256 prefixes");
    assertNull(keys("3", "abz", "ad"), "more than 32 prefixes");
    assertEquals(null, RangeKeys.of(PrefixRule.parse("3"), bytes("abc"), null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1", "2", "3", "4", "delimiter:0x00", "delimiter:0x00,2", "delimiter:0x01"})
  void noRowIsWithoutAKey(String text) {
    PrefixRule rule = PrefixRule.parse(text);
    List<byte[]> rows = rows(5);
    Random random = new Random(50);
    int found = 0;
    for (int i = 0; i < 500; i++) {
      byte[] from = bound(rows, random);
      byte[] to = random.nextBoolean() ? bound(rows, random) : near(from, random);
      RangeKeys keys = RangeKeys.of(rule, from, to);
      if (keys == null || Arrays.compareUnsigned(from, to) >= 0) {
        continue;
      }
      found++;
      assertTrue(keys.prefixes.size() <= 32 && keys.rows.size() <= 32);
      for (byte[] row : rows) {
        if (Arrays.compareUnsigned(row, from) >= 0 && Arrays.compareUnsigned(row, to) < 0) {
          int length = rule.lengthIn(row, 0, row.length);
          byte[] key = length == PrefixRule.NONE ? row : Arrays.copyOf(row, length);
          boolean isThere =
              (length == PrefixRule.NONE ? keys.rows : keys.prefixes)
                  .stream().anyMatch(other -> Arrays.equals(other, key));
          assertTrue(
              isThere,
              () ->
                  Bytes.toStringBinary(row)
                      + (" is in [" + Bytes.toStringBinary(from))
                      + (", " + Bytes.toStringBinary(to) + ")"));
        }
      }
    }
    assertTrue(found > 5 || text.endsWith("1") && rule.id != PrefixRule.LENGTH, found + " ranges");
  }

  private static byte[] bound(List<byte[]> rows, Random random) {
    return rows.get(random.nextInt(rows.size()));
  }

  /** A little behind a row: with one byte or two more, or with a last byte that is greater. */
  private static byte[] near(byte[] row, Random random) {
    byte[] near = Arrays.copyOf(row, row.length + random.nextInt(3));
    near[near.length - 1] += (byte) (1 + random.nextInt(3));
    return near;
  }

  private static List<byte[]> rows(int length) {
    List<byte[]> rows = new ArrayList<>();
    List<byte[]> last = List.of(new byte[0]);
    for (int i = 0; i < length; i++) {
      List<byte[]> longer = new ArrayList<>();
      for (byte[] row : last) {
        for (byte letter : LETTERS) {
          longer.add(Bytes.add(row, new byte[] {letter}));
        }
      }
      rows.addAll(longer);
      last = longer;
    }
    return rows;
  }
}
