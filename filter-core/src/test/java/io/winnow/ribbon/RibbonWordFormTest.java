package io.winnow.ribbon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The probe by words for width 128, as docs/format/ribbon-v1.md has it, answers as the plain one.
 */
class RibbonWordFormTest {
  @Test
  void wordsAnswerAsBitsDo() throws IOException {
    byte[] bytes =
        Files.readAllBytes(Path.of("src/test/resources/golden/ribbon-v1/1000-keys-w128.ribbon"));
    PlainRibbonReader plain = new PlainRibbonReader(bytes);
    ByteBuffer image = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int positives = 0;
    for (int i = 0; i < 20_000; i++) {
      long hash = TestHashes.splitMix(0, i);
      boolean answer = byWords(image, hash);
      assertTrue(answer || i >= 1000, "key " + i);
      assertEquals(plain.mightContain(hash), answer, "key " + i);
      positives += answer ? 1 : 0;
    }
    assertTrue(positives > 1000 && positives < 1400, positives + " answers maybe");
  }

  private static boolean byWords(ByteBuffer image, long hash) {
    int blocks = image.getInt(40);
    int lowerBlocks = image.getInt(44);
    int columns = image.get(53);
    long x = hash ^ image.getInt(48) * 0x9E3779B97F4A7C15L;
    x = (x ^ (x >>> 32)) * 0xBF58476D1CE4E5B9L;
    long mixed = (x ^ (x >>> 29)) * 0x94D049BB133111EBL;
    int slots = 128 * blocks;
    long raw = Math.multiplyHigh(mixed >>> 1, 2L * (slots - 128 + 1 + 64));
    int start = (int) Math.min(Math.max(raw - 32, 0), slots - 128);
    long low = (mixed ^ (mixed >>> 32)) * 0xC28F82822B650BEDL | 1;
    long y = mixed * 0xD6E8FEB86659FD93L;
    long high = y ^ (y >>> 32);

    int b = start / 128;
    int first = start % 128 / 64;
    int shift = start % 64;
    long[] part = {low << shift, high << shift, 0};
    if (shift > 0) {
      part[1] |= low >>> (64 - shift);
      part[2] = high >>> (64 - shift);
    }
    for (int column = 0; column < (b < lowerBlocks ? columns - 1 : columns); column++) {
      long v = 0;
      for (int k = 0; k < (shift > 0 ? 3 : 2); k++) {
        int block = b + (first + k) / 2;
        int place = 64 + (block * columns - Math.min(block, lowerBlocks) + column) * 16;
        v ^= image.getLong(place + 8 * ((first + k) % 2)) & part[k];
      }
      if (Long.bitCount(v) % 2 == 1) {
        return false;
      }
    }
    return true;
  }
}
