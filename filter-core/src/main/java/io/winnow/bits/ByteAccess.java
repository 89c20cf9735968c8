package io.winnow.bits;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * Absolute little-endian reads from whatever holds the bytes of an image.
 *
 * <p>A strategy rather than a wrapper, so that a probe allocates nothing: the same static instance
 * serves every array (every buffer, every split buffer). Hot code calls through a constant such as
 * {@link #ARRAY}, which the JIT then sees through. An index outside the bytes is answered by an
 * {@link IndexOutOfBoundsException}, never by other memory.
 *
 * @param <T> what holds the bytes
 */
public interface ByteAccess<T> {

  byte getByte(T bytes, int index);

  int getInt(T bytes, int index);

  long getLong(T bytes, int index);

  /**
   * Parities of picked bits, the inner loop of a Ribbon probe. Bit i of the answer is the parity of
   * the bits that {@code maskHere} picks in the word at {@code here + i * stride} and {@code
   * maskThere} in the word at {@code there + i * stride}.
   *
   * <p>One call for all words, so that a probe asks its access once, and each access has a loop of
   * its own, compiled for what it reads.
   *
   * @param count of the parities, 0 to 63
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

  /** The CRC32C of {@code length} bytes from {@code index} on. */
  default int crc32c(T bytes, int index, int length) {
    CRC32C crc = new CRC32C();
    for (int i = 0; i < length; i++) {
      crc.update(getByte(bytes, index + i));
    }
    return (int) crc.getValue();
  }

  /** Over {@code byte[]}. */
  ByteAccess<byte[]> ARRAY = new ArrayAccess();

  /** Over a {@link ByteBuffer} of any kind, whatever byte order it is in. */
  ByteAccess<ByteBuffer> BUFFER = new BufferAccess();

  /** The remaining bytes of {@code buffer}, in little-endian order, starting at index 0. */
  static ByteBuffer littleEndianSlice(ByteBuffer buffer) {
    return buffer.slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Reads arrays through VarHandles. */
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
   * Reads buffers through VarHandles. These ask neither for the order of a buffer nor for its
   * class, which a call of the buffer's own methods would, once for each read.
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

    /** Loops to an index: a loop that counts is split in three, too much for a few words. */
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
      return parities >>> (64 - count); // of no parities, 0 >>> 64
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
