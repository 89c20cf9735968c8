package io.winnow.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.flash.bloom.BloomPositions;
import io.winnow.flash.bloom.BloomSizing;
import java.util.Arrays;
import java.util.BitSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlainBloomFilterTest {
  @ParameterizedTest
  @CsvSource({"64, 1", "64, 64", "65, 3", "127, 7", "1000, 11", "100003, 7"})
  void itSetsTheBitsAtAllPositionsOfAKeyAndNoOthers(int bits, int hashFunctions) {
    BloomSizing sizing = new BloomSizing(bits, hashFunctions);
    PlainBloomFilter filter = new PlainBloomFilter(sizing);
    BitSet model = new BitSet(bits);
    long[] positions = new long[hashFunctions];
    int keys = Math.max(1, bits / hashFunctions / 2);
    for (int i = 0; i < keys; i++) {
      filter.insert(Keys.present(i));
      BloomPositions.of(sizing, Keys.present(i), positions);
      Arrays.stream(positions).forEach(position -> model.set((int) position));
    }
    for (int i = 0; i < keys + 20_000; i++) {
      long key = i < keys ? Keys.present(i) : Keys.absent(i);
      BloomPositions.of(sizing, key, positions);
      boolean expected = Arrays.stream(positions).allMatch(position -> model.get((int) position));
      assertEquals(expected, filter.mightContain(key));
    }
  }
}
