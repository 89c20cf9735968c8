package io.winnow.hbase;

import io.winnow.bits.ByteAccess;
import java.util.Objects;
import org.apache.hadoop.hbase.nio.ByteBuff;

/**
 * Reads HBase's {@link ByteBuff}, off heap or of several parts, by absolute index.
 *
 * <p>HBase's own absolute reads are big-endian and, where {@code Unsafe} is there, unchecked: an
 * index outside the buffer would read other memory. The check is made here, against the limit. One
 * array on the heap is better read with {@link ByteAccess#ARRAY}.
 */
final class ByteBuffAccess implements ByteAccess<ByteBuff> {
  static final ByteBuffAccess INSTANCE = new ByteBuffAccess();

  private ByteBuffAccess() {}

  @Override
  public byte getByte(ByteBuff bytes, long index) {
    return bytes.get((int) Objects.checkFromIndexSize(index, (long) Byte.BYTES, bytes.limit()));
  }

  @Override
  public int getInt(ByteBuff bytes, long index) {
    Objects.checkFromIndexSize(index, (long) Integer.BYTES, bytes.limit());
    return Integer.reverseBytes(bytes.getInt((int) index));
  }

  @Override
  public long getLong(ByteBuff bytes, long index) {
    Objects.checkFromIndexSize(index, (long) Long.BYTES, bytes.limit());
    return Long.reverseBytes(bytes.getLong((int) index));
  }
}
