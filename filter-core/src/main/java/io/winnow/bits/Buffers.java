package io.winnow.bits;

import java.nio.ByteBuffer;

/**
 * Absolute reads and writes of many bytes, which Java's buffers have from Java 13 on. Position and
 * limit of the buffer stay as they are, so that threads can share it.
 */
public final class Buffers {
  private Buffers() {}

  /** These bytes as a buffer of their own, big-endian, over the same memory. */
  public static ByteBuffer slice(ByteBuffer buffer, int offset, int length) {
    return buffer.duplicate().limit(offset + length).position(offset).slice();
  }

  /** Fills the array with the bytes from this place on. */
  public static void get(ByteBuffer from, int offset, byte[] into) {
    from.duplicate().position(offset).get(into);
  }

  /** Writes the array over the bytes from this place on. */
  public static void put(ByteBuffer into, int offset, byte[] bytes) {
    into.duplicate().position(offset).put(bytes);
  }
}
