package io.winnow.flash.bufferhash;

import io.winnow.base.Buffers;
import java.nio.ByteBuffer;

/**
 * The format of an entry, or of a delete, in a BufferHash's buffers, data pages and logs:
 * schema-critical.
 *
 * <pre>
 *   0 key hash (8) | 8 bytes of the key (2) | 10 bytes of the value, 0xFFFF for a delete (2) |
 *   12 key | value
 * </pre>
 *
 * <p>In a table of fingerprints the key has no bytes: its hash is the whole key. Buffers are
 * little-endian.
 */
final class Records {
  static final int HEADER_BYTES = 12;

  /** Result of a lookup whose newest record of the key is a delete. */
  static final byte[] DELETED = new byte[0];

  /** Result of a lookup in a buffer or on a page without a record of the key. */
  static final byte[] NOT_HERE = new byte[0];

  private static final int KEY_LENGTH = 8;
  private static final int VALUE_LENGTH = 10;
  private static final int DELETE = 0xFFFF;
  private static final byte[] NO_KEY = new byte[0];

  private Records() {}

  /**
   * Returns the size in bytes of the record of a key and a value.
   *
   * @param key null for no bytes
   * @param value null for a delete
   */
  static int bytes(byte[] key, byte[] value) {
    return HEADER_BYTES + (key == null ? 0 : key.length) + (value == null ? 0 : value.length);
  }

  /** Writes the record of a key and a value, or of a delete, into a buffer. */
  static void put(ByteBuffer into, int at, long hash, byte[] key, byte[] value) {
    byte[] ofKey = key == null ? NO_KEY : key;
    into.putLong(at, hash);
    into.putShort(at + KEY_LENGTH, (short) ofKey.length);
    into.putShort(at + VALUE_LENGTH, (short) (value == null ? DELETE : value.length));
    Buffers.put(into, at + HEADER_BYTES, ofKey);
    if (value != null) {
      Buffers.put(into, at + HEADER_BYTES + ofKey.length, value);
    }
  }

  /** Copies a record from one buffer to another. Both buffers have the same byte order. */
  static void copy(ByteBuffer from, int at, ByteBuffer into, int to, int bytes) {
    int last = bytes - Long.BYTES; // at least 4: a record is longer than 8 bytes
    for (int i = 0; i < last; i += Long.BYTES) {
      into.putLong(to + i, from.getLong(at + i));
    }
    into.putLong(to + last, from.getLong(at + last));
  }

  /** Returns the key hash of the record at a given offset of a buffer. */
  static long hash(ByteBuffer from, int at) {
    return from.getLong(at);
  }

  /** Returns the number of bytes in a record's key. */
  private static int keyLength(ByteBuffer from, int at) {
    return from.getShort(at + KEY_LENGTH) & 0xFFFF;
  }

  /** Returns whether a record is that of a delete. */
  static boolean isDelete(ByteBuffer from, int at) {
    return (from.getShort(at + VALUE_LENGTH) & 0xFFFF) == DELETE;
  }

  /** Returns the number of bytes in a record's value. */
  private static int valueLength(ByteBuffer from, int at) {
    return isDelete(from, at) ? 0 : from.getShort(at + VALUE_LENGTH) & 0xFFFF;
  }

  /** Returns the size in bytes of the record at a given offset of a buffer. */
  static int bytes(ByteBuffer from, int at) {
    return HEADER_BYTES + keyLength(from, at) + valueLength(from, at);
  }

  /**
   * Returns the size in bytes of the record at a given offset of a buffer, or -1 if there is no
   * valid record before the given end.
   */
  static int checkedBytes(ByteBuffer from, int at, int end, Geometry geometry) {
    if (end - at < HEADER_BYTES) {
      return -1;
    }
    int key = keyLength(from, at);
    int value = valueLength(from, at);
    boolean fits =
        (geometry.keyed || key == 0)
            && key <= geometry.maxKeyBytes
            && value <= geometry.maxValueBytes
            && HEADER_BYTES + key + value <= end - at;
    return fits ? HEADER_BYTES + key + value : -1;
  }

  /**
   * Returns whether a record belongs to this key.
   *
   * @param key null in a table of fingerprints
   */
  static boolean isOf(ByteBuffer from, int at, long hash, byte[] key) {
    if (from.getLong(at) != hash) {
      return false;
    }
    int length = keyLength(from, at);
    if (length != (key == null ? 0 : key.length)) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (from.get(at + HEADER_BYTES + i) != key[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns a copy of a record's key, or null in a table of fingerprints. */
  static byte[] key(ByteBuffer from, int at, Geometry geometry) {
    if (!geometry.keyed) {
      return null;
    }
    byte[] key = new byte[keyLength(from, at)];
    Buffers.get(from, at + HEADER_BYTES, key);
    return key;
  }

  /** Returns a copy of a record's value, or {@link #DELETED}. */
  static byte[] value(ByteBuffer from, int at) {
    if (isDelete(from, at)) {
      return DELETED;
    }
    byte[] value = new byte[valueLength(from, at)];
    Buffers.get(from, at + HEADER_BYTES + keyLength(from, at), value);
    return value;
  }

  /**
   * Overwrites the value of a record by another one of equal length.
   *
   * @return false if the lengths differ, or one is a delete
   */
  static boolean overwriteValue(ByteBuffer into, int at, byte[] value) {
    if (value == null || isDelete(into, at) || valueLength(into, at) != value.length) {
      return false;
    }
    Buffers.put(into, at + HEADER_BYTES + keyLength(into, at), value);
    return true;
  }
}
