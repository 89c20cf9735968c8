package io.winnow.hbase.format;

import io.winnow.FilterFormatException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rule for the segment of a row: some bytes behind a prefix, such as the time behind the id of a
 * sensor. A row without the prefix has no segment. A row that ends inside the segment has the bytes
 * up to its end as its segment, and a row that ends where the segment begins has an empty one.
 *
 * <p>A segment never ends at a delimiter: then the order of segments would not be that of the rows.
 * The form in a file is {@code docs/format/key-segment-v1.md}. Immutable.
 */
public final class SegmentRule {
  /** The allowed values of the setting for segments, in words. */
  public static final String ALLOWED =
      "none, an offset from 0 to 32767, or a delimiter and which of them comes before the segment,"
          + " and after a comma a length from 1 to 32: 8, 8,4, delimiter:0x00,1 or"
          + " delimiter:0x00,1,4";

  /** Number that stands for the start of a segment if the row has no segment. */
  public static final int NONE = PrefixRule.NONE;

  /** The largest number of bytes of a segment. */
  public static final int MAX_LENGTH = 32;

  private static final int DEFAULT_LENGTH = 8;
  private static final Pattern FORM =
      Pattern.compile(
          "(?:([0-9]{1,5})|(?i:(delimiter:(?:0x[0-9a-f]{2}|[!-~])), *([0-9]{1,5})))"
              + "(?:, *([0-9]{1,2}))?");

  /** The rule for the bytes before the segment; null if it begins at the first byte. */
  public final PrefixRule before;

  /** The largest number of bytes of a segment. */
  public final int length;

  /** The number of bytes before the segment; {@link #NONE} if the delimiters of a row say it. */
  public final int offset;

  private SegmentRule(PrefixRule before, int length) {
    this.before = before;
    this.length = length;
    this.offset = id() == PrefixRule.LENGTH ? number() : NONE;
  }

  /**
   * Returns the rule for segments that the numbers in a file describe.
   *
   * @param id the id of the rule of the prefix before the segment
   * @param number bytes, or delimiters, before the segment; no bytes are allowed
   * @param delimiter 0 for a rule of a number of bytes
   * @param length the largest number of bytes of a segment
   * @throws FilterFormatException if there is none
   */
  static SegmentRule of(int id, int number, byte delimiter, int length) {
    boolean isAtStart = id == PrefixRule.LENGTH && number == 0 && delimiter == 0;
    PrefixRule before = isAtStart ? null : PrefixRule.of(id, number, delimiter);
    if (length < 1 || length > MAX_LENGTH) {
      throw new FilterFormatException("segment of " + length + " bytes");
    }
    return new SegmentRule(before, length);
  }

  /**
   * Returns the rule for segments that a setting names; null for none.
   *
   * @throws IllegalArgumentException if the text names no rule
   */
  public static SegmentRule parse(String text) {
    if (text.isEmpty() || text.equalsIgnoreCase(PrefixRule.NO_RULE)) {
      return null;
    }
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("no rule of a segment: " + text);
    }
    int length = matcher.group(4) == null ? DEFAULT_LENGTH : Integer.parseInt(matcher.group(4));
    if (matcher.group(1) != null) {
      return of(PrefixRule.LENGTH, Integer.parseInt(matcher.group(1)), (byte) 0, length);
    }
    PrefixRule before = PrefixRule.parse(matcher.group(2) + "," + matcher.group(3));
    return of(before.id, before.number, before.delimiter, length);
  }

  /** Returns true if a text is a rule that {@link #parse} accepts. */
  public static boolean isRule(String text) {
    try {
      parse(text);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  int id() {
    return before == null ? PrefixRule.LENGTH : before.id;
  }

  int number() {
    return before == null ? 0 : before.number;
  }

  byte delimiter() {
    return before == null ? 0 : before.delimiter;
  }

  /**
   * Returns the number of bytes before the segment of a row, or {@link #NONE}. If the bytes are
   * only the first ones of a row, the result holds for each row that begins with them, unless it is
   * {@link #NONE}.
   */
  public int beginIn(byte[] bytes, int offset, int count) {
    return before == null ? 0 : before.lengthIn(bytes, offset, count);
  }

  /** Returns the rule for segments in words. */
  public String label() {
    String bytes = length == 1 ? "1 byte" : length + " bytes";
    return before == null ? "the first " + bytes : bytes + " behind " + before.label();
  }

  /** Returns the rule for segments as the setting {@code winnow.scan.segment} has it. */
  @Override
  public String toString() {
    String start =
        id() == PrefixRule.LENGTH
            ? String.valueOf(number())
            : String.format("delimiter:0x%02X,%d", delimiter(), number());
    return length == DEFAULT_LENGTH ? start : start + "," + length;
  }
}
