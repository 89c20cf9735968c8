package io.winnow.hbase.quickstart;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.storefile.StoreFileFilter;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * The measurement of the quickstart: fills a table per kind of filter with one large store file and
 * several flushed ones, and measures the filters.
 *
 * <p>Unnecessary file reads are counted: the filters of all store files, opened by HBase's own
 * classes, are queried for absent keys and for present ones. Nothing is timed.
 */
record QuickstartRun(QuickstartTables tables, RowKeys keys, PrintStream progress) {
  /** Name of the benchmark in results: the figures of one table, and so of one kind of filter. */
  static final String BENCHMARK = "quickstart";

  /** Name of the benchmark in results that has the numbers of rows and of absent keys. */
  static final String RUN = "quickstartRun";

  static final String ROWS_LOST = "rowsLost";

  private static final List<FilterChoice> KINDS = QuickstartTables.KINDS;

  private static final int ABSENT_KEYS = 300_000;
  private static final int MIN_ABSENT_KEYS = 100_000;
  private static final int PRESENT_KEYS = 300_000;
  private static final int SCANS = 20_000;

  /** Number of keys for which a filter is queried between two reports of progress. */
  private static final int STEP = 1_000;

  /** Fills the quickstart's tables, reads all rows back, and measures the filters. */
  Results measure(String command) throws IOException, InterruptedException {
    Results results = new Results(Machine.setting(command));
    long begin = System.nanoTime();
    tables.fill();
    byte[][] misses =
        keys.misses((int) Math.min(ABSENT_KEYS, Math.max(MIN_ABSENT_KEYS, 10L * keys.size())));
    results.add(RUN, Map.of(), "rows", keys.size());
    results.add(RUN, Map.of(), "absentKeys", misses.length);

    try (Progress step =
        Progress.counting(
            progress,
            "Reading every row back, and absent ones",
            "rows",
            (long) (keys.size() + misses.length) * KINDS.size())) {
      for (FilterChoice kind : KINDS) {
        long found = tables.gets(kind, keys.size(), keys::hit, step);
        results.add(BENCHMARK, at(kind), ROWS_LOST, keys.size() - found);
        if (tables.gets(kind, misses.length, i -> misses[i], step) != 0) {
          throw new IllegalStateException("a key that was never written has a row");
        }
      }
    }

    int present = Math.min(PRESENT_KEYS, keys.size());
    try (Progress step =
        Progress.counting(
            progress,
            "Querying the store files' filters for absent and present keys",
            "keys",
            (long) (misses.length + present) * KINDS.size())) {
      for (FilterChoice kind : KINDS) {
        List<StoreFileFilter> filters = tables.filters(kind);
        long bytes = filters.stream().mapToLong(StoreFileFilter::sizeInBytes).sum();
        double absentReads = read(filters, misses.length, i -> misses[i], step);
        // The one file that has the row is read in any case.
        double presentReads = read(filters, present, keys::hit, step) - 1;
        results.add(BENCHMARK, at(kind), "files", filters.size());
        results.add(BENCHMARK, at(kind), "filterBytes", bytes);
        results.add(BENCHMARK, at(kind), "bitsPerKey", 8.0 * bytes / keys.size());
        if (misses.length > 0) {
          results.add(BENCHMARK, at(kind), "readsPerAbsentGet", absentReads);
        }
        results.add(BENCHMARK, at(kind), "readsPerPresentGet", presentReads);
        if (keys.prefixBytes > 0) {
          results.add(BENCHMARK, at(kind), "filesPerScan", filesPerScan(filters));
        }
        for (StoreFileFilter filter : filters) {
          filter.close();
        }
      }
    }
    return results.withSeconds(Math.round((System.nanoTime() - begin) / 1e9));
  }

  private static Map<String, String> at(FilterChoice kind) {
    return Map.of("filter", kind.label);
  }

  /** Returns the mean number of store files that a Get reads, as the files' filters answer. */
  private static double read(
      List<StoreFileFilter> filters, int count, IntFunction<byte[]> key, Progress step) {
    long read = 0;
    for (int i = 0; i < count; i++) {
      for (StoreFileFilter filter : filters) {
        read += filter.mightContain(key.apply(i)) ? 1 : 0;
      }
      if ((i + 1) % STEP == 0) {
        step.add(STEP);
      }
    }
    return (double) read / count;
  }

  /**
   * Returns the mean number of store files that a scan of one row prefix reads, as the files'
   * filters answer.
   */
  private double filesPerScan(List<StoreFileFilter> filters) {
    int scans = Math.min(SCANS, keys.size());
    long read = 0;
    for (int i = 0; i < scans; i++) {
      byte[] prefix = Arrays.copyOf(keys.hit(i), keys.prefixBytes);
      for (StoreFileFilter filter : filters) {
        read += filter.mayHavePrefix(prefix) ? 1 : 0;
      }
    }
    return (double) read / scans;
  }
}
