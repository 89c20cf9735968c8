package io.winnow.hbase.format;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.ByteBufferExtendedCell;
import org.apache.hadoop.hbase.Cell;

/**
 * Rule for the prefix of a row that filters hold as a key: a number of bytes, or all bytes up to
 * and including the n-th delimiter. A row that is too short, or has too few delimiters, has no
 * prefix.
 *
 * <p>Rows with one prefix stand side by side, and every row that begins with a prefix has that
 * prefix. The ids and the hash are schema-critical: {@code docs/format/hfile-meta-v2.md}.
 * Immutable.
 */
public final class PrefixRule {
  /** The allowed values of the setting {@code winnow.scan.prefix}, in words. */
  public static final String ALLOWED =
      "none, a number of bytes from 1 to 32767, or a delimiter and which of them ends the prefix:"
          + " delimiter:0x00, delimiter:| or delimiter:|,2";

  /** Value of a setting that names no rule for row prefixes, or for key segments. */
  public static final String NO_RULE = "none";

  /** Length that stands for a row without a prefix. */
  public static final int NONE = -1;

  /**
   * Number in the meta block that stands for a rule by which prefixes have a fixed number of bytes.
   */
  static final int LENGTH = 1;

  /** Number in the meta block that stands for a rule by which prefixes end with a delimiter. */
  static final int DELIMITER = 2;

  /** Number that makes the hash of a row prefix differ from that of a row of the same bytes. */
  private static final long TAG = 1;

  private static final Pattern DELIMITERS =
      Pattern.compile("(?i:delimiter):(?:0[xX]([0-9a-fA-F]{2})|([!-~]))(?:, *([0-9]{1,5}))?");

  private static final byte[] USUAL_DELIMITERS = {0, '|', '#', ':', '/'};
  private static final int USUAL_NUMBER = 2;

  /**
   * Rules of delimiters that keys often have: up to the first and up to the second of each. Servers
   * count the scans whose bounds imply such a prefix, and {@code advise} tries these rules.
   */
  public static final List<PrefixRule> USUAL = usual();

  /** One more than the place of a byte among the usual delimiters; 0 for any other byte. */
  private static final byte[] PLACES = places();

  final int id;
  final int number;
  final byte delimiter;

  private PrefixRule(int id, int number, byte delimiter) {
    this.id = id;
    this.number = number;
    this.delimiter = delimiter;
  }

  /**
   * Returns the rule for row prefixes that the numbers in a meta block stand for.
   *
   * @param id {@link #LENGTH} or {@link #DELIMITER}
   * @param number bytes of the prefix, or delimiters in it
   * @param delimiter 0 for a rule of a length
   * @throws FilterFormatException if there is none
   */
  static PrefixRule of(int id, int number, byte delimiter) {
    boolean isKnown = id == DELIMITER || id == LENGTH && delimiter == 0;
    if (!isKnown || number < 1 || number > Short.MAX_VALUE) {
      throw new FilterFormatException(
          "prefix rule " + id + " with " + number + " and delimiter " + delimiter);
    }
    return new PrefixRule(id, number, delimiter);
  }

  /**
   * Returns the rule for row prefixes that a setting's text names; null for none.
   *
   * @throws IllegalArgumentException if the text names no rule
   */
  public static PrefixRule parse(String text) {
    if (text.isEmpty() || text.equalsIgnoreCase(NO_RULE)) {
      return null;
    }
    Matcher matcher = DELIMITERS.matcher(text);
    if (!matcher.matches()) {
      return of(LENGTH, Integer.parseInt(text), (byte) 0);
    }
    int delimiter =
        matcher.group(1) == null
            ? matcher.group(2).charAt(0)
            : Integer.parseInt(matcher.group(1), 16);
    int number = matcher.group(3) == null ? 1 : Integer.parseInt(matcher.group(3));
    return of(DELIMITER, number, (byte) delimiter);
  }

  /** Returns true if a setting's text names a rule for row prefixes that {@link #parse} accepts. */
  public static boolean isRule(String text) {
    try {
      parse(text);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static List<PrefixRule> usual() {
    List<PrefixRule> rules = new ArrayList<>();
    for (byte delimiter : USUAL_DELIMITERS) {
      for (int number = 1; number <= USUAL_NUMBER; number++) {
        rules.add(of(DELIMITER, number, delimiter));
      }
    }
    return List.copyOf(rules);
  }

  private static byte[] places() {
    byte[] places = new byte[1 << Byte.SIZE];
    for (int i = 0; i < USUAL_DELIMITERS.length; i++) {
      places[USUAL_DELIMITERS[i]] = (byte) (i + 1);
    }
    return places;
  }

  /**
   * Finds the lengths of a row's prefixes by all rules of {@link #USUAL}, in one pass.
   *
   * @param lengths receives the length in bytes of the prefix by each rule, or {@link #NONE}
   */
  public static void usualIn(byte[] bytes, int offset, int length, int[] lengths) {
    Arrays.fill(lengths, NONE);
    for (int i = 0; i < length; i++) {
      int place = PLACES[bytes[offset + i] & 0xFF];
      if (place != 0) {
        int rule = (place - 1) * USUAL_NUMBER;
        int end = rule + USUAL_NUMBER;
        while (rule < end && lengths[rule] != NONE) {
          rule++;
        }
        if (rule < end) {
          lengths[rule] = i + 1;
        }
      }
    }
  }

  /**
   * Returns the length in bytes of each prefix by this rule; {@link #NONE} if a delimiter ends it.
   */
  public int fixedLength() {
    return id == LENGTH ? number : NONE;
  }

  /** Returns the length in bytes of the prefix of a row, or {@link #NONE}. */
  public int lengthIn(byte[] bytes, int offset, int length) {
    if (id == LENGTH) {
      return length < number ? NONE : number;
    }
    int left = number;
    for (int i = 0; i < length; i++) {
      if (bytes[offset + i] == delimiter && --left == 0) {
        return i + 1;
      }
    }
    return NONE;
  }

  /**
   * Returns a copy of the prefix of a cell's row; null if the row has none. Reads no bytes behind
   * the prefix.
   */
  public byte[] prefixOf(Cell cell) {
    int rowLength = cell.getRowLength();
    if (!(cell instanceof ByteBufferExtendedCell)) {
      int offset = cell.getRowOffset();
      int length = lengthIn(cell.getRowArray(), offset, rowLength);
      return length == NONE
          ? null
          : Arrays.copyOfRange(cell.getRowArray(), offset, offset + length);
    }
    if (id == LENGTH && rowLength < number) {
      return null;
    }
    byte[] row = new byte[id == LENGTH ? number : rowLength];
    ByteBuffer bytes = ((ByteBufferExtendedCell) cell).getRowByteBuffer();
    int position = ((ByteBufferExtendedCell) cell).getRowPosition();
    for (int i = 0; i < row.length; i++) {
      row[i] = bytes.get(position + i);
    }
    int length = lengthIn(row, 0, row.length);
    return length == NONE ? null : Arrays.copyOf(row, length);
  }

  /** Returns true if the row of a cell begins with a given prefix. */
  public static boolean isPrefixOf(byte[] prefix, Cell cell) {
    int length = prefix.length;
    if (cell.getRowLength() < length) {
      return false;
    }
    if (!(cell instanceof ByteBufferExtendedCell)) {
      int offset = cell.getRowOffset();
      return Arrays.equals(prefix, 0, length, cell.getRowArray(), offset, offset + length);
    }
    ByteBuffer row = ((ByteBufferExtendedCell) cell).getRowByteBuffer();
    int position = ((ByteBufferExtendedCell) cell).getRowPosition();
    for (int i = 0; i < length; i++) {
      if (prefix[i] != row.get(position + i)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the hash of a row prefix, which differs from that of a row of the same bytes. */
  public static long hash(KeyHash hash, byte[] bytes, int offset, int length) {
    return KeyHash.combine(hash.hash(bytes, offset, length), TAG);
  }

  /** Returns the rule for row prefixes in words, for people. */
  public String label() {
    if (id == LENGTH) {
      return number == 1 ? "the first byte" : "the first " + number + " bytes";
    }
    return (number == 1 ? "up to the delimiter 0x" : "up to delimiter " + number + " of 0x")
        + String.format("%02X", delimiter);
  }

  /**
   * Returns the rule for row prefixes in the form that the setting {@code winnow.scan.prefix} has.
   */
  @Override
  public String toString() {
    if (id == LENGTH) {
      return String.valueOf(number);
    }
    return String.format("delimiter:0x%02X", delimiter) + (number == 1 ? "" : "," + number);
  }
}
