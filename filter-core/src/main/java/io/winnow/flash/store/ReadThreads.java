package io.winnow.flash.store;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Threads that read the pages of a batch of lookups. A drive is asked by all of them at once, which
 * is what it takes to get its throughput rather than its latency. They come with the first batch
 * and leave when there is none for a while.
 */
public final class ReadThreads implements AutoCloseable {
  private static final int LEAVE_AFTER_SECONDS = 10;

  private final ThreadPoolExecutor threads;

  public ReadThreads(String name, int count) {
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            count,
            count,
            LEAVE_AFTER_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name + "-" + number.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            },
            // closed meanwhile: who is still there reads for itself
            (task, closed) -> task.run());
    threads.allowCoreThreadTimeOut(true);
  }

  /** Some of the work of a batch, and the exception that it may throw. */
  public interface Task<E extends Throwable> {
    /**
     * Does a part of it.
     *
     * @param thread a number that no other thread has meanwhile, below that of all threads
     */
    void run(int thread, int task) throws E;
  }

  /** How many threads there are for a batch at most. */
  public int count() {
    return threads.getMaximumPoolSize();
  }

  /**
   * Runs the tasks 0 to {@code count - 1}, begun in this order, and returns after the last. Where
   * there are no threads for it, since the filter is being closed or the system has none to give,
   * the caller's own does it. What a task throws is thrown, once no other one runs any more: some
   * may not have been run then.
   */
  public <E extends Throwable> void run(int count, Task<E> task) throws E {
    int helpers = Math.min(count(), count);
    AtomicInteger next = new AtomicInteger();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(helpers);
    for (int i = 0; i < helpers; i++) {
      int thread = i;
      Runnable helper =
          () -> {
            try {
              for (int t = next.getAndIncrement(); t < count; t = next.getAndIncrement()) {
                task.run(thread, t);
              }
            } catch (Throwable e) {
              failure.compareAndSet(null, e);
              next.set(count);
            } finally {
              done.countDown();
            }
          };
      try {
        threads.execute(helper);
      } catch (OutOfMemoryError e) {
        helper.run();
      }
    }
    Uninterrupted.await(done);
    ReadThreads.<E>rethrow(failure.get());
  }

  /**
   * Throws what another thread met, an unchecked exception or one of {@code E}; null throws
   * nothing.
   */
  @SuppressWarnings("unchecked")
  public static <E extends Throwable> void rethrow(Throwable met) throws E {
    if (met != null) {
      throw (E) met;
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
