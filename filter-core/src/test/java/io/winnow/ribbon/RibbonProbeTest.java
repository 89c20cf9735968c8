package io.winnow.ribbon;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterHeader;
import io.winnow.FilterLayout;
import io.winnow.FilterType;
import io.winnow.ImageFilter;
import io.winnow.SplitBytes;
import io.winnow.image.Filters;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The probe against the plain reader: over random payloads, where a slip anywhere shows. */
class RibbonProbeTest {

  /** An image of this shape over a payload in which about one bit in {@code sparsity} is set. */
  static byte[] image(
      Random random, int width, int blocks, int lowerBlocks, int columns, int seed, int sparsity) {
    byte[] image = new byte[64 + (blocks * columns - lowerBlocks) * (width / 8)];
    for (int i = 64 * 8; i < image.length * 8; i++) {
      if (random.nextInt(sparsity) == 0) {
        image[i / 8] |= (byte) (1 << i % 8);
      }
    }
    FilterHeader.write(
        image,
        FilterType.RIBBON,
        null,
        1,
        0.01,
        0.01,
        new RibbonShape(blocks, lowerBlocks, seed, width, columns).word0(),
        new RibbonShape(blocks, lowerBlocks, seed, width, columns).word1());
    return image;
  }

  /** One image in an array, in a buffer, and in pieces of which nothing but the image is read. */
  private static final class Forms {
    private final ImageFilter inArray;
    private final ImageFilter inBuffer;
    private final SplitBytes split;
    private final byte[][] pieces;

    Forms(byte[] image) {
      inArray = Filters.open(ByteBuffer.wrap(image));
      inBuffer = Filters.open(ByteBuffer.wrap(image).asReadOnlyBuffer());
      split = new SplitBytes(3, 3 + image.length);
      pieces = SplitBytes.split(image, 3, 50);
    }

    void assertAnswer(boolean expected, long hash) {
      FilterLayout layout = inArray.layout();
      assertEquals(expected, inArray.mightContain(hash), layout::describe);
      assertEquals(expected, inBuffer.mightContain(hash), layout::describe);
      assertEquals(expected, layout.mightContain(split, pieces, 3, hash), layout::describe);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void answersAsThePlainReader(int width) {
    Random random = new Random(width);
    int positives = 0;
    int probes = 0;
    for (int shape = 0; shape < 400; shape++) {
      int blocks = 1 + random.nextInt(shape % 4 == 0 ? 200 : 4);
      int columns = shape % 7 == 0 ? 1 + random.nextInt(56) : 1 + random.nextInt(8);
      int lowerBlocks =
          switch (shape % 3) {
            case 0 -> 0;
            case 1 -> blocks;
            default -> random.nextInt(blocks + 1);
          };
      int seed = shape % 5 == 0 ? random.nextInt() : random.nextInt(20);
      // Few bits set, or most probes would end at the first columns.
      byte[] image =
          image(random, width, blocks, lowerBlocks, columns, seed, 2 + random.nextInt(3 * width));
      Forms forms = new Forms(image);
      PlainRibbonReader plain = new PlainRibbonReader(image);
      for (int i = 0; i < 150; i++) {
        long hash = random.nextLong();
        boolean expected = plain.mightContain(hash);
        forms.assertAnswer(expected, hash);
        positives += expected ? 1 : 0;
        probes++;
      }
    }
    assertTrue(positives > probes / 10 && positives < probes * 9 / 10, "both answers occur");
  }

  /** One bit set in the payload: it must be seen by exactly the rows that pick it. */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void everyStartReadsItsOwnWindow(int width) {
    int blocks = 3;
    int slots = blocks * width;
    long rawStarts = RibbonHasher.rawStarts(slots, width);
    for (int lowerBlocks = 0; lowerBlocks <= blocks; lowerBlocks++) {
      Random random = new Random(lowerBlocks);
      byte[] image = image(random, width, blocks, lowerBlocks, 5, 0, 40);
      Forms forms = new Forms(image);
      PlainRibbonReader plain = new PlainRibbonReader(image);
      boolean[] seen = new boolean[slots - width + 1];
      for (long raw = 0; raw < rawStarts; raw++) {
        for (int i = 0; i < 8; i++) {
          long mixed = firstMixed(raw, rawStarts) + random.nextInt(1 << 20);
          seen[RibbonHasher.start(mixed, rawStarts, width)] = true;
          long hash = RibbonHashes.unmix(mixed);
          forms.assertAnswer(plain.mightContain(hash), hash);
        }
      }
      for (boolean start : seen) {
        assertTrue(start, "every start is reached");
      }
    }
  }

  /** The least mixed hash with this raw start. */
  private static long firstMixed(long raw, long rawStarts) {
    BigInteger[] quotient =
        BigInteger.valueOf(raw).shiftLeft(63).divideAndRemainder(BigInteger.valueOf(rawStarts));
    long half = quotient[0].longValueExact() + (quotient[1].signum() > 0 ? 1 : 0);
    return half << 1;
  }

  @Test
  void startsGrowWithTheMixedHashAndStayInRange() {
    Random random = new Random(5);
    for (int width : new int[] {64, 128}) {
      for (long slots : new long[] {width, 2 * width, 1000L * width, (1L << 31) - width}) {
        long rawStarts = RibbonHasher.rawStarts(slots, width);
        assertEquals(0, RibbonHasher.start(0, rawStarts, width));
        assertEquals(slots - width, RibbonHasher.start(-1, rawStarts, width));
        for (int i = 0; i < 10_000; i++) {
          long a = random.nextLong();
          long b = a + random.nextInt(1 << 30);
          if (Long.compareUnsigned(a, b) < 0) {
            int startOfA = RibbonHasher.start(a, rawStarts, width);
            int startOfB = RibbonHasher.start(b, rawStarts, width);
            assertTrue(0 <= startOfA && startOfA <= startOfB && startOfB <= slots - width);
          }
        }
      }
    }
  }

  @Test
  void mixingIsUndoneByTheTestsInverse() {
    for (int i = 0; i < 1000; i++) {
      long hash = splitMix(1, i);
      assertEquals(hash, RibbonHashes.unmix(RibbonHasher.mix(hash, 0)));
    }
  }

  @Test
  void noColumnsAcceptAllAndNoBlocksAcceptNothing() {
    for (int width : new int[] {64, 128}) {
      byte[] all = image(new Random(1), width, 1, 0, 0, 0, 2);
      byte[] lowerAll = image(new Random(1), width, 9, 9, 1, 0, 2);
      byte[] nothing = new byte[64];
      FilterHeader.write(
          nothing,
          FilterType.RIBBON,
          null,
          0,
          0.01,
          0,
          0,
          new RibbonShape(0, 0, 0, width, 0).word1());
      for (int i = 0; i < 100; i++) {
        long hash = splitMix(2, i);
        new Forms(all).assertAnswer(true, hash);
        new Forms(lowerAll).assertAnswer(true, hash);
        assertTrue(new PlainRibbonReader(all).mightContain(hash));
        assertTrue(new PlainRibbonReader(lowerAll).mightContain(hash));
        new Forms(nothing).assertAnswer(false, hash);
        assertFalse(new PlainRibbonReader(nothing).mightContain(hash));
      }
    }
  }
}
