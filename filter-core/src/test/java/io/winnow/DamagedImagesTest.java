package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.image.Filters;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes that are not a filter are refused; what opens all the same is probed inside its bytes.
 *
 * <p>Refusals of fields are asked for without the payload's checksum, which would refuse everything
 * and hide a check that is missing.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class DamagedImagesTest {

  /** A value at an offset of an image, and a part of the message that refuses it. */
  public record Wrong(int offset, int bytes, long value, String message) {}

  /** Sound images of a few blocks. */
  protected abstract List<byte[]> images();

  /** The image whose fields {@link #wrongFields} are about. */
  protected abstract byte[] fieldsImage();

  protected abstract List<Wrong> wrongFields();

  /** An image whose fields contradict each other in many cases, with checksums that match. */
  protected abstract byte[] randomFields(Random random);

  /** Makes an image claim to be huge; checksums are written afterwards. */
  protected abstract void claim(ByteBuffer image, Random random);

  /** Makes all checksums but the payload's right again. */
  protected void writeChecksums(byte[] image) {
    writeHeaderCrc(image);
  }

  protected static final void writeHeaderCrc(byte[] image) {
    CRC32C crc = new CRC32C();
    crc.update(image, 0, 60);
    if (image[5] == 2 && image.length >= 72) {
      crc.update(image, image.length - 8, 8); // the seed
    }
    fields(image).putInt(60, (int) crc.getValue());
  }

  protected static final ByteBuffer fields(byte[] image) {
    return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
  }

  protected static final byte[] bytes(FilterImage image) {
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return bytes;
  }

  protected static final byte[] flipped(byte[] image, int bit) {
    byte[] damaged = image.clone();
    damaged[bit / 8] ^= (byte) (1 << bit % 8);
    return damaged;
  }

  /** Refused for its fields, whatever the payload is. */
  protected static final String assertRefused(byte[] image, String what) {
    ByteBuffer buffer = ByteBuffer.wrap(image);
    return assertThrows(FilterFormatException.class, () -> Filters.openUnverified(buffer), what)
        .getMessage();
  }

  /** Answers are the same wherever the bytes lie, and come from inside them. */
  protected void assertSafe(byte[] image, long seed) {
    int offset = (int) (seed & 1) * 5;
    byte[][] pieces = SplitBytes.split(image, offset, 64 + (int) (seed >>> 1 & 31));
    SplitBytes access = new SplitBytes(offset, offset + image.length);
    FilterLayout layout = Filters.readLayout(access, pieces, offset, image.length);
    MembershipFilter filter = Filters.openUnverified(ByteBuffer.wrap(image));
    layout.describe();
    assertEquals(image.length, layout.sizeInBytes());
    for (int probe = 0; probe < 20; probe++) {
      long hash = probe == 0 ? 0 : TestHashes.splitMix(seed, probe);
      boolean answer = layout.mightContain(access, pieces, offset, hash);
      assertEquals(answer, filter.mightContain(hash), "seed " + seed);
      assertTrue(answer || layout.keyCount() == 0 || image.length > 64, "no bytes, no doubt");
    }
  }

  @ParameterizedTest
  @MethodSource("images")
  void everyFlippedBitOfTheHeaderIsRefused(byte[] image) {
    for (int bit = 0; bit < FilterHeader.SIZE_IN_BYTES * 8; bit++) {
      assertRefused(flipped(image, bit), "bit " + bit);
    }
  }

  @ParameterizedTest
  @MethodSource("images")
  void everyTruncationAndExtensionIsRefused(byte[] image) {
    for (int length = 0; length < image.length + 200; length++) {
      if (length != image.length) {
        assertRefused(Arrays.copyOf(image, length), length + " of " + image.length + " bytes");
      }
    }
  }

  /** By the payload's checksum. Without it, the fields refuse, or probes are safe. */
  @ParameterizedTest
  @MethodSource("images")
  void everyFlippedBitOfThePayloadIsRefused(byte[] image) {
    Filters.open(ByteBuffer.wrap(image));
    Filters.verifyPayload(ByteBuffer.wrap(image));
    for (int bit = FilterHeader.SIZE_IN_BYTES * 8; bit < image.length * 8; bit++) {
      byte[] damaged = flipped(image, bit);
      ByteBuffer buffer = ByteBuffer.wrap(damaged);
      assertThrows(FilterFormatException.class, () -> Filters.verifyPayload(buffer));
      assertThrows(FilterFormatException.class, () -> Filters.open(buffer));
      if (opens(damaged)) {
        assertSafe(damaged, bit);
      }
    }
  }

  private static boolean opens(byte[] image) {
    try {
      Filters.openUnverified(ByteBuffer.wrap(image));
      return true;
    } catch (FilterFormatException e) {
      return false;
    }
  }

  @Test
  void wrongFieldsAreNamed() {
    for (Wrong wrong : wrongFields()) {
      byte[] damaged = fieldsImage();
      for (int i = 0; i < wrong.bytes(); i++) {
        damaged[wrong.offset() + i] = (byte) (wrong.value() >>> 8 * i);
      }
      writeChecksums(damaged);
      String message = assertRefused(damaged, wrong.toString());
      assertTrue(message.contains(wrong.message()), wrong + ": " + message);
    }
  }

  /** Checksums that match let the fields through to the shape's own checks. */
  @Test
  void randomFieldsUnderValidChecksums() {
    long seed = Long.getLong("winnow.seed", System.nanoTime());
    Random random = new Random(seed);
    int opened = 0;
    int refused = 0;
    for (int i = 0; i < 60_000; i++) {
      byte[] image = randomFields(random);
      if (opens(image)) {
        opened++;
        try {
          assertSafe(image, seed + i);
        } catch (RuntimeException e) {
          throw new AssertionError("winnow.seed=" + seed + " image " + i, e);
        }
      } else {
        refused++;
        SplitBytes access = new SplitBytes(5, 5 + image.length);
        byte[][] pieces = SplitBytes.split(image, 5, 70);
        assertThrows(
            FilterFormatException.class,
            () -> Filters.readLayout(access, pieces, 5, image.length),
            "winnow.seed=" + seed);
      }
    }
    assertTrue(opened > 1000 && refused > 1000, opened + " opened, " + refused + " refused");
  }

  @Test
  void lengthsThatAreClaimedAreNotAllocated() {
    Random random = new Random(3);
    byte[] sound = fieldsImage();
    byte[] image = sound.clone();
    int attempts = 5000;
    Runnable opening =
        () -> {
          for (int i = 0; i < attempts; i++) {
            System.arraycopy(sound, 0, image, 0, Math.min(sound.length, 128));
            claim(fields(image), random);
            writeChecksums(image);
            assertRefused(image, "huge");
          }
        };
    opening.run();
    long perAttempt = Allocation.bytesOf(opening) / attempts;
    assertTrue(perAttempt < 20_000, perAttempt + " bytes allocated at each refusal");
  }
}
