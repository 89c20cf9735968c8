package io.winnow.hbase.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Pool of threads that applies one function to many items and stops its threads when it is closed.
 */
public final class Crew implements AutoCloseable {
  /**
   * Number of threads for work that waits for a file system more than it computes, such as reading
   * trailers of files.
   */
  public static final int FOR_META_READS = 16;

  private final ExecutorService threads;

  public Crew(int threads) {
    this.threads = Executors.newFixedThreadPool(threads);
  }

  /** Function that a pool of threads applies to each item of a collection. */
  public interface Work<T, R> {
    R with(T item) throws IOException;
  }

  /**
   * Applies a function to all items of a collection, in several threads.
   *
   * @return the results, in the order of the items
   * @throws IOException the first exception in the order of the items
   */
  public <T, R> List<R> map(Collection<? extends T> items, Work<T, R> work)
      throws IOException, InterruptedException {
    List<Future<R>> futures = new ArrayList<>();
    for (T item : items) {
      futures.add(threads.submit(() -> work.with(item)));
    }
    List<R> results = new ArrayList<>();
    try {
      for (Future<R> future : futures) {
        results.add(future.get());
      }
      return results;
    } catch (ExecutionException e) {
      futures.forEach(future -> future.cancel(true));
      if (e.getCause() instanceof IOException) {
        throw (IOException) e.getCause();
      }
      if (e.getCause() instanceof RuntimeException) {
        throw (RuntimeException) e.getCause();
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
