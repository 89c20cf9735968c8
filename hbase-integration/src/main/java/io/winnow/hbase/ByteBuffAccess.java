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
  public byte getByte(ByteBuff bytes, int index) {
    return bytes.get(Objects.checkFromIndexSize(index, Byte.BYTES, bytes.limit()));
  }

  @Override
  public int getInt(ByteBuff bytes, int index) {
    Objects.checkFromIndexSize(index, Integer.BYTES, bytes.limit());
    return Integer.reverseBytes(bytes.getInt(index));
  }

  @Override
  public long getLong(ByteBuff bytes, int index) {
    Objects.checkFromIndexSize(index, Long.BYTES, bytes.limit());
    return Long.reverseBytes(bytes.getLong(index));
  }
}
