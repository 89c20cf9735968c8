package io.winnow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Reads numbers from byte arrays through VarHandles. */
final class ArrayAccess implements ByteAccess<byte[]> {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

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

  @Override
  public String toString() {
    return "access to a byte[]";
  }
}
