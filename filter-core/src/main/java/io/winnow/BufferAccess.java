package io.winnow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * Reads numbers from byte buffers through VarHandles. A VarHandle checks neither the order of a
 * buffer nor its class, which the buffer's own methods would do at each read.
 */
final class BufferAccess implements ByteAccess<ByteBuffer> {
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

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
   * Computes parities of selected bits of an image in a loop whose end is an index: the JIT splits
   * a counted loop into three, which is too much for a few words.
   */
  @Override
  public long parities(
      ByteBuffer bytes, int here, int there, int stride, long maskHere, long maskThere, int count) {
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

  @Override
  public String toString() {
    return "access to a ByteBuffer";
  }
}
