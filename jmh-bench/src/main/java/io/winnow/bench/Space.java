package io.winnow.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * A measurement of the bytes that a filter adds to a store file, with every header, index and meta
 * byte: the file's length minus that of the same file without a filter. It also measures the rate
 * of the opened file's filter.
 */
final class Space extends Part {
  static final String NAME = "space";
  private static final int KEY_LENGTH = 25;
  private static final List<HBaseFilter> FILTERS =
      List.of(
          HBaseFilter.BLOOM, HBaseFilter.RIBBON, HBaseFilter.BUMPED_RIBBON, HBaseFilter.QUOTIENT);

  private final int[] sizes;

  /** Number of absent keys for which filters are queried: half of the rows of the largest file. */
  private final int queries;

  Space(Effort effort, Results results, Progress progress) {
    super(effort, results, progress);
    sizes =
        effort.choose(
            new int[] {2000},
            new int[] {10_000, 100_000, 500_000},
            new int[] {10_000, 100_000, 10_000_000});
    queries = Math.max(10_000, sizes[sizes.length - 1] / 2);
  }

  @Override
  double weight() {
    return effort == Effort.FULL ? 160 : 16;
  }

  @Override
  void run() throws IOException {
    for (int n : sizes) {
      long[] numbers = Keys.presentInOrder(0, n);
      long without;
      try (LocalStoreFile file = write(HBaseFilter.NONE, 0.01, numbers)) {
        without = file.sizeInBytes();
      }
      for (double rate : new double[] {0.01, 0.001}) {
        for (HBaseFilter filter : FILTERS) {
          measure(filter, rate, numbers, without);
        }
      }
    }
  }

  private static LocalStoreFile write(HBaseFilter filter, double rate, long[] numbers)
      throws IOException {
    return LocalStoreFile.write(filter, rate, LocalStoreFile.rows(numbers, KEY_LENGTH));
  }

  private void measure(HBaseFilter filter, double rate, long[] numbers, long without)
      throws IOException {
    int n = numbers.length;
    Map<String, String> at = Map.of("filter", Labels.of(filter), "n", "" + n, "rate", "" + rate);
    try (LocalStoreFile file = write(filter, rate, numbers)) {
      double bitsPerKey = 8.0 * (file.sizeInBytes() - without) / n;
      progress.step(0, "space " + at, "written");
      BloomFilter opened = file.filter();
      byte[] key = new byte[KEY_LENGTH];
      for (long number : numbers) {
        Keys.write(number, key, 0, KEY_LENGTH);
        if (!opened.contains(key, 0, KEY_LENGTH, null)) {
          throw new IllegalStateException(Labels.of(filter) + " misses a present key");
        }
      }
      long positives = 0;
      for (int i = 0; i < queries; i++) {
        Keys.write(Keys.absent(i), key, 0, KEY_LENGTH);
        positives += opened.contains(key, 0, KEY_LENGTH, null) ? 1 : 0;
      }
      results.add(NAME, at, BITS_PER_KEY, bitsPerKey);
      results.add(NAME, at, FALSE_POSITIVE_RATE, (double) positives / queries);
      results.add(NAME, at, "absentProbes", queries);
      progress.step(
          weight() * n / (2.0 * Arrays.stream(sizes).sum() * FILTERS.size()),
          "space " + at,
          String.format(Locale.ROOT, "%.4f bits per key", bitsPerKey));
    }
  }
}
