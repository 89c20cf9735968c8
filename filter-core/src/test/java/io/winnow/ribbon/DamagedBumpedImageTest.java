package io.winnow.ribbon;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.ByteAccess;
import io.winnow.DamagedImagesTest;
import io.winnow.FilterBuilder;
import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.FilterLayout;
import io.winnow.FilterType;
import io.winnow.image.Filters;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bumped Ribbon: a table of layers stands before the payload's other bytes. */
class DamagedBumpedImageTest extends DamagedImagesTest {

  private static byte[] image(int keys) {
    byte[] bytes =
        bytes(
            build(
                FilterBuilder.of(BumpedRibbonSizing.forRate(0.01).withFirstSeeds(() -> 0)),
                distinct(1, keys)));
    assertEquals(2, bytes[4], "bumped");
    return bytes;
  }

  @Override
  protected List<byte[]> images() {
    return List.of(image(2000));
  }

  @Override
  protected byte[] fieldsImage() {
    return image(40_000);
  }

  @Override
  protected void writeChecksums(byte[] image) {
    BumpedImages.writeTableCrc(image);
  }

  /** By the table's own checksum, which the header holds. */
  @ParameterizedTest
  @ValueSource(ints = {2000, 40_000})
  void everyFlippedBitOfTheTableIsRefused(int keys) {
    byte[] image = image(keys);
    int tableEnd = 64 + 8 * image[44] + 16;
    for (int bit = 8 * 64; bit < 8 * tableEnd; bit++) {
      String message = assertRefused(flipped(image, bit), "bit " + bit);
      assertTrue(message.contains("layer table checksum"), message);
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

  @Override
  protected List<Wrong> wrongFields() {
    int last = 64 + 8 * 2;
    return List.of(
        new Wrong(44, 1, 0, "0 bumped layers"),
        new Wrong(44, 1, 9, "9 bumped layers"),
        new Wrong(44, 1, 255, "255 bumped layers"),
        new Wrong(45, 1, 0, "0 columns"),
        new Wrong(45, 1, 57, "57 columns"),
        new Wrong(46, 2, 1, "reserved"),
        new Wrong(52, 4, 1, "reserved"),
        new Wrong(64, 4, 0, "layer of 0 blocks"),
        new Wrong(64, 4, -1, "layer of 4294967295 blocks"),
        new Wrong(64, 4, Integer.MAX_VALUE / 64, "layer of 33554431 blocks does not fit"),
        new Wrong(64, 4, Integer.MAX_VALUE / 64 + 1, "layer of 33554432 blocks, "),
        new Wrong(68, 4, -1, "4294967295 of them lower"),
        new Wrong(72, 4, 0x4000_0000, "layer of 1073741824 blocks"),
        new Wrong(last, 4, 1000, "1000 blocks"),
        new Wrong(last, 4, -1, "4294967295 blocks"),
        new Wrong(last + 4, 4, 1000, "1000 of them lower"),
        new Wrong(last + 12, 1, 65, "width 65"),
        new Wrong(last + 13, 1, 57, "57 columns"),
        new Wrong(last + 14, 2, 1, "reserved"));
  }

  /** Blocks that are lower than one column have no solution: only the limit refuses them. */
  @Test
  void theLargestLayerOpensAndALargerOneIsRefused() {
    int most = Integer.MAX_VALUE / 64;
    BumpedRibbonLayout largest = (BumpedRibbonLayout) layoutOfOneLayer(most);
    assertEquals(most, largest.layers[0].blocks);
    String message =
        assertThrows(FilterFormatException.class, () -> layoutOfOneLayer(most + 1)).getMessage();
    assertTrue(message.contains("layer of 33554432 blocks, "), message);
  }

  /** Reads header and table; the bytes of the thresholds, which nothing reads, are not there. */
  private static FilterLayout layoutOfOneLayer(int blocks) {
    int tableLength = BumpedRibbonLayout.tableLength(1);
    long payload = tableLength + BumpedLayer.sizeInBytes(blocks, blocks, 1);
    byte[] start = new byte[64 + tableLength];
    long shape0 = BumpedRibbonLayout.shape0(0, 1, 1);
    FilterHeader.write(start, FilterType.BUMPED_RIBBON, null, 1, 0.5, 0.5, shape0, 0);
    RibbonShape last = new RibbonShape(0, 0, 0, 64, 0);
    fields(start).putLong(32, payload).putInt(64, blocks).putInt(68, blocks);
    fields(start).putLong(72, last.word0()).putLong(80, last.word1());
    BumpedImages.writeTableCrc(start);
    return Filters.readLayout(ByteAccess.ARRAY, start, 0, (int) (64 + payload));
  }

  /** A sound image of a few blocks, in which some fields are then replaced. */
  @Override
  protected byte[] randomFields(Random random) {
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

  @Override
  protected void claim(ByteBuffer image, Random random) {
    image.putInt(64 + 8 * random.nextInt(3), Integer.MAX_VALUE >>> random.nextInt(10));
    image.put(44, (byte) (1 + random.nextInt(8)));
    image.putLong(8, Long.MAX_VALUE >>> random.nextInt(40));
  }
}
