package io.winnow.ribbon;

import io.winnow.ByteAccess;
import io.winnow.FilterHeader;
import io.winnow.FilterType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.zip.CRC32C;

/** Bumped images that no builder made. */
final class BumpedImages {
  private BumpedImages() {}

  /** An image of these shapes; its thresholds are random, of its other bits a few are set. */
  static byte[] image(
      Random random, int seed, int columns, int[] blocks, int[] lowerBlocks, RibbonShape last) {
    int layers = blocks.length;
    int table = 8 * layers + 16;
    int lastWords = last.blocks * last.columns - last.lowerBlocks;
    int length = 64 + table + lastWords * last.width / 8;
    for (int i = 0; i < layers; i++) {
      length += (int) BumpedLayer.sizeInBytes(blocks[i], lowerBlocks[i], columns);
    }
    byte[] image = new byte[length];
    int sparsity = 2 + random.nextInt(100);
    for (int bit = 8 * (64 + table); bit < 8 * length; bit++) {
      if (random.nextInt(sparsity) == 0) {
        image[bit / 8] |= (byte) (1 << bit % 8);
      }
    }
    ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).position(64);
    for (int i = 0; i < layers; i++) {
      out.putInt(blocks[i]).putInt(lowerBlocks[i]);
    }
    out.putLong(last.word0()).putLong(last.word1());
    for (int i = 0; i < layers; i++) {
      int words = BumpedLayer.thresholdWords(64L * blocks[i]);
      int favourite = random.nextInt(4);
      long[] thresholds = new long[words];
      for (int bucket = 0; bucket < 32 * words; bucket++) {
        int threshold = random.nextInt(3) == 0 ? random.nextInt(4) : favourite;
        BumpedLayer.setThreshold(thresholds, bucket, threshold);
      }
      out.asLongBuffer().put(thresholds);
      int size = (int) BumpedLayer.sizeInBytes(blocks[i], lowerBlocks[i], columns);
      out.position(out.position() + size);
    }
    int crc = ByteAccess.ARRAY.crc32c(image, 64, table);
    FilterHeader.write(
        image,
        FilterType.BUMPED_RIBBON,
        null,
        1,
        0.01,
        0.01,
        BumpedRibbonLayout.shape0(seed, layers, columns),
        Integer.toUnsignedLong(crc));
    return image;
  }

  /** Makes the header's checksum right again. */
  static void writeHeaderCrc(byte[] image) {
    ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).putInt(60, crc(image, 0, 60));
  }

  /** Makes the table's checksum right again, for the table that the header tells of. */
  static void writeTableCrc(byte[] image) {
    int length = 8 * (image[44] & 0xFF) + 16;
    if (image.length >= 64 + length) {
      ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).putInt(48, crc(image, 64, length));
    }
    writeHeaderCrc(image);
  }

  private static int crc(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }
}
