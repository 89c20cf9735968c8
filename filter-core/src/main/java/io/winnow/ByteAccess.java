package io.winnow;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Absolute little-endian reads from any object that holds the bytes of an image.
 *
 * <p>It is a strategy instead of a wrapper, so that a probe allocates nothing: one static instance
 * serves all arrays (all buffers, all split buffers). Hot code calls it through a constant such as
 * {@link #ARRAY}, so that the JIT can inline it. An index outside the bytes causes an {@link
 * IndexOutOfBoundsException}; it never reads other memory.
 *
 * @param <T> the object that holds the bytes
 */
public interface ByteAccess<T> {

  /** Returns the byte at an index of an image. */
  byte getByte(T bytes, int index);

  /** Returns the four bytes at an index of an image as a little-endian number. */
  int getInt(T bytes, int index);

  /** Returns the eight bytes at an index of an image as a little-endian number. */
  long getLong(T bytes, int index);

  /**
   * Returns parities of selected bits of an image: the inner loop of a Ribbon filter's probe. Bit i
   * of the result is the parity of the bits that {@code maskHere} selects in the word at {@code
   * here + i * stride} and {@code maskThere} in the word at {@code there + i * stride}.
   *
   * <p>A single call does all words, so that a probe makes one virtual call, and each
   * implementation has its own loop, compiled for the kind of memory that it reads.
   *
   * @param count number of parities, 0 to 63
   */
  default long parities(
      T bytes, int here, int there, int stride, long maskHere, long maskThere, int count) {
    long parities = 0;
    for (int i = 0; i < count; i++) {
      long picked =
          (getLong(bytes, here + stride * i) & maskHere)
              ^ (getLong(bytes, there + stride * i) & maskThere);
      parities |= (Long.bitCount(picked) & 1L) << i;
    }
    return parities;
  }

  /** Returns the CRC32C of {@code length} bytes of an image from {@code index} on. */
  default int crc32c(T bytes, int index, int length) {
    CRC32C crc = new CRC32C();
    for (int i = 0; i < length; i++) {
      crc.update(getByte(bytes, index + i));
    }
    return (int) crc.getValue();
  }

  /** Access to the bytes of a {@code byte[]}. */
  ByteAccess<byte[]> ARRAY = new ArrayAccess();

  /** Access to the bytes of a {@link ByteBuffer} of any kind and byte order. */
  ByteAccess<ByteBuffer> BUFFER = new BufferAccess();

  /** Returns the remaining bytes of a buffer as a little-endian buffer from index 0. */
  static ByteBuffer littleEndianSlice(ByteBuffer buffer) {
    return buffer.slice().order(ByteOrder.LITTLE_ENDIAN);
  }
}
