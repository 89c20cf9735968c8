package io.winnow.bits;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

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

  byte getByte(T bytes, long index);

  int getInt(T bytes, long index);

  long getLong(T bytes, long index);

  /** Over {@code byte[]}. */
  ByteAccess<byte[]> ARRAY = new ArrayAccess();

  /** Over a {@link ByteBuffer} that is in little-endian order, see {@link #littleEndianSlice}. */
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
    public byte getByte(byte[] bytes, long index) {
      return bytes[Math.toIntExact(index)];
    }

    @Override
    public int getInt(byte[] bytes, long index) {
      return (int) INT.get(bytes, (int) index);
    }

    @Override
    public long getLong(byte[] bytes, long index) {
      return (long) LONG.get(bytes, (int) index);
    }
  }

  /** Reads little-endian buffers. */
  final class BufferAccess implements ByteAccess<ByteBuffer> {
    private BufferAccess() {}

    @Override
    public byte getByte(ByteBuffer bytes, long index) {
      return bytes.get((int) index);
    }

    @Override
    public int getInt(ByteBuffer bytes, long index) {
      return bytes.getInt((int) index);
    }

    @Override
    public long getLong(ByteBuffer bytes, long index) {
      return bytes.getLong((int) index);
    }
  }
}
