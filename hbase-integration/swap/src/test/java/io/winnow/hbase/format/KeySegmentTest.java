package io.winnow.hbase.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The entry in the file info, and the rule in it. */
class KeySegmentTest {
  private static byte[] bytes(String text) {
    return Bytes.toBytesBinary(text);
  }

  private static KeySegment sample() {
    return new KeySegment(
        SegmentRule.parse("8,4"),
        new byte[][] {bytes(""), bytes("ab\\x00"), bytes("x")},
        new byte[][] {bytes(""), bytes("ab\\x00\\x00"), bytes("xyz\\xFF")});
  }

  @Test
  void entryIsAsThePageSays() {
    byte[] entry = sample().toBytes();
    assertEquals(
        "WSG1\\x01\\x00\\x08\\x00\\x04\\x03"
            + "\\x00\\x00\\x03ab\\x00\\x04ab\\x00\\x00\\x01x\\x04xyz\\xFF",
        Bytes.toStringBinary(entry, 0, entry.length - 4));
    KeySegment read = KeySegment.read(entry);
    assertEquals("8,4", read.rule.toString());
    assertEquals(3, read.intervals());
    assertArrayEquals(bytes("ab\\x00"), read.smallest(1));
    assertArrayEquals(bytes("xyz\\xFF"), read.largest(2));
    assertArrayEquals(entry, read.toBytes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "0,1", "8", "8,32", "32767,4", "delimiter:0x00,1", "delimiter:0x7C,2,4"})
  void ruleIsReadAsItWasWritten(String text) {
    SegmentRule rule = SegmentRule.parse(text);
    assertEquals(text, rule.toString());
    byte[] entry = new KeySegment(rule, new byte[0][], new byte[0][]).toBytes();
    assertEquals(text, KeySegment.read(entry).rule.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "'8,8', 8",
    "'8, 4', '8,4'",
    "'DELIMITER:|, 1', 'delimiter:0x7C,1'",
    "'delimiter:,,1', 'delimiter:0x2C,1'",
    "'delimiter:0x7c,3,32', 'delimiter:0x7C,3,32'"
  })
  void ruleHasOneForm(String text, String form) {
    assertEquals(form, SegmentRule.parse(text).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "8,0",
        "8,33",
        "32768",
        "8,4,4",
        "delimiter:0x00",
        "delimiter:0x00,0",
        "time",
        "delimiter:0x00,1,0",
        "delimiter:0x00,1,33",
        "delimiter:0x00,32768",
        "8,",
        ",8",
        "8;4"
      })
  void wrongRuleIsRefused(String text) {
    assertFalse(SegmentRule.isRule(text));
  }

  @Test
  void noRuleIsNull() {
    assertNull(SegmentRule.parse(""));
    assertNull(SegmentRule.parse("NONE"));
  }

  @Test
  void eachChangedBitIsRefused() {
    byte[] entry = sample().toBytes();
    for (int bit = 0; bit < 8 * entry.length; bit++) {
      byte[] damaged = entry.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThrows(FilterFormatException.class, () -> KeySegment.read(damaged), "bit " + bit);
    }
    for (int length = 0; length < entry.length; length++) {
      byte[] cut = Arrays.copyOf(entry, length);
      assertThrows(FilterFormatException.class, () -> KeySegment.read(cut), "length " + length);
    }
  }

  /** An entry with a wrong part is refused although its checksum fits. */
  @ParameterizedTest
  @CsvSource({
    "4, 3, a rule of another kind",
    "5, 1, a delimiter of a length",
    "7, 128, a number above 32767",
    "8, 0, a segment of no byte",
    "8, 33, a segment of too many bytes",
    "8, 3, an interval of more bytes than a segment",
    "9, 2, fewer intervals",
    "9, 4, more intervals",
    "9, 65, too many intervals",
    "10, 1, another size of an interval",
    "13, 122, a descending interval",
    "22, 97, an interval that begins in the one before"
  })
  void partOutOfItsBoundsIsRefused(int offset, int value, String words) {
    byte[] entry = sample().toBytes();
    entry[offset] = (byte) value;
    int end = entry.length - 4;
    int crc = Integer.reverseBytes(ByteAccess.ARRAY.crc32c(entry, 0, end));
    ByteBuffer.wrap(entry).putInt(end, crc);
    FilterFormatException refusal =
        assertThrows(FilterFormatException.class, () -> KeySegment.read(entry), words);
    assertFalse(refusal.getMessage().contains("checksum"), refusal.getMessage());
  }

  /** The entry has 32 intervals of the longest segments, and nothing but its size is wrong. */
  @Test
  void entryThatIsTooLongIsRefused() {
    int size = 10 + 32 * 2 * 33 + 4;
    ByteBuffer entry = ByteBuffer.allocate(size).put(bytes("WSG1\\x01\\x00\\x08\\x00\\x20\\x20"));
    for (int i = 0; i < 64; i++) {
      byte[] segment = new byte[32];
      segment[0] = (byte) i;
      entry.put((byte) 32).put(segment);
    }
    entry.putInt(Integer.reverseBytes(ByteAccess.ARRAY.crc32c(entry.array(), 0, size - 4)));
    FilterFormatException refusal =
        assertThrows(FilterFormatException.class, () -> KeySegment.read(entry.array()));
    assertTrue(refusal.getMessage().contains("its size"), refusal.getMessage());
  }

  @Test
  void entryOfALaterVersionIsNotDamaged() {
    byte[] entry = sample().toBytes();
    assertTrue(KeySegment.isOfThisVersion(entry));
    entry[3] = '2';
    assertFalse(KeySegment.isOfThisVersion(entry));
    assertFalse(KeySegment.isOfThisVersion(new byte[3]));
    assertThrows(FilterFormatException.class, () -> KeySegment.read(entry));
  }
}
