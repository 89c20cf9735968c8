package io.winnow;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.format.FilterHeader;
import io.winnow.ribbon.RibbonSizing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that are not a filter are refused; what opens all the same is probed inside its bytes. */
class DamagedImageTest {

  private static byte[] image(int keys, int width) {
    return FilterContractTest.bytes(
        build(FilterBuilder.of(RibbonSizing.forRate(0.01, width)), distinct(1, keys)));
  }

  private static void assertRefused(byte[] bytes, String what) {
    assertThrows(FilterFormatException.class, () -> Filters.open(ByteBuffer.wrap(bytes)), what);
  }

  private static void writeHeaderCrc(byte[] image) {
    CRC32C crc = new CRC32C();
    crc.update(image, 0, 60);
    ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).putInt(60, (int) crc.getValue());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100})
  void everyFlippedBitOfTheHeaderIsRefused(int keys) {
    byte[] image = image(keys, 64);
    for (int bit = 0; bit < FilterHeader.SIZE_IN_BYTES * 8; bit++) {
      byte[] damaged = image.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertRefused(damaged, "bit " + bit);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 1000})
  void everyTruncationAndExtensionIsRefused(int keys) {
    byte[] image = image(keys, keys % 2 == 0 ? 64 : 128);
    for (int length = 0; length < image.length + 200; length++) {
      if (length != image.length) {
        assertRefused(Arrays.copyOf(image, length), length + " of " + image.length + " bytes");
      }
    }
  }

  @Test
  void everyFlippedBitOfThePayloadIsFoundOnRequest() {
    byte[] image = image(200, 64);
    Filters.verifyPayload(ByteBuffer.wrap(image));
    for (int bit = FilterHeader.SIZE_IN_BYTES * 8; bit < image.length * 8; bit++) {
      byte[] damaged = image.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      ByteBuffer buffer = ByteBuffer.wrap(damaged);
      assertThrows(FilterFormatException.class, () -> Filters.verifyPayload(buffer));
      assertThrows(FilterFormatException.class, () -> Filters.open(buffer));
      MembershipFilter filter = Filters.openUnverified(buffer);
      for (int i = 0; i < 20; i++) {
        filter.mightContain(TestHashes.splitMix(bit, i));
      }
    }
  }

  @Test
  void randomBytesAreRefused() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      if (bytes.length >= 5 && i % 2 == 0) { // the right magic and type
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(0, FilterHeader.MAGIC);
        bytes[4] = 1;
      }
      assertRefused(bytes, "random");
    }
  }

  /** A checksum that matches lets the fields through to the shape's own checks. */
  @Test
  void randomFieldsUnderAValidChecksum() {
    long seed = Long.getLong("winnow.seed", System.nanoTime());
    Random random = new Random(seed);
    int opened = 0;
    int refused = 0;
    for (int i = 0; i < 100_000; i++) {
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
        assertTrue(answer || layout.keyCount() == 0 || image.length > 64, "no bytes, no doubt");
      }
    }
    assertTrue(opened > 1000 && refused > 1000, opened + " opened, " + refused + " refused");
  }

  private static byte[] randomFields(Random random) {
    long blocks = number(random);
    long lowerBlocks = random.nextBoolean() ? Math.min(blocks, number(random)) : number(random);
    int width = pick(random, 64, 128, random.nextInt(256));
    int columns = pick(random, random.nextInt(9), random.nextInt(57), random.nextInt(256));
    long consistent = (blocks * columns - lowerBlocks) * (width / 8);
    boolean fits = random.nextInt(8) != 0 && consistent >= 0 && consistent < 20_000;
    int payload = fits ? (int) consistent : 8 * random.nextInt(200);
    byte[] image = new byte[64 + payload];
    random.nextBytes(image);
    ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0, FilterHeader.MAGIC);
    out.put(4, (byte) pick(random, 1, 1, 1, 1, 1, random.nextInt(256)));
    out.put(5, (byte) pick(random, 1, 1, 1, 1, 1, random.nextInt(256)));
    out.put(6, (byte) pick(random, 0, 1, 1, 2, 2, random.nextInt(256)));
    out.put(7, (byte) pick(random, 0, 0, 0, 0, 0, random.nextInt(256)));
    out.putLong(8, random.nextInt(8) == 0 ? random.nextLong() : number(random));
    out.putDouble(16, random.nextInt(16) == 0 ? random.nextDouble() * 3 - 1 : 0.01);
    if (random.nextInt(16) != 0) {
      out.putDouble(24, random.nextDouble());
    }
    out.putLong(32, random.nextInt(16) == 0 ? random.nextLong() : payload);
    out.putInt(40, (int) blocks);
    out.putInt(44, (int) lowerBlocks);
    out.put(52, (byte) width);
    out.put(53, (byte) columns);
    out.putShort(54, (short) (random.nextInt(16) == 0 ? random.nextInt() : 0));
    writeHeaderCrc(image);
    return image;
  }

  /** Mostly small, at times at an edge, at times anything that fits 32 bits. */
  private static long number(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1 -> random.nextInt() & 0xFFFF_FFFFL;
      case 2 -> 0xFFFF_FFFFL >>> random.nextInt(9);
      case 3 -> 1L << random.nextInt(32);
      default -> random.nextInt(40);
    };
  }

  private static int pick(Random random, int... choices) {
    return choices[random.nextInt(choices.length)];
  }

  @Test
  void wrongFieldsAreNamed() {
    byte[] image = image(100, 64);
    record Case(int offset, int bytes, long value, String message) {}
    for (Case wrong :
        new Case[] {
          new Case(0, 4, 0, "magic"),
          new Case(4, 1, 0, "type id 0"),
          new Case(4, 1, 99, "type id 99"),
          new Case(5, 1, 0, "version 0"),
          new Case(5, 1, 2, "version 2"),
          new Case(6, 1, 3, "hash id 3"),
          new Case(6, 1, 255, "hash id 255"),
          new Case(7, 1, 1, "flags are 1"),
          new Case(8, 8, -1, "key count"),
          new Case(16, 8, Double.doubleToLongBits(Double.NaN), "rate NaN"),
          new Case(16, 8, Double.doubleToLongBits(-0.1), "rate -0.1"),
          new Case(24, 8, Double.doubleToLongBits(1.5), "rate 1.5"),
          new Case(32, 8, Long.MAX_VALUE, "payload length 9223372036854775807"),
          new Case(32, 8, -1, "payload length -1"),
          new Case(40, 4, 0, "no blocks"),
          new Case(40, 4, -1, "4294967295 blocks"),
          new Case(40, 4, 5, "5 blocks"),
          new Case(44, 4, 1000, "1000 of them lower"),
          new Case(52, 1, 65, "width 65"),
          new Case(52, 1, 0, "width 0"),
          new Case(53, 1, 57, "57 columns"),
          new Case(53, 1, 0, "0 columns"),
          new Case(54, 2, 1, "reserved")
        }) {
      byte[] damaged = image.clone();
      for (int i = 0; i < wrong.bytes(); i++) {
        damaged[wrong.offset() + i] = (byte) (wrong.value() >>> 8 * i);
      }
      writeHeaderCrc(damaged);
      var e =
          assertThrows(FilterFormatException.class, () -> Filters.open(ByteBuffer.wrap(damaged)));
      assertTrue(e.getMessage().contains(wrong.message()), wrong + ": " + e.getMessage());
    }
  }

  @Test
  void lengthsThatAreClaimedAreNotAllocated() {
    Random random = new Random(3);
    byte[] image = image(100, 64);
    ByteBuffer fields = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    int attempts = 10_000;
    Runnable opening =
        () -> {
          for (int i = 0; i < attempts; i++) {
            fields.putInt(40, Integer.MAX_VALUE >>> random.nextInt(8));
            fields.putInt(44, random.nextInt(3));
            fields.putLong(8, Long.MAX_VALUE >>> random.nextInt(40));
            fields.putLong(32, i % 2 == 0 ? image.length - 64 : Long.MAX_VALUE >>> i % 40);
            writeHeaderCrc(image);
            assertRefused(image, "huge");
          }
        };
    opening.run();
    long perAttempt = Allocation.bytesOf(opening) / attempts;
    assertTrue(perAttempt < 20_000, perAttempt + " bytes allocated at each refusal");
  }
}
