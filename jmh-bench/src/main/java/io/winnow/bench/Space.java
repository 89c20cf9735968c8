package io.winnow.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * A measurement of the bytes that a filter adds to a store file, with every header, index and meta
 * byte: the file's length minus that of the same file without a filter. It also measures the rate
 * of the opened file's filter.
 */
record Space(Effort effort, Run run) implements Part {
  static final String NAME = "space";
  private static final int KEY_LENGTH = 25;
  private static final List<HBaseFilter> FILTERS =
      List.of(
          HBaseFilter.BLOOM, HBaseFilter.RIBBON, HBaseFilter.BUMPED_RIBBON, HBaseFilter.QUOTIENT);

  private int[] sizes() {
    return effort.choose(
        new int[] {2000},
        new int[] {10_000, 100_000, 500_000},
        new int[] {10_000, 100_000, 10_000_000});
  }

  @Override
  public double weight() {
    return effort == Effort.FULL ? 160 : 16;
  }

  @Override
  public void measure() throws IOException {
    for (int n : sizes()) {
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
    Samples samples = run.samples(NAME, "filter", Labels.of(filter), "n", n, "rate", rate);
    // Absent keys: half as many as the rows of the largest file.
    int all = Arrays.stream(sizes()).sum();
    int queries = Math.max(10_000, Arrays.stream(sizes()).max().orElseThrow() / 2);
    try (LocalStoreFile file = write(filter, rate, numbers)) {
      double bitsPerKey = 8.0 * (file.sizeInBytes() - without) / n;
      FilterCheck opened = new FilterCheck(file.filter(), KEY_LENGTH);
      opened.requirePresent(numbers);
      samples
          .add(BITS_PER_KEY, bitsPerKey)
          .add(FALSE_POSITIVE_RATE, (double) opened.falsePositives(queries) / queries)
          .add("absentProbes", queries);
      double weight = weight() * n / (2.0 * all * FILTERS.size());
      run.step(weight, samples, "%.4f bits per key", bitsPerKey);
    }
  }
}
