package io.winnow.hbase.format;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.hbase.ByteBufferExtendedCell;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * The part of a cell that is the key of a filter. The ids, the hashes and the form of the index
 * keys are schema-critical: {@code docs/format/hfile-meta-v2.md}.
 *
 * <p>Only {@link #indexKey} allocates, and {@link #hash} with {@link KeyHash#MURMUR3}; it does not
 * matter whether an array or a {@code ByteBuffer} holds the cell.
 */
public enum KeyKind {
  /** Key of a filter that is the row of a cell. */
  ROW(1, "ROW"),
  /**
   * Key of a filter that is the row and the qualifier of a cell. HBase makes two probes: of (row,
   * qualifier) and of (row, nothing).
   */
  ROWCOL(2, "ROWCOL"),
  /**
   * Key of a filter that is a prefix, of a fixed length, of the row of a cell. HBase passes cells
   * whose row is cut to the prefix already.
   */
  ROWPREFIX_FIXED_LENGTH(3, "ROWPREFIX_FIXED_LENGTH"),
  /** Key of a filter that is a row with a delete-family marker. */
  DELETE_FAMILY(4, "delete family");

  /** The number that stands for a kind of key in the meta block: schema-critical, never reused. */
  final int id;

  /** The name of a kind of key for people, which is that of HBase's Bloom type if there is one. */
  public final String label;

  KeyKind(int id, String label) {
    this.id = id;
    this.label = label;
  }

  /** Returns true if the filter's keys have a qualifier beside the row. */
  public boolean hasQualifier() {
    return this == ROWCOL;
  }

  /**
   * Returns the number of the hash function that stands in the images of a filter's chunks. It is 0
   * if a key is combined of two hashes, or if only the meta block has the seed: then no program can
   * probe the image by the bytes of a key. Schema-critical.
   */
  public int imageHashId(KeyHash hash) {
    return hasQualifier() || hash.isSeeded() ? 0 : hash.id();
  }

  /**
   * Returns the kind of key that a number in the meta block stands for.
   *
   * @throws FilterFormatException if there is none
   */
  static KeyKind ofId(int id) {
    for (KeyKind kind : values()) {
      if (kind.id == id) {
        return kind;
      }
    }
    throw new FilterFormatException("unknown key kind id " + id);
  }

  /**
   * Returns the kind of key for HBase's Bloom type; null for a type that has no filter, or that is
   * newer than this code.
   */
  public static KeyKind of(BloomType type) {
    switch (type) {
      case ROW:
        return ROW;
      case ROWCOL:
        return ROWCOL;
      case ROWPREFIX_FIXED_LENGTH:
        return ROWPREFIX_FIXED_LENGTH;
      default:
        return null;
    }
  }

  /**
   * Converts the false-positive rate of one probe to that of a query, which may be two probes. A
   * query of {@link #ROWCOL} keys is two probes, and each of them may be wrong.
   */
  public double rateOfQuery(double rateOfProbe) {
    return hasQualifier() ? rateOfProbe * (2 - rateOfProbe) : rateOfProbe;
  }

  /** Converts the false-positive rate of a query, which may be two probes, to that of one probe. */
  public double rateOfProbe(double rateOfQuery) {
    // 1 - sqrt(1 - e), in a form that loses no digits where e is small
    return hasQualifier() ? rateOfQuery / (1 + Math.sqrt(1 - rateOfQuery)) : rateOfQuery;
  }

  /** Returns the hash of the part of a cell that is the filter's key. */
  public long hash(KeyHash hash, Cell cell) {
    long row = hashRow(hash, cell);
    return hasQualifier() ? KeyHash.combine(row, hashQualifier(hash, cell)) : row;
  }

  private static long hashRow(KeyHash hash, Cell cell) {
    if (cell instanceof ByteBufferExtendedCell) {
      ByteBufferExtendedCell buffer = (ByteBufferExtendedCell) cell;
      return hash.hash(buffer.getRowByteBuffer(), buffer.getRowPosition(), cell.getRowLength());
    }
    return hash.hash(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength());
  }

  private static long hashQualifier(KeyHash hash, Cell cell) {
    if (cell instanceof ByteBufferExtendedCell) {
      ByteBufferExtendedCell buffer = (ByteBufferExtendedCell) cell;
      return hash.hash(
          buffer.getQualifierByteBuffer(),
          buffer.getQualifierPosition(),
          cell.getQualifierLength());
    }
    return hash.hash(
        cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
  }

  /**
   * Returns the key that the filter has for a cell, in the form of the chunk index: the row. If the
   * key has a qualifier: the length of the row in two little-endian bytes, the row, the qualifier.
   */
  public byte[] indexKey(Cell cell) {
    byte[] row = CellUtil.cloneRow(cell);
    if (!hasQualifier()) {
      return row;
    }
    byte[] qualifier = CellUtil.cloneQualifier(cell);
    byte[] key = new byte[Short.BYTES + row.length + qualifier.length];
    key[0] = (byte) row.length;
    key[1] = (byte) (row.length >>> 8);
    System.arraycopy(row, 0, key, Short.BYTES, row.length);
    System.arraycopy(qualifier, 0, key, Short.BYTES + row.length, qualifier.length);
    return key;
  }

  /** Returns the row in a key that has the form of the chunk index. */
  public byte[] row(byte[] indexKey) {
    return hasQualifier()
        ? Arrays.copyOfRange(indexKey, Short.BYTES, Short.BYTES + rowLength(indexKey, 0))
        : indexKey;
  }

  /** Returns true if an array's bytes have the form of a key in the chunk index. */
  boolean isIndexKey(byte[] bytes, int from, int to) {
    return hasQualifier()
        ? to - from >= Short.BYTES && rowLength(bytes, from) <= to - from - Short.BYTES
        : to - from <= Short.MAX_VALUE;
  }

  private static int rowLength(byte[] bytes, int from) {
    return (bytes[from] & 0xFF) | (bytes[from + 1] & 0xFF) << 8;
  }

  /**
   * Compares two keys of the chunk index in the order in which HBase appends them to the filter.
   */
  int compareIndexKeys(byte[] bytes, int fromA, int toA, int fromB, int toB) {
    if (!hasQualifier()) {
      return Arrays.compareUnsigned(bytes, fromA, toA, bytes, fromB, toB);
    }
    int rowA = fromA + Short.BYTES;
    int endA = rowA + rowLength(bytes, fromA);
    int rowB = fromB + Short.BYTES;
    int endB = rowB + rowLength(bytes, fromB);
    int order = Arrays.compareUnsigned(bytes, rowA, endA, bytes, rowB, endB);
    return order != 0 ? order : Arrays.compareUnsigned(bytes, endA, toA, bytes, endB, toB);
  }

  /** Compares a key of the chunk index with the key of a cell. */
  int compareToCell(byte[] bytes, int from, int to, Cell cell) {
    if (!hasQualifier()) {
      return compareRow(bytes, from, to, cell);
    }
    int row = from + Short.BYTES;
    int end = row + rowLength(bytes, from);
    int order = compareRow(bytes, row, end, cell);
    return order != 0 ? order : compareQualifier(bytes, end, to, cell);
  }

  private static int compareRow(byte[] bytes, int from, int to, Cell cell) {
    int length = cell.getRowLength();
    if (cell instanceof ByteBufferExtendedCell) {
      ByteBufferExtendedCell buffer = (ByteBufferExtendedCell) cell;
      return compare(bytes, from, to, buffer.getRowByteBuffer(), buffer.getRowPosition(), length);
    }
    int offset = cell.getRowOffset();
    return Arrays.compareUnsigned(bytes, from, to, cell.getRowArray(), offset, offset + length);
  }

  private static int compareQualifier(byte[] bytes, int from, int to, Cell cell) {
    int length = cell.getQualifierLength();
    if (cell instanceof ByteBufferExtendedCell) {
      ByteBufferExtendedCell buffer = (ByteBufferExtendedCell) cell;
      return compare(
          bytes, from, to, buffer.getQualifierByteBuffer(), buffer.getQualifierPosition(), length);
    }
    int offset = cell.getQualifierOffset();
    return Arrays.compareUnsigned(
        bytes, from, to, cell.getQualifierArray(), offset, offset + length);
  }

  private static int compare(
      byte[] bytes, int from, int to, ByteBuffer other, int offset, int length) {
    if (other.hasArray()) {
      int start = other.arrayOffset() + offset;
      return Arrays.compareUnsigned(bytes, from, to, other.array(), start, start + length);
    }
    int common = Math.min(to - from, length);
    for (int i = 0; i < common; i++) {
      int order = Byte.compareUnsigned(bytes[from + i], other.get(offset + i));
      if (order != 0) {
        return order;
      }
    }
    return (to - from) - length;
  }
}
