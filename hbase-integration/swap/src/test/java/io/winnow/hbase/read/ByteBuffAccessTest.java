package io.winnow.hbase.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.ByteAccess;
import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.FilterLayout;
import io.winnow.image.Filters;
import io.winnow.ribbon.RibbonSizing;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.nio.MultiByteBuff;
import org.apache.hadoop.hbase.nio.SingleByteBuff;
import org.junit.jupiter.api.Test;

class ByteBuffAccessTest {
  private static final ByteBuffAccess ACCESS = ByteBuffAccess.INSTANCE;

  /** The bytes on the heap, off it, and in two, three and many parts. */
  private static List<ByteBuff> formsOf(byte[] bytes) {
    List<ByteBuff> forms = new ArrayList<>();
    forms.add(new SingleByteBuff(ByteBuffer.wrap(bytes)));
    byte[] larger = new byte[bytes.length + 20];
    System.arraycopy(bytes, 0, larger, 5, bytes.length);
    forms.add(new SingleByteBuff(ByteBuffer.wrap(larger, 5, bytes.length).slice()));
    forms.add(new SingleByteBuff(direct(bytes, 0, bytes.length)));
    for (int part = 1; part <= Math.min(bytes.length, 17); part++) {
      List<ByteBuffer> parts = new ArrayList<>();
      for (int from = 0; from < bytes.length; from += part) {
        parts.add(direct(bytes, from, Math.min(part, bytes.length - from)));
      }
      forms.add(new MultiByteBuff(parts.toArray(ByteBuffer[]::new)));
    }
    for (int cut = 1; cut < bytes.length; cut += 1 + bytes.length / 50) {
      forms.add(new MultiByteBuff(direct(bytes, 0, cut), direct(bytes, cut, bytes.length - cut)));
    }
    return forms;
  }

  private static ByteBuffer direct(byte[] bytes, int from, int length) {
    return ByteBuffer.allocateDirect(length).put(bytes, from, length).flip();
  }

  @Test
  void readsWhatTheArrayHas() {
    byte[] bytes = new byte[67];
    new Random(1).nextBytes(bytes);
    for (ByteBuff form : formsOf(bytes)) {
      for (int i = 0; i < bytes.length; i++) {
        assertEquals(bytes[i], ACCESS.getByte(form, i));
        if (i <= bytes.length - 4) {
          assertEquals(ByteAccess.ARRAY.getInt(bytes, i), ACCESS.getInt(form, i));
        }
        if (i <= bytes.length - 8) {
          assertEquals(ByteAccess.ARRAY.getLong(bytes, i), ACCESS.getLong(form, i));
        }
      }
    }
  }

  @Test
  void checksumsAreThoseOfTheArray() {
    byte[] bytes = new byte[9000];
    new Random(5).nextBytes(bytes);
    for (ByteBuff form : formsOf(bytes)) {
      for (int[] range : new int[][] {{0, 9000}, {33, 8000}, {8999, 1}, {17, 0}}) {
        assertEquals(
            ByteAccess.ARRAY.crc32c(bytes, range[0], range[1]),
            ACCESS.crc32c(form, range[0], range[1]));
      }
      assertThrows(IndexOutOfBoundsException.class, () -> ACCESS.crc32c(form, 1, 9000));
      assertThrows(IndexOutOfBoundsException.class, () -> ACCESS.crc32c(form, -1, 10));
    }
  }

  @Test
  void paritiesAreThoseOfTheArray() {
    byte[] bytes = new byte[200];
    Random random = new Random(4);
    random.nextBytes(bytes);
    for (ByteBuff form : formsOf(bytes)) {
      for (int round = 0; round < 100; round++) {
        int stride = round % 3 == 0 ? 16 : 8;
        int count = 1 + random.nextInt(8);
        int last = bytes.length - stride * (count - 1) - 8;
        int here = random.nextInt(last + 1);
        int there = round % 5 == 0 ? here : Math.min(last, here + stride * count);
        long maskHere = random.nextLong();
        long maskThere = random.nextLong();
        assertEquals(
            ByteAccess.ARRAY.parities(bytes, here, there, stride, maskHere, maskThere, count),
            ACCESS.parities(form, here, there, stride, maskHere, maskThere, count));
      }
      assertThrows(
          IndexOutOfBoundsException.class, () -> ACCESS.parities(form, 0, 0, 8, -1, -1, 26));
      for (int index : new int[] {-1, -8, 193, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
        assertThrows(
            IndexOutOfBoundsException.class, () -> ACCESS.parities(form, index, 0, 8, -1, -1, 1));
        assertThrows(
            IndexOutOfBoundsException.class, () -> ACCESS.parities(form, 0, index, 8, -1, -1, 1));
      }
      form.limit(100);
      assertThrows(
          IndexOutOfBoundsException.class, () -> ACCESS.parities(form, 96, 0, 8, -1, -1, 1));
      assertThrows(
          IndexOutOfBoundsException.class, () -> ACCESS.parities(form, 128, 128, 8, -1, -1, 1));
    }
  }

  @Test
  void neverReadsOtherMemory() {
    for (ByteBuff form : formsOf(new byte[16])) {
      for (int index : new int[] {-1, 16, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
        assertThrows(IndexOutOfBoundsException.class, () -> ACCESS.getByte(form, index));
      }
      assertThrows(IndexOutOfBoundsException.class, () -> ACCESS.getInt(form, 13));
      assertThrows(IndexOutOfBoundsException.class, () -> ACCESS.getLong(form, 9));
      assertThrows(IndexOutOfBoundsException.class, () -> ACCESS.getLong(form, -8));
      form.limit(12);
      assertThrows(IndexOutOfBoundsException.class, () -> ACCESS.getLong(form, 8));
    }
  }

  @Test
  void filterAnswersTheSameFromEveryForm() {
    FilterBuilder builder = FilterBuilder.of(RibbonSizing.forRate(0.01));
    Random random = new Random(2);
    long[] keys = random.longs(300).toArray();
    for (long key : keys) {
      builder.add(key);
    }
    FilterImage image = builder.finish();
    int before = 33; // as behind a block's header
    byte[] block = new byte[before + image.sizeInBytes()];
    image.buffer().get(block, before, image.sizeInBytes());
    for (ByteBuff form : formsOf(block)) {
      FilterLayout layout = Filters.readLayout(ACCESS, form, before, image.sizeInBytes());
      for (long key : keys) {
        assertTrue(layout.mightContain(ACCESS, form, before, key));
      }
      Random absent = new Random(3);
      for (int i = 0; i < 500; i++) {
        long key = absent.nextLong();
        assertEquals(
            layout.mightContain(ByteAccess.ARRAY, block, before, key),
            layout.mightContain(ACCESS, form, before, key));
      }
    }
  }
}
