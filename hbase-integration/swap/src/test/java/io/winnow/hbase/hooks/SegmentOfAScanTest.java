package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.format.SegmentRule;
import io.winnow.hbase.write.SegmentCollector;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A file is skipped because of segments only if it has no row between a scan's bounds. {@code
 * -Dwinnow.segment.sweep=N} runs another number of scans, {@code -Dwinnow.segment.seed=N} for other
 * ones.
 */
class SegmentOfAScanTest {
  private static final byte[] LETTERS = {0, 1, '|', '!', (byte) 0xFE, (byte) 0xFF};
  private static final int SCANS_PER_FILE = 16;

  private final long seed = Long.getLong("winnow.segment.seed", 20261128);
  private final Random random = new Random(seed);
  private final ScanHooks.Walk walk = new ScanHooks.Walk();

  private static KeySegment segments(String rule, byte[]... rows) {
    SegmentCollector collector = new SegmentCollector(SegmentRule.parse(rule));
    for (byte[] row : rows) {
      collector.add(row, 0, row.length);
    }
    return KeySegment.read(collector.segments().toBytes());
  }

  private static byte[] bytes(String text) {
    return text == null ? new byte[0] : Bytes.toBytesBinary(text);
  }

  private boolean mayHave(KeySegment file, Scan scan) {
    return scan.isGetScan()
        ? file.mayHaveRow(scan.getStartRow())
        : ScanHooks.compareSegment(file, scan, walk);
  }

  private static Scan scan(
      byte[] smaller, boolean smallerIn, byte[] larger, boolean largerIn, boolean isReversed) {
    return isReversed
        ? new Scan()
            .setReversed(true)
            .withStartRow(larger, largerIn)
            .withStopRow(smaller, smallerIn)
        : new Scan().withStartRow(smaller, smallerIn).withStopRow(larger, largerIn);
  }

  /** Both directions give the same answer, which is in the table: the file has the row in it. */
  @ParameterizedTest
  @CsvSource({
    // Ends inside the segment, with it, and behind it; excluded and included.
    "'2,2', aab5, aab3, false, aab5, false, false",
    "'2,2', aab5, aab3, false, aab5, true, true",
    "'2,2', aab5, aab3, false, aab5\\x00, false, true",
    "'2,2', aab5, aab3, false, aab, false, false",
    "'2,2', aab5, aab3, false, aac, false, true",
    "'2,2', aab5, aa, true, aab, true, false",
    "'2,2', aab, aa, true, aab, true, true",
    "'2,2', aab, aa, true, aab, false, false",
    "'2,2', aab5, aab6, true, aab9, true, false",
    "'2,2', aab5x, aab5z, true, aab6, true, true", // a segment is not the whole row
    // A bound that ends before the segment does not share the bytes before it.
    "'2,2', aab5, aa, true, ab, false, true",
    "'2,2', aab5, aab6, true, ab, false, false", // the next prefix is no bound
    "'2,2', aab5, a, true, b, false, true",
    "'2,2', aab5, aab6, true, ab, true, true", // the row ab may have any segment
    "'2,2', aab5, aab6, true, '', false, true", // nothing is implied
    // The segment at the first byte, with an open end or beginning.
    "'0,2', b5, a, true, '', false, true",
    "'0,2', b5, b6, true, '', false, false",
    "'0,2', b5, '', true, b, true, false",
    "'0,2', b5, '', true, b6, false, true",
    "'1,2', \\xFFb5, \\xFFb4, true, '', false, true",
    "'1,2', \\xFFb5, \\xFFb6, true, '', false, false",
    // Segments of fewer bytes, and of none.
    "'2,2', aa, aa, true, aa\\x00, false, true",
    "'2,2', aa, aa\\x00, true, aab, true, false",
    "'2,2', aab, aab\\x00, true, aab\\x00\\x00, true, false",
    "'2,2', aab\\x00, aab, true, aab\\x00, false, false",
    "'2,2', aab\\x00, aab, true, aab\\x00, true, true",
    "'2,2', a, aaa, true, aaz, true, false", // the only row has no segment
    // Delimiters.
    "'delimiter:|,1,2', a|b5, a|b3, true, a|b4, true, false",
    "'delimiter:|,1,2', a|b5, a|b3, true, a|b5, true, true",
    "'delimiter:|,1,2', a|b5, a|b6, true, a}, false, false",
    "'delimiter:|,1,2', a|b5, a, true, b, false, true", // no delimiter is implied
    "'delimiter:|,1,3', a|b|5, a|b|4, true, a|b|6, true, true", // it goes on behind a delimiter
    "'delimiter:|,2,2', a|b5, a|b|3, true, a|b|4, true, false", // the row has one delimiter
  })
  void fileIsReadOrSkipped(
      String rule,
      String row,
      String smaller,
      boolean smallerIn,
      String larger,
      boolean largerIn,
      boolean isRead) {
    KeySegment file = segments(rule, bytes(row));
    for (boolean isReversed : new boolean[] {false, true}) {
      Scan scan = scan(bytes(smaller), smallerIn, bytes(larger), largerIn, isReversed);
      assertEquals(isRead, ScanHooks.compareSegment(file, scan, walk), scan.toString());
    }
  }

  @Test
  void getOfAWholeSegmentSkipsAFile() {
    KeySegment file = segments("2,2", bytes("aab5"), bytes("aac5x"), bytes("a"), bytes("bbb"));
    assertTrue(file.mayHaveRow(bytes("aab5")));
    assertTrue(file.mayHaveRow(bytes("zzb5y")), "of another prefix, which segments do not have");
    assertFalse(file.mayHaveRow(bytes("aaa5")));
    assertFalse(file.mayHaveRow(bytes("aad5x")));
    assertFalse(file.mayHaveRow(bytes("aab6")), "between two intervals");
    assertTrue(file.mayHaveRow(bytes("aax")), "the row ends in its segment");
    assertTrue(file.mayHaveRow(bytes("x")), "the row has none");
  }

  /** A compaction scans without bounds. */
  @Test
  void scanWithoutBoundsReadsEachFile() {
    KeySegment file = segments("delimiter:|,1", bytes("a"));
    assertEquals(0, file.intervals());
    assertTrue(ScanHooks.compareSegment(segments("0"), new Scan(), walk), "a file without a row");
    assertTrue(ScanHooks.compareSegment(file, new Scan(), walk));
  }

  private byte[] row(int least) {
    byte[] row = new byte[least + random.nextInt(7)];
    for (int i = 0; i < row.length; i++) {
      row[i] = LETTERS[random.nextInt(LETTERS.length)];
    }
    return row;
  }

  /** Returns a bound that has many bytes in common with another. */
  private byte[] near(byte[] other) {
    if (random.nextInt(8) == 0) {
      return row(0);
    }
    byte[] start = Arrays.copyOf(other, random.nextInt(other.length + 1));
    if (random.nextBoolean() && start.length > 0) {
      start[start.length - 1]++;
      return start;
    }
    return Bytes.add(start, row(0));
  }

  private String rule() {
    int length = 1 + random.nextInt(3);
    switch (random.nextInt(8)) {
      case 0:
        return String.valueOf(random.nextInt(4));
      case 1:
        return "delimiter:|," + (1 + random.nextInt(2));
      case 2, 3:
        return "delimiter:|," + (1 + random.nextInt(2)) + "," + length;
      case 4:
        return "delimiter:0x00," + (1 + random.nextInt(2)) + "," + length;
      default:
        return random.nextInt(4) + "," + length;
    }
  }

  private static boolean isBetween(byte[] row, Scan scan) {
    byte[] smaller = ScanPrefix.smallerBound(scan);
    byte[] larger = ScanPrefix.largerBound(scan);
    boolean smallerIn = scan.isReversed() ? scan.includeStopRow() : scan.includeStartRow();
    int from = Bytes.compareTo(row, smaller);
    int to = larger.length == 0 ? -1 : Bytes.compareTo(row, larger);
    return (from > 0 || from == 0 && smallerIn)
        && (to < 0 || to == 0 && ScanPrefix.largerIsIncluded(scan));
  }

  @Test
  void noRowIsLost() {
    long scans = Long.getLong("winnow.segment.sweep", 2_000_000);
    long without = 0;
    long skipped = 0;
    for (long done = 0; done < scans; done += SCANS_PER_FILE) {
      byte[][] rows = new byte[1 + random.nextInt(4)][];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = row(1);
      }
      String rule = rule();
      KeySegment file = segments(rule, rows);
      for (int i = 0; i < SCANS_PER_FILE; i++) {
        byte[] smaller = random.nextBoolean() ? row(0) : near(rows[random.nextInt(rows.length)]);
        byte[] larger = random.nextInt(16) == 0 ? smaller : near(smaller);
        boolean smallerIn = random.nextBoolean();
        Scan scan = scan(smaller, smallerIn, larger, random.nextBoolean(), random.nextBoolean());
        boolean hasRow = false;
        for (byte[] row : rows) {
          hasRow |= isBetween(row, scan);
        }
        boolean isRead = mayHave(file, scan);
        if (hasRow && !isRead) {
          assertTrue(isRead, rule + " " + Arrays.toString(rows[0]) + " " + scan + " seed " + seed);
        }
        without += hasRow ? 0 : 1;
        skipped += isRead ? 0 : 1;
      }
    }
    assertTrue(skipped > without / 5, skipped + " files of " + without + " were skipped");
  }
}
