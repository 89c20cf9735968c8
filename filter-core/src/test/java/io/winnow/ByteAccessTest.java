package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteAccessTest {

  /** These bytes in every kind of buffer and order, others before and behind them. */
  private static List<ByteBuffer> buffersOf(byte[] bytes) {
    List<ByteBuffer> buffers = new ArrayList<>();
    for (ByteBuffer whole :
        List.of(
            ByteBuffer.allocate(bytes.length + 24), ByteBuffer.allocateDirect(bytes.length + 24))) {
      for (int i = 0; i < whole.capacity(); i++) {
        whole.put(i, (byte) -1);
      }
      whole.put(11, bytes);
      ByteBuffer slice = whole.slice(11, bytes.length + 9).limit(bytes.length);
      for (ByteBuffer buffer : List.of(slice, slice.asReadOnlyBuffer())) {
        buffers.add(buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN));
        buffers.add(buffer.duplicate().order(ByteOrder.BIG_ENDIAN));
      }
    }
    return buffers;
  }

  @Test
  void everyBufferIsReadAsTheArray() {
    byte[] bytes = new byte[40];
    new Random(1).nextBytes(bytes);
    for (ByteBuffer buffer : buffersOf(bytes)) {
      for (int i = 0; i < bytes.length; i++) {
        assertEquals(bytes[i], ByteAccess.BUFFER.getByte(buffer, i));
        if (i <= bytes.length - 4) {
          assertEquals(ByteAccess.ARRAY.getInt(bytes, i), ByteAccess.BUFFER.getInt(buffer, i));
        }
        if (i <= bytes.length - 8) {
          assertEquals(ByteAccess.ARRAY.getLong(bytes, i), ByteAccess.BUFFER.getLong(buffer, i));
        }
      }
    }
  }

  /** Bit by bit, from single bytes. */
  private static long plainParities(
      byte[] bytes, int here, int there, int stride, long maskHere, long maskThere, int count) {
    long parities = 0;
    for (int i = 0; i < count; i++) {
      for (int bit = 0; bit < 64; bit++) {
        int ofHere = bytes[here + stride * i + bit / 8] >> bit % 8 & (int) (maskHere >>> bit);
        int ofThere = bytes[there + stride * i + bit / 8] >> bit % 8 & (int) (maskThere >>> bit);
        parities ^= (long) ((ofHere ^ ofThere) & 1) << i;
      }
    }
    return parities;
  }

  @Test
  void paritiesAreThoseOfThePickedBits() {
    Random random = new Random(2);
    byte[] bytes = new byte[2000];
    random.nextBytes(bytes);
    List<ByteBuffer> buffers = buffersOf(bytes);
    SplitBytes split = new SplitBytes(0, bytes.length);
    byte[][] pieces = SplitBytes.split(bytes, 0, 13);
    for (int round = 0; round < 2000; round++) {
      int count = round % 64;
      int stride = round % 3 == 0 ? 16 : 8;
      int reach = count == 0 ? 0 : stride * (count - 1) + 8;
      int here = random.nextInt(bytes.length - reach + 1);
      int there = round % 5 == 0 ? here : random.nextInt(bytes.length - reach + 1);
      long maskHere = random.nextLong();
      long maskThere = random.nextLong() >>> random.nextInt(64);
      long expected = plainParities(bytes, here, there, stride, maskHere, maskThere, count);
      assertEquals(
          expected,
          ByteAccess.ARRAY.parities(bytes, here, there, stride, maskHere, maskThere, count));
      assertEquals(
          expected, split.parities(pieces, here, there, stride, maskHere, maskThere, count));
      for (ByteBuffer buffer : buffers) {
        assertEquals(
            expected,
            ByteAccess.BUFFER.parities(buffer, here, there, stride, maskHere, maskThere, count));
      }
    }
  }

  /** The bytes behind the limit are there, and are not read either. */
  @Test
  void nothingOutsideIsRead() {
    byte[] bytes = new byte[40];
    assertOutside(ByteAccess.ARRAY, bytes, bytes.length);
    for (ByteBuffer buffer : buffersOf(bytes)) {
      assertOutside(ByteAccess.BUFFER, buffer, bytes.length);
      assertOutside(ByteAccess.BUFFER, buffer.duplicate().limit(7), 7);
      assertOutside(ByteAccess.BUFFER, buffer.duplicate().limit(0), 0);
    }
  }

  private static <T> void assertOutside(ByteAccess<T> access, T bytes, int length) {
    for (int index : new int[] {-1, -8, length, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertThrows(IndexOutOfBoundsException.class, () -> access.getByte(bytes, index));
      assertThrows(IndexOutOfBoundsException.class, () -> access.getInt(bytes, index));
      assertThrows(IndexOutOfBoundsException.class, () -> access.getLong(bytes, index));
      assertNoParities(access, bytes, index, 0, 1);
      assertNoParities(access, bytes, 0, index, 1);
    }
    assertThrows(IndexOutOfBoundsException.class, () -> access.getInt(bytes, length - 3));
    assertThrows(IndexOutOfBoundsException.class, () -> access.getLong(bytes, length - 7));
    assertNoParities(access, bytes, 0, 0, length / 8 + 1);
    assertNoParities(access, bytes, 0, 1, Math.max(1, length / 8));
    assertNoParities(access, bytes, length - 7, 0, 1);
  }

  private static <T> void assertNoParities(
      ByteAccess<T> access, T bytes, int here, int there, int count) {
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> access.parities(bytes, here, there, 8, -1, -1, count));
  }
}
