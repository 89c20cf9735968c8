package io.winnow.hbase.read;

import io.winnow.ByteAccess;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.nio.SingleByteBuff;

/**
 * Access by absolute index to the bytes of HBase's {@link ByteBuff}, off heap or of several parts.
 *
 * <p>HBase's own absolute reads are big-endian. If {@code Unsafe} is there they are also unchecked:
 * an index outside the buffer would read other memory. So the check against the limit is made here.
 * One array on the heap is better read with {@link ByteAccess#ARRAY}.
 */
public final class ByteBuffAccess implements ByteAccess<ByteBuff> {
  public static final ByteBuffAccess INSTANCE = new ByteBuffAccess();

  private static final int PIECE_SIZE = 4096;

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

  /**
   * Returns the parities of pairs of words that are read from a buffer and masked. Finds the part
   * of the buffer once, because nearly always all words are in one; the part compares each index
   * with its limit.
   */
  @Override
  public long parities(
      ByteBuff bytes, int here, int there, int stride, long maskHere, long maskThere, int count) {
    if (bytes instanceof SingleByteBuff) {
      ByteBuffer whole = bytes.asSubByteBuffer(0);
      return BUFFER.parities(whole, here, there, stride, maskHere, maskThere, count);
    }
    int from = Math.min(here, there);
    int length = Math.max(here, there) - from + stride * (count - 1) + Long.BYTES;
    ByteBuffer[] parts = bytes.nioByteBuffers();
    // The second part rather than the first without a branch: half of the keys need it.
    int first = parts[0].limit();
    int i = (first - 1 - from) >>> 31; // 0 or 1
    int begin = first & -i;
    while (from - begin >= parts[i].limit()) {
      begin += parts[i++].limit();
    }
    if (length > parts[i].limit() - (from - begin)) {
      return ByteAccess.super.parities(bytes, here, there, stride, maskHere, maskThere, count);
    }
    return BUFFER.parities(
        parts[i], here - begin, there - begin, stride, maskHere, maskThere, count);
  }

  @Override
  public int crc32c(ByteBuff bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.limit());
    CRC32C crc = new CRC32C();
    if (bytes.hasArray()) {
      crc.update(bytes.array(), bytes.arrayOffset() + offset, length);
      return (int) crc.getValue();
    }
    byte[] piece = new byte[Math.min(length, PIECE_SIZE)];
    for (int done = 0; done < length; ) {
      int count = Math.min(length - done, piece.length);
      bytes.get(offset + done, piece, 0, count);
      crc.update(piece, 0, count);
      done += count;
    }
    return (int) crc.getValue();
  }
}
