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

  byte getByte(T bytes, int index);

  int getInt(T bytes, int index);

  long getLong(T bytes, int index);

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
  }

  /** Reads little-endian buffers. */
  final class BufferAccess implements ByteAccess<ByteBuffer> {
    private BufferAccess() {}

    @Override
    public byte getByte(ByteBuffer bytes, int index) {
      return bytes.get(index);
    }

    @Override
    public int getInt(ByteBuffer bytes, int index) {
      return bytes.getInt(index);
    }

    @Override
    public long getLong(ByteBuffer bytes, int index) {
      return bytes.getLong(index);
    }
  }
}
