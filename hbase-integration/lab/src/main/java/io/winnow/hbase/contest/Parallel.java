package io.winnow.hbase.contest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Tasks that run in several threads at once. */
public final class Parallel {

  private Parallel() {}

  /**
   * Runs tasks, a number of them at a time, and waits for all. Returns their results in the order
   * of the tasks.
   *
   * @throws IOException if a task failed
   */
  public static <T> List<T> run(int threads, List<Callable<T>> tasks)
      throws IOException, InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> one : pool.invokeAll(tasks)) {
        results.add(one.get());
      }
      return results;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw cause instanceof IOException failed
          ? failed
          : new IOException(cause.getMessage(), cause);
    } finally {
      pool.shutdownNow();
    }
  }
}
