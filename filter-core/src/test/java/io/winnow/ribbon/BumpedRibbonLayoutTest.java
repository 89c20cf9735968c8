package io.winnow.ribbon;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.ImageFilter;
import io.winnow.MembershipFilter;
import io.winnow.image.Filters;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bumped probe against the plain reader. */
class BumpedRibbonLayoutTest {

  /** Over random payloads and shapes, where a slip anywhere shows. */
  @Test
  void answersAsThePlainReader() {
    Random random = new Random(1);
    int positives = 0;
    int probes = 0;
    for (int shape = 0; shape < 600; shape++) {
      int columns = shape % 7 == 0 ? 1 + random.nextInt(56) : 1 + random.nextInt(4);
      int[] blocks = new int[1 + random.nextInt(shape % 5 == 0 ? 8 : 3)];
      int[] lowerBlocks = new int[blocks.length];
      for (int i = 0; i < blocks.length; i++) {
        blocks[i] = 1 + random.nextInt(shape % 4 == 0 ? 200 : 4);
        lowerBlocks[i] =
            switch (random.nextInt(3)) {
              case 0 -> 0;
              case 1 -> blocks[i];
              default -> random.nextInt(blocks[i] + 1);
            };
      }
      int seed = shape % 5 == 0 ? random.nextInt() : random.nextInt(20);
      byte[] image =
          BumpedImages.image(random, seed, columns, blocks, lowerBlocks, lastShape(random));
      ImageFilter filter = Filters.open(ByteBuffer.wrap(image));
      PlainBumpedRibbonReader plain = new PlainBumpedRibbonReader(image);
      for (int i = 0; i < 150; i++) {
        long hash = random.nextLong();
        boolean expected = plain.mightContain(hash);
        assertEquals(expected, filter.mightContain(hash), filter.layout()::describe);
        positives += expected ? 1 : 0;
        probes++;
      }
    }
    assertTrue(positives > probes / 10 && positives < probes * 9 / 10, "both answers occur");
  }

  private static RibbonShape lastShape(Random random) {
    int width = random.nextInt(4) == 0 ? 128 : 64;
    int blocks = random.nextInt(6);
    int columns = blocks == 0 ? 0 : random.nextInt(5);
    int lowerBlocks = columns == 0 ? 0 : random.nextInt(blocks + 1);
    return new RibbonShape(blocks, lowerBlocks, random.nextInt(5), width, columns);
  }

  /** Built filters, members and others. */
  @ParameterizedTest
  @CsvSource({
    "0.5, 5000", "0.3, 5000", "0.1, 3000", "0.1, 40000", "0.01, 2000", "0.01, 10000",
    "0.01, 34000", "0.01, 155000", "0.001, 2000", "0.001, 40000", "1e-6, 5000", "4e-15, 3000"
  })
  void builtFiltersAnswerAsThePlainReader(double rate, int keys) {
    long[] hashes = distinct(keys, keys);
    FilterImage image =
        build(FilterBuilder.of(BumpedRibbonSizing.forRate(rate).withFirstSeeds(() -> 0)), hashes);
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    MembershipFilter filter = image.open();
    PlainBumpedRibbonReader plain = new PlainBumpedRibbonReader(bytes);
    for (int i = 0; i < 3000; i++) {
      assertTrue(plain.mightContain(hashes[i % keys]), "key " + i);
      long hash = splitMix(~keys, i);
      assertEquals(plain.mightContain(hash), filter.mightContain(hash));
    }
  }
}
