package io.winnow.ribbon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.ByteAccess;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BumpedLayerTest {
  private static final int[] LIMITS = {128, 36, 17, 0};

  @Test
  void limitsByThreshold() {
    for (int threshold = 0; threshold < 4; threshold++) {
      assertEquals(LIMITS[threshold], BumpedLayer.limit(threshold));
    }
  }

  @Test
  void thirdsByPosition() {
    for (int start = 0; start < 1000; start++) {
      int position = start % 128;
      assertEquals(position < 17 ? 0 : position < 36 ? 1 : 2, BumpedLayer.third(start));
    }
  }

  @Test
  void thresholdsAreReadBackAtEveryStart() {
    Random random = new Random(1);
    for (int blocks : new int[] {1, 2, 3, 4, 63, 64, 65, 66, 129, 300}) {
      int slots = 64 * blocks;
      int[] thresholds = new int[BumpedLayer.buckets(slots)];
      long[] words = new long[BumpedLayer.thresholdWords(slots)];
      for (int bucket = 0; bucket < thresholds.length; bucket++) {
        thresholds[bucket] = random.nextInt(4);
        BumpedLayer.setThreshold(words, bucket, thresholds[bucket]);
      }
      int payload = 5;
      int offset = 7;
      byte[] image = new byte[payload + offset + 8 * words.length];
      ByteBuffer.wrap(image, payload + offset, 8 * words.length)
          .slice()
          .order(ByteOrder.LITTLE_ENDIAN)
          .asLongBuffer()
          .put(words);
      BumpedLayer layer = new BumpedLayer(blocks, 0, 7, offset);
      assertEquals(slots - 63, layer.starts);
      int[] kept = new int[blocks];
      for (int start = 0; start < layer.starts; start++) {
        boolean bumped = start % 128 < LIMITS[thresholds[start / 128]];
        assertEquals(bumped, layer.isBumped(ByteAccess.ARRAY, image, payload, start));
        kept[start / 64] += bumped ? 0 : 1;
      }
      for (int block = 0; block < blocks; block++) {
        assertEquals(kept[block], BumpedLayer.keptStarts(words, slots, block));
      }
    }
  }

  @Test
  void sizesOfTheLargestLayersDoNotOverflow() {
    long most = Integer.MAX_VALUE / 64;
    for (long blocks : new long[] {1, 2, 3, 64, 65, 1000, most - 1, most}) {
      long starts = blocks * 64 - 63;
      long buckets = (starts + 127) / 128;
      long words = (buckets + 31) / 32;
      for (int columns : new int[] {1, 7, 56}) {
        for (long lower : new long[] {0, 1, blocks}) {
          assertEquals(
              8 * words + 8 * (blocks * columns - lower),
              BumpedLayer.sizeInBytes(blocks, lower, columns));
        }
      }
    }
  }
}
