package io.winnow.bench;

import java.util.stream.LongStream;
import org.apache.hadoop.hbase.util.BloomFilter;

/** Checks of the filter of an open store file, whose keys are those of {@link Keys}. */
record FilterCheck(BloomFilter filter, int keyLength) {
  /**
   * Queries present keys.
   *
   * @throws IllegalStateException if the filter rules one out
   */
  void requirePresent(long... numbers) {
    for (long number : numbers) {
      if (!contains(number)) {
        throw new IllegalStateException("a filter misses a present key, number " + number);
      }
    }
  }

  /** Returns the number of absent keys, of some that are queried, that are not ruled out. */
  long falsePositives(int queries) {
    return LongStream.range(0, queries).filter(i -> contains(Keys.absent(i))).count();
  }

  private boolean contains(long number) {
    return filter.contains(Keys.key(number, keyLength), 0, keyLength, null);
  }
}
