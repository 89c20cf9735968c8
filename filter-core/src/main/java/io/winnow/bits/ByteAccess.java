package io.winnow.bits;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
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

  /** Returns the remaining bytes of {@code buffer} as a little-endian buffer from index 0. */
  static ByteBuffer littleEndianSlice(ByteBuffer buffer) {
    return buffer.slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Reads numbers from byte arrays through VarHandles. */
  final class ArrayAccess implements ByteAccess<byte[]> {
    private static final VarHandle INT =
        MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private ArrayAccess() {}

    @Override
    public byte getByte(byte[] bytes, int index) {
      return bytes[index];
    }

    @Override
    public int getInt(byte[] bytes, int index) {
      return (int) INT.get(bytes, index);
    }

    @Override
    public long getLong(byte[] bytes, int index) {
      return (long) LONG.get(bytes, index);
    }

    @Override
    public int crc32c(byte[] bytes, int index, int length) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, index, length);
      return (int) crc.getValue();
    }
  }

  /**
   * Reads numbers from byte buffers through VarHandles. A VarHandle checks neither the order of a
   * buffer nor its class, which the buffer's own methods would do at each read.
   */
  final class BufferAccess implements ByteAccess<ByteBuffer> {
    private static final VarHandle INT =
        MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private BufferAccess() {}

    @Override
    public byte getByte(ByteBuffer bytes, int index) {
      return bytes.get(index);
    }

    @Override
    public int getInt(ByteBuffer bytes, int index) {
      return (int) INT.get(bytes, index);
    }

    @Override
    public long getLong(ByteBuffer bytes, int index) {
      return (long) LONG.get(bytes, index);
    }

    /**
     * Computes parities of selected bits of an image in a loop whose end is an index: the JIT
     * splits a counted loop into three, which is too much for a few words.
     */
    @Override
    public long parities(
        ByteBuffer bytes,
        int here,
        int there,
        int stride,
        long maskHere,
        long maskThere,
        int count) {
      long parities = 0;
      for (int end = here + stride * count; here != end; here += stride, there += stride) {
        long picked =
            ((long) LONG.get(bytes, here) & maskHere) ^ ((long) LONG.get(bytes, there) & maskThere);
        parities = parities >>> 1 | (long) Long.bitCount(picked) << 63;
      }
      return parities >>> (64 - count); // if count is 0, 0 >>> 64
    }

    @Override
    public int crc32c(ByteBuffer bytes, int index, int length) {
      Objects.checkFromIndexSize(index, length, bytes.limit());
      CRC32C crc = new CRC32C();
      crc.update(bytes.duplicate().limit(index + length).position(index));
      return (int) crc.getValue();
    }
  }
}
