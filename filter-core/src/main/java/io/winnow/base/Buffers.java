package io.winnow.base;

import java.nio.ByteBuffer;

/**
 * Absolute reads and writes of many bytes, which Java's buffers have since Java 13. Position and
 * limit of the buffer do not change, so threads can share it.
 */
public final class Buffers {
  private Buffers() {}

  /** Returns a big-endian buffer over {@code length} bytes of another buffer's memory. */
  public static ByteBuffer slice(ByteBuffer buffer, int offset, int length) {
    return buffer.duplicate().limit(offset + length).position(offset).slice();
  }

  /** Reads a buffer's bytes from {@code offset} on into an array, until the array is full. */
  public static void get(ByteBuffer from, int offset, byte[] into) {
    from.duplicate().position(offset).get(into);
  }

  /** Writes an array to a buffer's bytes from {@code offset} on. */
  public static void put(ByteBuffer into, int offset, byte[] bytes) {
    into.duplicate().position(offset).put(bytes);
  }
}
