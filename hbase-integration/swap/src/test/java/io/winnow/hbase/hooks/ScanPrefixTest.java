package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.format.RangeKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** A prefix that bounds imply is one that every row between them has. */
class ScanPrefixTest {
  private static final boolean INCLUDED = true;
  private static final boolean EXCLUDED = false;

  private static byte[] bytes(String text) {
    return Bytes.toBytesBinary(text);
  }

  private static int implied(String smaller, String larger, boolean largerIsIncluded) {
    return ScanPrefix.impliedLength(bytes(smaller), bytes(larger), largerIsIncluded);
  }

  @Test
  void bothBoundsHaveThePrefix() {
    assertEquals(3, implied("abc", "abcd", EXCLUDED));
    assertEquals(3, implied("abc1", "abc2x", INCLUDED));
    assertEquals(3, implied("abc", "abc", INCLUDED));
    assertEquals(3, implied("abc\\x00", "abc\\xFF", INCLUDED));
    assertEquals(0, implied("x", "y1", EXCLUDED));
    assertEquals(0, implied("", "y", EXCLUDED));
  }

  @Test
  void nextPrefixIsTheLargerBound() {
    assertEquals(3, implied("abc", "abd", EXCLUDED));
    assertEquals(3, implied("abcx", "abd", EXCLUDED));
    assertEquals(1, implied("a", "b", EXCLUDED), "of one byte");
    assertEquals(3, implied("ab\\x7F", "ab\\x80", EXCLUDED), "bytes have no sign");
    assertEquals(1, implied("\\x00", "\\x01", EXCLUDED));
  }

  @Test
  void nextPrefixCountsOnlyIfItIsExcludedAndOfThatLength() {
    assertEquals(2, implied("abc", "abd", INCLUDED));
    assertEquals(2, implied("abc", "abd\\x00", EXCLUDED));
    assertEquals(2, implied("abc", "abe", EXCLUDED));
    assertEquals(2, implied("ab", "abd", EXCLUDED));
    assertEquals(1, implied("ab", "acd", EXCLUDED), "the rows 'ac' and 'acc' are between");
  }

  @Test
  void nextPrefixCarries() {
    assertEquals(3, implied("ab\\xFF", "ac", EXCLUDED));
    assertEquals(4, implied("ab\\xFF\\xFFx", "ac", EXCLUDED));
    assertEquals(2, implied("ab", "ac", EXCLUDED));
    assertEquals(1, implied("ab\\xFF", "ac\\x00", EXCLUDED));
    assertEquals(1, implied("ab\\xFF", "ac", INCLUDED));
    assertEquals(0, implied("a\\xFF", "c", EXCLUDED));
    assertEquals(0, implied("\\xFF", "\\x00", EXCLUDED), "nothing comes after 0xFF");
  }

  @Test
  void openEndCountsOnlyIfAllBytesAreFF() {
    assertEquals(2, implied("\\xFF\\xFF", "", EXCLUDED));
    assertEquals(2, implied("\\xFF\\xFFa\\xFF", "", EXCLUDED));
    assertEquals(0, implied("ab", "", EXCLUDED));
    assertEquals(0, implied("", "", EXCLUDED));
  }

  @Test
  void prefixOfAReversedScanIsThatOfTheRowWhereItEnds() {
    Scan scan = new Scan().setReversed(true).withStartRow(bytes("abd"), false);
    scan.withStopRow(bytes("abc"), true);
    assertEquals(3, ScanPrefix.impliedLength(scan));
    assertEquals("abc", Bytes.toString(ScanPrefix.smallerBound(scan)));
    assertEquals(2, ScanPrefix.impliedLength(scan.withStartRow(bytes("abd"), true)));
    assertEquals(0, ScanPrefix.impliedLength(scan.withStopRow(bytes(""))), "it ends at no row");
    Scan last = new Scan().setReversed(true).withStopRow(bytes("\\xFF\\xFFx"));
    assertEquals(2, ScanPrefix.impliedLength(last));
  }

  @Test
  void settersOfPrefixScansImplyThePrefix() {
    for (String prefix : List.of("a", "abc", "ab\\xFF", "\\xFF\\xFF", "\\x00", "\\x7F")) {
      Scan scan = new Scan().setStartStopRowForPrefixScan(bytes(prefix));
      assertEquals(bytes(prefix).length, ScanPrefix.impliedLength(scan), prefix);
    }
  }

  /** Ranges of rows that contain delimiters: the rules are those by which a filter is queried. */
  @Test
  void impliedRulesAreThoseThatFiltersCanUse() {
    Random random = new Random(31);
    byte[] letters = {0, 1, 'a', 'b', '|', ':'};
    int implied = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] from = new byte[random.nextInt(6)];
      for (int j = 0; j < from.length; j++) {
        from[j] = letters[random.nextInt(letters.length)];
      }
      byte[] to = Arrays.copyOf(from, Math.max(0, from.length + random.nextInt(3) - 1));
      if (to.length > 0) {
        to[to.length - 1] += (byte) random.nextInt(3);
      }
      int rules = ScanPrefix.impliedRules(from, to.length == 0 ? null : to);
      Scan scan = new Scan().withStartRow(from).withStopRow(to);
      assertEquals(rules, ScanPrefix.impliedRules(scan));
      for (int k = 0; k < PrefixRule.USUAL.size(); k++) {
        PrefixRule rule = PrefixRule.USUAL.get(k);
        boolean isUsable =
            rule.lengthIn(from, 0, ScanPrefix.impliedLength(scan)) != PrefixRule.NONE
                || RangeKeys.of(rule, from, to.length == 0 ? null : to) != null;
        assertEquals(
            isUsable,
            (rules >> k & 1) == 1,
            () -> rule + Bytes.toStringBinary(from) + " " + Bytes.toStringBinary(to));
        implied += isUsable ? 1 : 0;
      }
    }
    assertTrue(implied > 10_000, implied + " rules");
  }

  private static List<byte[]> allRows(int maxLength) {
    byte[] letters = {0, 1, 0x7F, (byte) 0x80, (byte) 0xFE, (byte) 0xFF};
    List<byte[]> rows = new ArrayList<>();
    rows.add(new byte[0]);
    for (int i = 0; rows.get(i).length < maxLength; i++) {
      for (byte letter : letters) {
        byte[] longer = Arrays.copyOf(rows.get(i), rows.get(i).length + 1);
        longer[longer.length - 1] = letter;
        rows.add(longer);
      }
    }
    return rows;
  }

  /** All bounds of up to 2 bytes, some of 3, and all rows of up to 3 bytes between them. */
  @Test
  void everyRowBetweenTheBoundsHasThePrefix() {
    List<byte[]> rows = allRows(3);
    long checked = 0;
    for (byte[] smaller : rows) {
      for (byte[] larger : allRows(2)) {
        for (boolean included : new boolean[] {true, false}) {
          int length = ScanPrefix.impliedLength(smaller, larger, included);
          for (byte[] row : length == 0 ? List.<byte[]>of() : rows) {
            int toLarger = larger.length == 0 ? -1 : Bytes.compareTo(row, larger);
            if (Bytes.compareTo(row, smaller) >= 0 && (toLarger < 0 || included && toLarger == 0)) {
              assertTrue(
                  row.length >= length && Arrays.equals(row, 0, length, smaller, 0, length),
                  () -> Bytes.toStringBinary(row) + " in " + Bytes.toStringBinary(smaller));
              checked++;
            }
          }
        }
      }
    }
    assertTrue(checked > 1000, () -> "rows that were checked");
  }
}
