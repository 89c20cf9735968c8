package io.winnow.bench.cascade;

import io.winnow.bench.Keys;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import io.winnow.flash.store.Durability;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Inserts of which each is safe when it returns, by several threads at once, with an fsync that
 * takes a fixed time: threads that wait at the same time can share one.
 */
final class CommitRuns {
  static final int FSYNC_MILLIS = 2;

  private static final int[] THREADS = {1, 2, 4, 8, 16};
  private static final long MEMORY_BYTES = 8 << 20;
  private static final long LONGEST_NANOS = 3600L * 1_000_000_000;

  /** Keys of different threads differ. */
  private static final long APART = 1L << 40;

  private final CascadeBenchOptions options;
  private final Path directory;
  private final Results results;
  private final Progress progress;

  CommitRuns(CascadeBenchOptions options, Path directory, Results results, Progress progress) {
    this.options = options;
    this.directory = directory;
    this.results = results;
    this.progress = progress;
  }

  /** About how many seconds it takes. */
  static double weight(CascadeBenchOptions options) {
    return options.parts().contains(CascadeBenchOptions.COMMIT)
        ? THREADS.length * seconds(options)
        : 0;
  }

  private static double seconds(CascadeBenchOptions options) {
    return options.seconds() / 4;
  }

  void run() throws IOException {
    if (options.parts().contains(CascadeBenchOptions.COMMIT)) {
      for (int threads : THREADS) {
        measure(threads);
      }
    }
  }

  private void measure(int threads) throws IOException {
    Path files = directory.resolve("commit-" + threads);
    SlowFsync drive = new SlowFsync(FSYNC_MILLIS);
    CascadeOptions durable =
        CascadeOptions.defaults()
            .memoryBudget(MEMORY_BYTES)
            .durability(Durability.everyN(1))
            .fileAccess(drive);
    Histogram nanos = new Histogram(LONGEST_NANOS, 3);
    try (CascadeFilter filter = CascadeFilter.open(files, durable)) {
      long fsyncs = drive.fsyncs();
      long start = System.nanoTime();
      for (Histogram one : insert(filter, threads, start)) {
        nanos.add(one);
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      Map<String, String> at = Map.of("threads", String.valueOf(threads));
      Metrics.operations(results, Metrics.COMMIT, at, nanos.getTotalCount(), seconds, nanos);
      results.add(Metrics.COMMIT, at, "fsyncsPerSecond", (drive.fsyncs() - fsyncs) / seconds);
      progress.step(
          seconds(options),
          "group commit",
          Table.number(nanos.getTotalCount() / seconds, 0)
              + " inserts/s, each synced, "
              + threads
              + (threads == 1 ? " thread" : " threads"));
    } finally {
      ScratchDirectory.delete(files);
    }
  }

  private List<Histogram> insert(CascadeFilter filter, int threads, long start) throws IOException {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Histogram>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        long first = i * APART;
        tasks.add(() -> insertFrom(first, filter, start));
      }
      List<Histogram> all = new ArrayList<>();
      for (Future<Histogram> done : executor.invokeAll(tasks)) {
        all.add(done.get());
      }
      return all;
    } catch (ExecutionException e) {
      throw new IOException("an insert failed: " + e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    } finally {
      executor.shutdown();
    }
  }

  private Histogram insertFrom(long first, CascadeFilter filter, long start) throws IOException {
    Histogram nanos = new Histogram(LONGEST_NANOS, 3);
    long end = start + (long) (seconds(options) * 1e9);
    long key = first;
    long last = System.nanoTime();
    do {
      filter.insert(Keys.present(key++));
      long now = System.nanoTime();
      nanos.recordValue(now - last);
      last = now;
    } while (last - end < 0);
    return nanos;
  }
}
