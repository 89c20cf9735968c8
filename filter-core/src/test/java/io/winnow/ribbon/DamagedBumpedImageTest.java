package io.winnow.ribbon;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.Allocation;
import io.winnow.FilterBuilder;
import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.FilterLayout;
import io.winnow.Filters;
import io.winnow.MembershipFilter;
import io.winnow.SplitBytes;
import io.winnow.TestHashes;
import io.winnow.format.FilterHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As for the other images: refused, or probed inside their bytes. */
class DamagedBumpedImageTest {
  private static byte[] image(int keys) {
    FilterImage image =
        build(FilterBuilder.of(BumpedRibbonSizing.forRate(0.01)), distinct(1, keys));
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    assertEquals(2, bytes[4], "bumped");
    return bytes;
  }

  private static int tableEnd(byte[] image) {
    return 64 + 8 * image[44] + 16;
  }

  private static FilterFormatException assertRefused(byte[] bytes, String what) {
    return assertThrows(
        FilterFormatException.class, () -> Filters.open(ByteBuffer.wrap(bytes)), what);
  }

  /** The header by its checksum, the table by its own, which the header holds. */
  @ParameterizedTest
  @ValueSource(ints = {2000, 40_000})
  void everyFlippedBitOfHeaderAndTableIsRefused(int keys) {
    byte[] image = image(keys);
    for (int bit = 0; bit < 8 * tableEnd(image); bit++) {
      image[bit / 8] ^= (byte) (1 << bit % 8);
      assertRefused(image, "bit " + bit);
      image[bit / 8] ^= (byte) (1 << bit % 8);
    }
    Filters.open(ByteBuffer.wrap(image));
  }

  @Test
  void everyTruncationAndExtensionIsRefused() {
    byte[] image = image(2000);
    for (int length = 0; length < image.length + 200; length++) {
      if (length != image.length) {
        assertRefused(Arrays.copyOf(image, length), length + " of " + image.length + " bytes");
      }
    }
  }

  /** A shorter or longer payload that the header knows of contradicts the table all the same. */
  @Test
  void everyOtherLengthIsRefusedUnderValidChecksums() {
    byte[] image = image(2000);
    for (int length = 64; length < image.length + 200; length++) {
      if (length != image.length) {
        byte[] other = Arrays.copyOf(image, length);
        ByteBuffer.wrap(other).order(ByteOrder.LITTLE_ENDIAN).putLong(32, length - 64);
        BumpedImages.writeTableCrc(other);
        assertRefused(other, length + " of " + image.length + " bytes");
      }
    }
  }

  @Test
  void everyFlippedBitOfThePayloadIsFoundOnRequest() {
    byte[] image = image(2000);
    for (int bit = 8 * 64; bit < 8 * image.length; bit++) {
      image[bit / 8] ^= (byte) (1 << bit % 8);
      ByteBuffer buffer = ByteBuffer.wrap(image);
      assertThrows(FilterFormatException.class, () -> Filters.verifyPayload(buffer));
      assertThrows(FilterFormatException.class, () -> Filters.open(buffer));
      if (bit >= 8 * tableEnd(image)) {
        MembershipFilter filter = Filters.openUnverified(buffer);
        for (int i = 0; i < 5; i++) {
          filter.mightContain(TestHashes.splitMix(bit, i));
        }
      }
      image[bit / 8] ^= (byte) (1 << bit % 8);
    }
    Filters.verifyPayload(ByteBuffer.wrap(image));
  }

  @Test
  void wrongFieldsAreNamed() {
    byte[] image = image(40_000);
    int last = 64 + 8 * 2;
    record Case(int offset, int bytes, long value, String message) {}
    for (Case wrong :
        new Case[] {
          new Case(44, 1, 0, "0 bumped layers"),
          new Case(44, 1, 9, "9 bumped layers"),
          new Case(44, 1, 255, "255 bumped layers"),
          new Case(45, 1, 0, "0 columns"),
          new Case(45, 1, 57, "57 columns"),
          new Case(46, 2, 1, "reserved"),
          new Case(52, 4, 1, "reserved"),
          new Case(64, 4, 0, "layer of 0 blocks"),
          new Case(64, 4, -1, "layer of 4294967295 blocks"),
          new Case(64, 4, Integer.MAX_VALUE / 64, "layer of 33554431 blocks"),
          new Case(64, 4, Integer.MAX_VALUE / 64 + 1, "layer of 33554432 blocks"),
          new Case(68, 4, -1, "4294967295 of them lower"),
          new Case(72, 4, 0x4000_0000, "layer of 1073741824 blocks"),
          new Case(last, 4, 1000, "1000 blocks"),
          new Case(last, 4, -1, "4294967295 blocks"),
          new Case(last + 4, 4, 1000, "1000 of them lower"),
          new Case(last + 12, 1, 65, "width 65"),
          new Case(last + 13, 1, 57, "57 columns"),
          new Case(last + 14, 2, 1, "reserved")
        }) {
      byte[] damaged = image.clone();
      for (int i = 0; i < wrong.bytes(); i++) {
        damaged[wrong.offset() + i] = (byte) (wrong.value() >>> 8 * i);
      }
      BumpedImages.writeTableCrc(damaged);
      String message = assertRefused(damaged, wrong.toString()).getMessage();
      assertTrue(message.contains(wrong.message()), wrong + ": " + message);
    }
    image[64] ^= 1;
    BumpedImages.writeHeaderCrc(image);
    String message = assertRefused(image, "table").getMessage();
    assertTrue(message.contains("layer table checksum"), message);
  }

  /** Checksums that match let any fields through to the checks of the shape. */
  @Test
  void randomFieldsUnderValidChecksums() {
    long seed = Long.getLong("winnow.seed", System.nanoTime());
    Random random = new Random(seed);
    int opened = 0;
    int refused = 0;
    for (int i = 0; i < 60_000; i++) {
      byte[] image = randomFields(random);
      int offset = random.nextInt(3) * 5;
      byte[][] pieces = SplitBytes.split(image, offset, 64 + random.nextInt(50));
      SplitBytes access = new SplitBytes(offset, offset + image.length);
      FilterLayout layout;
      try {
        layout = Filters.readLayout(access, pieces, offset, image.length);
      } catch (FilterFormatException e) {
        refused++;
        assertRefused(image, "as through ByteAccess");
        continue;
      }
      opened++;
      MembershipFilter filter = Filters.openUnverified(ByteBuffer.wrap(image));
      layout.describe();
      assertEquals(image.length, layout.sizeInBytes());
      for (int probe = 0; probe < 20; probe++) {
        long hash = probe == 0 ? 0 : random.nextLong();
        boolean answer = layout.mightContain(access, pieces, offset, hash);
        assertEquals(answer, filter.mightContain(hash), "winnow.seed=" + seed);
      }
    }
    assertTrue(opened > 1000 && refused > 1000, opened + " opened, " + refused + " refused");
  }

  /** A sound image of a few blocks, in which some fields are then replaced. */
  private static byte[] randomFields(Random random) {
    int layers = 1 + random.nextInt(random.nextInt(4) == 0 ? 8 : 3);
    int columns = 1 + random.nextInt(9);
    int[] blocks = new int[layers];
    int[] lowerBlocks = new int[layers];
    for (int i = 0; i < layers; i++) {
      blocks[i] = 1 + random.nextInt(5);
      lowerBlocks[i] = random.nextInt(blocks[i] + 1);
    }
    int lastBlocks = random.nextInt(3);
    int lastColumns = lastBlocks == 0 ? 0 : random.nextInt(9);
    int lastLower = lastColumns == 0 ? 0 : random.nextInt(lastBlocks + 1);
    int width = random.nextBoolean() ? 64 : 128;
    RibbonShape last = new RibbonShape(lastBlocks, lastLower, 0, width, lastColumns);
    byte[] image = BumpedImages.image(random, random.nextInt(), columns, blocks, lowerBlocks, last);
    ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    for (int change = random.nextInt(4); change > 0; change--) {
      switch (random.nextInt(8)) {
        case 0 -> out.put(44, (byte) random.nextInt(random.nextBoolean() ? 10 : 256));
        case 1 -> out.put(45, (byte) random.nextInt(random.nextBoolean() ? 10 : 256));
        case 2 -> out.putShort(46, (short) random.nextInt(3));
        case 3 -> out.putInt(52, random.nextInt(3));
        case 4 -> out.putInt(64 + 4 * random.nextInt(2 * layers + 3), number(random));
        case 5 -> out.putInt(64 + 4 * random.nextInt(2 * layers), number(random));
        case 6 -> out.put(64 + 8 * layers + 12 + random.nextInt(4), (byte) random.nextInt());
        default -> out.putLong(8, random.nextLong());
      }
    }
    BumpedImages.writeTableCrc(image);
    return image;
  }

  /** Mostly small, at times at an edge, at times anything that fits 32 bits. */
  private static int number(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextInt();
      case 1 -> -1 >>> random.nextInt(9);
      case 2 -> 1 << random.nextInt(32);
      case 3 -> Integer.MAX_VALUE / 64 + random.nextInt(3) - 1;
      default -> random.nextInt(8);
    };
  }

  @Test
  void lengthsThatAreClaimedAreNotAllocated() {
    Random random = new Random(3);
    byte[] image = image(40_000);
    ByteBuffer fields = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    int attempts = 5000;
    byte[] sound = image.clone();
    Runnable opening =
        () -> {
          for (int i = 0; i < attempts; i++) {
            System.arraycopy(sound, 0, image, 0, FilterHeader.SIZE_IN_BYTES + 32);
            fields.putInt(64 + 8 * random.nextInt(3), Integer.MAX_VALUE >>> random.nextInt(10));
            fields.put(44, (byte) (1 + random.nextInt(8)));
            fields.putLong(8, Long.MAX_VALUE >>> random.nextInt(40));
            BumpedImages.writeTableCrc(image);
            assertRefused(image, "huge");
          }
        };
    opening.run();
    long perAttempt = Allocation.bytesOf(opening) / attempts;
    assertTrue(perAttempt < 20_000, perAttempt + " bytes allocated at each refusal");
  }
}
