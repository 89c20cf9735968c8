package io.winnow.hbase.tools;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that do the same with many things. Closing it stops them. */
final class Crew implements AutoCloseable {
  /** For work that waits for a file system more than it computes. */
  static final int FOR_META_READS = 16;

  private final ExecutorService threads;

  Crew(int threads) {
    this.threads = Executors.newFixedThreadPool(threads);
  }

  /** What is done with a thing. */
  interface Work<T, R> {
    R with(T thing) throws IOException;
  }

  /** What comes of all of them, in their order; throws what the first of them threw. */
  <T, R> List<R> map(Collection<? extends T> things, Work<T, R> work)
      throws IOException, InterruptedException {
    List<Future<R>> futures = new ArrayList<>();
    for (T thing : things) {
      futures.add(threads.submit(() -> work.with(thing)));
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
        IOException failed = (IOException) e.getCause();
        throw failed;
      }
      if (e.getCause() instanceof RuntimeException) {
        RuntimeException failed = (RuntimeException) e.getCause();
        throw failed;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
