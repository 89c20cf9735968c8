package io.winnow.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * A measurement of the bytes that a filter adds to a store file, with every header, index and meta
 * byte: the file's length minus that of the same file without a filter. It also measures the rate
 * of the opened file's filter.
 */
final class Space {
  static final String NAME = "space";
  private static final int KEY_LENGTH = 25;
  private static final HBaseFilter[] FILTERS = {
    HBaseFilter.BLOOM, HBaseFilter.RIBBON, HBaseFilter.BUMPED_RIBBON, HBaseFilter.QUOTIENT
  };

  private final Effort effort;
  private final Results results;
  private final Progress progress;

  Space(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
  }

  private static int[] sizes(Effort effort) {
    return switch (effort) {
      case SMOKE -> new int[] {2000};
      case QUICK -> new int[] {10_000, 100_000, 500_000};
      case FULL -> new int[] {10_000, 100_000, 10_000_000};
    };
  }

  /**
   * Returns the number of absent keys for which filters are queried: half as many as the largest
   * file has rows.
   */
  private static int queryCount(Effort effort) {
    return Math.max(10_000, Arrays.stream(sizes(effort)).max().orElse(0) / 2);
  }

  static double weight(Effort effort) {
    return effort == Effort.FULL ? 160 : 16;
  }

  void run() throws IOException {
    double perKey = weight(effort) / (2.0 * Arrays.stream(sizes(effort)).sum() * FILTERS.length);
    for (int n : sizes(effort)) {
      long[] numbers = Keys.presentInOrder(n);
      long without;
      try (LocalStoreFile file =
          LocalStoreFile.write(null, 0.01, LocalStoreFile.rows(numbers, KEY_LENGTH))) {
        without = file.sizeInBytes();
      }
      for (double rate : new double[] {0.01, 0.001}) {
        for (HBaseFilter filter : FILTERS) {
          measure(filter, rate, numbers, without, n * perKey);
        }
      }
    }
  }

  private void measure(HBaseFilter filter, double rate, long[] numbers, long without, double weight)
      throws IOException {
    int n = numbers.length;
    int queries = queryCount(effort);
    try (LocalStoreFile file =
        LocalStoreFile.write(filter, rate, LocalStoreFile.rows(numbers, KEY_LENGTH))) {
      double bitsPerKey = 8.0 * (file.sizeInBytes() - without) / n;
      BloomFilter opened = file.filter();
      byte[] key = new byte[KEY_LENGTH];
      for (int i = 0; i < n; i++) {
        Keys.write(numbers[i], key, 0, KEY_LENGTH);
        if (!opened.contains(key, 0, KEY_LENGTH, null)) {
          throw new IllegalStateException(filter.label() + " misses a present key");
        }
      }
      long positives = 0;
      for (int i = 0; i < queries; i++) {
        Keys.write(Keys.absent(i), key, 0, KEY_LENGTH);
        positives += opened.contains(key, 0, KEY_LENGTH, null) ? 1 : 0;
      }
      Map<String, String> parameters =
          Map.of("filter", filter.label(), "n", String.valueOf(n), "rate", String.valueOf(rate));
      results.add(NAME, parameters, JmhRuns.BITS_PER_KEY, bitsPerKey);
      results.add(NAME, parameters, JmhRuns.RATE, (double) positives / queries);
      results.add(NAME, parameters, "absentProbes", queries);
      progress.step(
          weight,
          String.format(Locale.ROOT, "space %s, %d keys at %s", filter.label(), n, rate),
          String.format(Locale.ROOT, "%.4f bits per key", bitsPerKey));
    }
  }
}
