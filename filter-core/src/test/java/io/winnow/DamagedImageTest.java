package io.winnow;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.image.Filters;
import io.winnow.ribbon.RibbonSizing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Homogeneous Ribbon, and what every header has. */
class DamagedImageTest extends DamagedImagesTest {

  private static byte[] image(int keys, int width) {
    return bytes(build(FilterBuilder.of(RibbonSizing.forRate(0.01, width)), distinct(1, keys)));
  }

  /** Of version 2. */
  private static byte[] seeded(int keys) {
    FilterBuilder builder =
        FilterBuilder.of(RibbonSizing.forRate(0.01)).hashesOf(KeyHash.seeded(0x0123456789ABCDEFL));
    return bytes(build(builder, distinct(1, keys)));
  }

  @Override
  protected List<byte[]> images() {
    return List.of(
        image(0, 64), image(1, 128), image(100, 64), image(200, 128), seeded(0), seeded(100));
  }

  @Override
  protected byte[] fieldsImage() {
    return image(100, 64);
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

  @Override
  protected byte[] randomFields(Random random) {
    long blocks = number(random);
    long lowerBlocks = random.nextBoolean() ? Math.min(blocks, number(random)) : number(random);
    int width = pick(random, 64, 128, random.nextInt(256));
    int columns = pick(random, random.nextInt(9), random.nextInt(57), random.nextInt(256));
    long consistent = (blocks * columns - lowerBlocks) * (width / 8);
    boolean fits = random.nextInt(8) != 0 && consistent >= 0 && consistent < 20_000;
    int payload = fits ? (int) consistent : 8 * random.nextInt(200);
    int version = random.nextInt(4) == 0 ? 2 : 1;
    byte[] image = new byte[64 + payload + (version == 2 ? 8 : 0)];
    random.nextBytes(image);
    ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0, FilterHeader.MAGIC);
    out.put(4, (byte) pick(random, 1, 1, 1, 1, 1, random.nextInt(256)));
    out.put(5, (byte) pick(random, version, version, version, version, random.nextInt(256)));
    int hashId = version == 2 ? 3 : pick(random, 0, 1, 2);
    out.put(6, (byte) pick(random, hashId, hashId, hashId, hashId, random.nextInt(256)));
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

  /** Without columns there are no bytes, so only the limit refuses a number of blocks. */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void slotsAreBelowTwoToThe31(int width) {
    int most = Integer.MAX_VALUE / width;
    assertTrue(Filters.open(ByteBuffer.wrap(withoutColumns(most, width))).mightContain(1));
    String message = assertRefused(withoutColumns(most + 1, width), "a block more");
    assertTrue(message.contains(most + 1 + " blocks"), message);
  }

  private static byte[] withoutColumns(int blocks, int width) {
    byte[] header = new byte[FilterHeader.SIZE_IN_BYTES];
    return FilterHeader.write(
        header, FilterType.RIBBON, null, 1, 0.01, 1, blocks, (long) width << 32);
  }

  private static int pick(Random random, int... choices) {
    return choices[random.nextInt(choices.length)];
  }

  @Override
  protected List<Wrong> wrongFields() {
    return List.of(
        new Wrong(0, 4, 0, "magic"),
        new Wrong(4, 1, 0, "type id 0"),
        new Wrong(4, 1, 99, "type id 99"),
        new Wrong(5, 1, 0, "version 0"),
        new Wrong(5, 1, 2, "payload length"), // there is no seed behind it
        new Wrong(5, 1, 3, "version 3"),
        new Wrong(6, 1, 3, "hash id 3"),
        new Wrong(6, 1, 255, "hash id 255"),
        new Wrong(7, 1, 1, "flags are 1"),
        new Wrong(8, 8, -1, "key count"),
        new Wrong(16, 8, Double.doubleToLongBits(Double.NaN), "rate is NaN"),
        new Wrong(16, 8, Double.doubleToLongBits(-0.1), "rate is -0.1"),
        new Wrong(24, 8, Double.doubleToLongBits(1.5), "rate is 1.5"),
        new Wrong(32, 8, Long.MAX_VALUE, "payload length 9223372036854775807"),
        new Wrong(32, 8, -1, "payload length -1"),
        new Wrong(40, 4, 0, "no blocks"),
        new Wrong(40, 4, -1, "4294967295 blocks"),
        new Wrong(40, 4, 5, "5 blocks"),
        new Wrong(44, 4, 1000, "1000 of them lower"),
        new Wrong(52, 1, 65, "width 65"),
        new Wrong(52, 1, 0, "width 0"),
        new Wrong(53, 1, 57, "57 columns"),
        new Wrong(53, 1, 0, "0 columns"),
        new Wrong(54, 2, 1, "reserved"));
  }

  @Override
  protected void claim(ByteBuffer image, Random random) {
    image.putInt(40, Integer.MAX_VALUE >>> random.nextInt(8));
    image.putInt(44, random.nextInt(3));
    image.putLong(8, Long.MAX_VALUE >>> random.nextInt(40));
    if (random.nextBoolean()) {
      image.putLong(32, Long.MAX_VALUE >>> random.nextInt(40));
    }
  }
}
