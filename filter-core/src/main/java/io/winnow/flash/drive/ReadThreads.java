package io.winnow.flash.drive;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Threads that read the pages of a batch of lookups at the same time: a drive reaches its
 * throughput only with many requests at once. The threads start with the first batch and end when
 * there is none for a while.
 */
public final class ReadThreads implements AutoCloseable {
  private static final int LEAVE_AFTER_SECONDS = 10;

  private final ThreadPoolExecutor threads;

  /**
   * Creates a pool of threads that read pages; the threads start later.
   *
   * @param name prefix of the threads' names
   * @param count number of threads
   */
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
            // after the close: a caller that is still there reads in its own thread
            (task, closed) -> task.run());
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * The work of a batch of lookups, divided into numbered tasks.
   *
   * @param <E> the exception that it may throw
   */
  public interface Task<E extends Throwable> {
    /**
     * Runs one task of the work of a batch of lookups.
     *
     * @param thread a number from 0 up to the number of threads, exclusive; no other thread has it
     *     meanwhile
     * @param task the number of the task
     */
    void run(int thread, int task) throws E;
  }

  /** Returns the maximum of threads that work on a batch. */
  public int count() {
    return threads.getMaximumPoolSize();
  }

  /**
   * Runs the numbered tasks of a batch in several threads, begun in their order, and returns after
   * the last. Where no threads are available, because the structure is being closed or the system
   * has none, the caller's thread runs them.
   *
   * @throws E if a task throws it; then no task runs any more, and some may not have run
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
   * Throws the failure of another thread, which is an unchecked exception or one of the caller's
   * type. If it is null, this does nothing.
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
