package io.winnow.ycsb;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The contents of a row: five columns, {@code field0} to {@code field4}, of 20 bytes each. A value
 * is computed from row key, column and version, so that every value that is read can be checked.
 *
 * <p>A value is its version, 8 bytes big-endian, and 12 bytes of a hash of key, column and version.
 * All columns of a row are written at once and have the same version: a read that mixes two
 * versions is wrong.
 */
public final class RowValues {

  /** Number of columns in a row of the table. */
  public static final int COLUMNS = 5;

  /** Length of a column's value in bytes. */
  public static final int VALUE_LENGTH = 20;

  /** Version that stands for a row with wrong contents. */
  public static final long WRONG = -1;

  private static final String[] NAMES =
      IntStream.range(0, COLUMNS).mapToObj(column -> "field" + column).toArray(String[]::new);

  private RowValues() {}

  /**
   * Returns the qualifier of a numbered column in HBase. Columns are in the order of their
   * qualifiers.
   */
  public static byte[] qualifier(int column) {
    return NAMES[column].getBytes(StandardCharsets.ISO_8859_1);
  }

  /**
   * Returns the values that a version of a row has in all columns; it hashes the row key only once.
   */
  public static byte[][] values(byte[] key, long version) {
    long hash = hash(key);
    byte[][] values = new byte[COLUMNS][];
    for (int column = 0; column < COLUMNS; column++) {
      values[column] = value(hash, column, version);
    }
    return values;
  }

  /** Returns the values that a version of a row has, by column name. */
  public static Map<String, byte[]> byName(byte[] key, long version) {
    byte[][] values = values(key, version);
    Map<String, byte[]> byName = new LinkedHashMap<>();
    for (int column = 0; column < COLUMNS; column++) {
      byName.put(NAMES[column], values[column]);
    }
    return Collections.unmodifiableMap(byName);
  }

  /**
   * Returns the version of a row whose values were read, 0 or more. It is {@link #WRONG} if a
   * column is missing, there are other columns, a value does not belong to this row, or columns
   * have different versions.
   */
  public static long version(byte[] key, Map<String, byte[]> read) {
    if (read.size() != COLUMNS) {
      return WRONG;
    }
    long hash = hash(key);
    long version = WRONG;
    for (int column = 0; column < COLUMNS; column++) {
      byte[] value = read.get(NAMES[column]);
      if (value == null || value.length != VALUE_LENGTH) {
        return WRONG;
      }
      long its = ByteBuffer.wrap(value).getLong();
      if (its < 0
          || column > 0 && its != version
          || !Arrays.equals(value, value(hash, column, its))) {
        return WRONG;
      }
      version = its;
    }
    return version;
  }

  private static byte[] value(long keyHash, int column, long version) {
    if (version < 0) {
      throw new IllegalArgumentException("version " + version + " is negative");
    }
    long first = Mix.of(keyHash + column ^ Mix.of(version));
    return ByteBuffer.allocate(VALUE_LENGTH)
        .putLong(version)
        .putLong(first)
        .putInt((int) Mix.of(first))
        .array();
  }

  private static long hash(byte[] key) {
    ByteBuffer bytes = ByteBuffer.wrap(key);
    long hash = key.length;
    while (bytes.remaining() >= Long.BYTES) {
      hash = Mix.of(hash ^ bytes.getLong());
    }
    while (bytes.hasRemaining()) {
      hash = Mix.of(hash ^ bytes.get());
    }
    return hash;
  }
}
