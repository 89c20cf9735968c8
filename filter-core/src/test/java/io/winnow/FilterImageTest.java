package io.winnow;

import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.image.Filters;
import io.winnow.ribbon.RibbonSizing;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** How an image leaves the builder, and the names of the kinds. */
class FilterImageTest {
  @Test
  void theBytesAreTheSameOnEveryWayOut() throws IOException {
    FilterImage image =
        TestHashes.build(FilterBuilder.of(RibbonSizing.forRate(0.01)), distinct(1, 100));
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    image.writeTo(new DataOutputStream(written));
    ByteBuffer buffer = image.buffer();
    assertTrue(buffer.isReadOnly());
    assertEquals(ByteOrder.LITTLE_ENDIAN, buffer.order());
    assertEquals(image.sizeInBytes(), buffer.remaining());
    byte[] bytes = new byte[image.sizeInBytes()];
    buffer.get(bytes);
    assertArrayEquals(bytes, written.toByteArray());
    assertEquals(
        image.sizeInBytes(), image.buffer().remaining(), "each buffer has its own position");
    FilterImage again = Filters.image(bytes);
    assertEquals(image.buffer(), again.buffer());
    assertEquals(image.layout().describe(), again.layout().describe());
    assertEquals(FilterType.RIBBON, again.layout().type());
    assertEquals(FilterType.RIBBON, again.open().type());
    assertEquals(0, again.layout().hashId());
    assertThrows(FilterFormatException.class, () -> Filters.image(new byte[64]));
    byte[] damaged = bytes.clone();
    damaged[bytes.length - 1] ^= 1;
    assertThrows(FilterFormatException.class, () -> Filters.image(damaged), "the payload, too");
  }

  @Test
  void theIdOfTheHashIsRead() {
    FilterBuilder builder = FilterBuilder.of(RibbonSizing.forRate(0.01)).hashesOf(KeyHash.MURMUR3);
    assertEquals(2, TestHashes.build(builder, 1).layout().hashId());
  }

  @Test
  void failedAttemptsAreCounted() {
    FilterImage image = TestHashes.build(FilterBuilder.of(RibbonSizing.forRate(0.01)), 1);
    assertEquals(0, image.rebuilds());
    assertEquals(3, image.withRebuilds(3).rebuilds());
    assertEquals(image.buffer(), image.withRebuilds(3).buffer());
  }

  @Test
  void idsAndLabelsArePinned() {
    FilterType[] types = {FilterType.RIBBON, FilterType.BUMPED_RIBBON, FilterType.QUOTIENT};
    String[] labels = {"ribbon", "bumped-ribbon", "quotient"};
    for (int i = 0; i < types.length; i++) {
      assertEquals(i + 1, types[i].id());
      assertEquals(labels[i], types[i].label());
      assertSame(types[i], FilterType.ofId(i + 1));
    }
    assertEquals(types.length, FilterType.values().length);
  }
}
