package io.winnow.quotient;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.unmix;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.winnow.base.KeyBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HashSorterTest {
  private final HashSorter sorter = new HashSorter();

  private void assertSorts(long[] hashes, int count) {
    long[] expected =
        Arrays.stream(hashes, 0, count)
            .map(PlainQuotientReader::mixed)
            .distinct()
            .boxed()
            .sorted(Long::compareUnsigned)
            .mapToLong(Long::longValue)
            .toArray();
    KeyBuffer keys = new KeyBuffer();
    keys.add(hashes, 0, count);
    int distinct = sorter.sort(keys);
    assertArrayEquals(expected, Arrays.copyOf(sorter.sorted, distinct));
  }

  @Test
  void anyNumberInTheSameScratch() {
    for (int count : new int[] {0, 1, 2, 7, 8, 9, 40, 41, 42, 100, 50_000, 3, 1000}) {
      assertSorts(distinct(count, count), count);
      assertSorts(distinct(count, count + 5), count);
    }
  }

  /** Neighbourhoods too large to insert into, of both signs, with repeats. */
  @Test
  void hashesThatAreNone() {
    Random random = new Random(1);
    for (int bits = 1; bits < 64; bits += 3) {
      long[] hashes = new long[2000];
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] =
            unmix(
                (random.nextLong() >>> bits)
                    - (random.nextBoolean() ? 1L << 62 - bits / 2 : 0)
                    + i % 3);
      }
      assertSorts(hashes, hashes.length);
    }
  }
}
