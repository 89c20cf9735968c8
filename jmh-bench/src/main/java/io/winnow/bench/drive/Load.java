package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.LongFunction;

/** The loading of a map with its first entries, before it is measured. */
final class Load {
  private Load() {}

  /** The time in seconds that putting the first entries into a map took. */
  record Outcome(double seconds) {}

  /**
   * Puts entries with the keys of successive numbers into a map, in random order or, if the map
   * needs it, in the order of the keys' bytes. Then it waits until the map has settled.
   */
  static Outcome run(Store store, long from, long count, LongFunction<byte[]> value)
      throws IOException {
    long start;
    if (store.isLoadedInOrder()) {
      long[] keys = new long[Math.toIntExact(count)];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = Keys.present(from + i) ^ Long.MIN_VALUE;
      }
      Arrays.sort(keys);
      start = System.nanoTime();
      for (long key : keys) {
        long unsigned = key ^ Long.MIN_VALUE;
        store.put(unsigned, value.apply(unsigned));
      }
    } else {
      start = System.nanoTime();
      for (long i = 0; i < count; i++) {
        long key = Keys.present(from + i);
        store.put(key, value.apply(key));
      }
    }
    store.settle();
    return new Outcome((System.nanoTime() - start) / 1e9);
  }
}
