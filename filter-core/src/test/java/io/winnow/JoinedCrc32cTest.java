package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.quotient.QuotientSizing;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Checksums of parts make that of the whole. */
class JoinedCrc32cTest {
  @Test
  void partsOfAnyLengthAreJoined() {
    Random random = new Random(1);
    for (int length : new int[] {0, 1, 2, 63, 64, 1000, 131_072, 1_000_003}) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      for (int round = 0; round < 20; round++) {
        int cut = random.nextInt(length + 1);
        int joined =
            JoinedCrc32c.of(
                ByteAccess.ARRAY.crc32c(bytes, 0, cut),
                ByteAccess.ARRAY.crc32c(bytes, cut, length - cut),
                length - cut);
        assertEquals(ByteAccess.ARRAY.crc32c(bytes, 0, length), joined, cut + " of " + length);
      }
    }
  }

  @Test
  void imageOfEachKindTellsTheChecksumOfItsBytes() {
    for (FilterSizing sizing :
        List.of(
            RibbonSizing.forRate(0.01),
            BumpedRibbonSizing.forRate(0.01),
            QuotientSizing.forRate(0.01))) {
      for (KeyHash hash : new KeyHash[] {null, KeyHash.XXH3, KeyHash.ofLabel("xxh3-seeded")}) {
        for (int keys : new int[] {0, 1, 20_000}) {
          FilterBuilder builder = FilterBuilder.of(sizing);
          if (hash != null) {
            builder.hashesOf(hash);
          }
          new Random(keys).longs(keys).forEach(builder::add);
          FilterImage image = builder.finish();
          byte[] bytes = new byte[image.sizeInBytes()];
          image.buffer().get(bytes);
          assertEquals(ByteAccess.ARRAY.crc32c(bytes, 0, bytes.length), image.crc32c());
        }
      }
    }
  }
}
