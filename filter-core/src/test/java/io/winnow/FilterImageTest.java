package io.winnow;

import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.image.Filters;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How an image leaves the builder, and the names of the kinds. */
class FilterImageTest {
  @Test
  void theBytesAreTheSameOnEveryWayOut() throws IOException {
    FilterImage image =
        TestHashes.build(FilterBuilder.of(RibbonSizing.forRate(0.01)), distinct(1, 100));
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    image.write(new DataOutputStream(written));
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
  void filesStreamsAndChannelsHaveTheSameBytes(@TempDir Path directory) throws IOException {
    for (KeyHash hash : List.of(KeyHash.XXH3, KeyHash.seeded(7))) {
      FilterBuilder builder = FilterBuilder.of(BumpedRibbonSizing.forRate(0.01)).hashedBy(hash);
      IntStream.range(0, 20_000).forEach(i -> builder.add("key-" + i));
      FilterImage image = builder.finish();
      Path file = directory.resolve("filter");
      Files.writeString(file, "an older file");
      image.writeTo(file);
      assertEquals(List.of(file), Files.list(directory).toList(), "nothing stays beside it");
      assertEquals(image.buffer(), ByteBuffer.wrap(Files.readAllBytes(file)));
      ByteArrayOutputStream two = new ByteArrayOutputStream();
      image.writeTo(two);
      image.writeTo(Channels.newChannel(two));
      InputStream in = new ByteArrayInputStream(two.toByteArray());
      for (MembershipFilter filter :
          List.of(Filters.open(file), Filters.open(in), Filters.open(in))) {
        assertTrue(IntStream.range(0, 20_000).allMatch(i -> filter.mightContain("key-" + i)));
        long wrong =
            IntStream.range(0, 20_000).filter(i -> filter.mightContain("none-" + i)).count();
        assertTrue(wrong < 400, wrong + " of 20,000 at 1 %");
      }
      assertEquals(-1, in.read(), "each image ends where the next begins");
    }
  }

  @Test
  void aFileThatCannotBeReplacedLeavesNothingBeside(@TempDir Path directory) throws IOException {
    FilterImage image = TestHashes.build(FilterBuilder.of(RibbonSizing.forRate(0.01)), 1);
    Path taken = Files.createDirectories(directory.resolve("filter").resolve("full")).getParent();
    assertThrows(IOException.class, () -> image.writeTo(taken));
    assertEquals(List.of(taken), Files.list(directory).toList());
  }

  @Test
  void cutAndDamagedStreamsAreRefused(@TempDir Path directory) throws IOException {
    byte[] bytes = new byte[4096];
    FilterImage image =
        TestHashes.build(FilterBuilder.of(RibbonSizing.forRate(0.01)), distinct(1, 1000));
    image.buffer().get(bytes, 0, image.sizeInBytes());
    for (int cut : new int[] {0, 1, 63, 64, 100, image.sizeInBytes() - 1}) {
      InputStream in = new ByteArrayInputStream(bytes, 0, cut);
      Class<? extends Exception> wanted =
          cut < 64 ? FilterFormatException.class : EOFException.class;
      assertThrows(wanted, () -> Filters.open(in));
      Path file = Files.write(directory.resolve("cut"), Arrays.copyOf(bytes, cut));
      assertThrows(FilterFormatException.class, () -> Filters.open(file));
    }
    for (int at = 0; at < image.sizeInBytes(); at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= (byte) 0x81;
      Exception e =
          assertThrows(
              Exception.class, () -> Filters.open(new ByteArrayInputStream(damaged)), "byte " + at);
      assertTrue(e instanceof FilterFormatException || e instanceof EOFException, e::toString);
    }
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
