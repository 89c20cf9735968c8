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

  /** Reads buffers: their order decides how their own reads are taken, and is left as it is. */
  final class BufferAccess implements ByteAccess<ByteBuffer> {
    private BufferAccess() {}

    @Override
    public byte getByte(ByteBuffer bytes, int index) {
      return bytes.get(index);
    }

    @Override
    public int getInt(ByteBuffer bytes, int index) {
      int value = bytes.getInt(index);
      return bytes.order() == ByteOrder.LITTLE_ENDIAN ? value : Integer.reverseBytes(value);
    }

    @Override
    public long getLong(ByteBuffer bytes, int index) {
      long value = bytes.getLong(index);
      return bytes.order() == ByteOrder.LITTLE_ENDIAN ? value : Long.reverseBytes(value);
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
