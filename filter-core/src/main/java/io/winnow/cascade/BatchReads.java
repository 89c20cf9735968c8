package io.winnow.cascade;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/**
 * Threads that read for batches: a drive is asked by all of them at once, which is what it takes to
 * get its throughput rather than its latency. They come with the first batch and leave when there
 * is none for a while.
 */
final class BatchReads implements AutoCloseable {
  private static final int LEAVE_AFTER_SECONDS = 10;

  private final ThreadPoolExecutor threads;

  BatchReads(String name, int count) {
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

  /**
   * Runs the tasks 0 to {@code count - 1}, begun in this order, and returns after the last. Where
   * there are no threads for it, since the filter is being closed or the system has none to give,
   * the caller's own does it. What a task throws is thrown, once no other one runs any more: some
   * may not have been run then.
   */
  void run(int count, IntConsumer task) {
    int helpers = Math.min(threads.getMaximumPoolSize(), count);
    AtomicInteger next = new AtomicInteger();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(helpers);
    Runnable helper =
        () -> {
          try {
            for (int t = next.getAndIncrement(); t < count; t = next.getAndIncrement()) {
              task.accept(t);
            }
          } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            next.set(count);
          } finally {
            done.countDown();
          }
        };
    for (int i = 0; i < helpers; i++) {
      try {
        threads.execute(helper);
      } catch (OutOfMemoryError e) {
        helper.run();
      }
    }
    boolean interrupted = false;
    while (true) {
      try {
        done.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure.get() instanceof Error e) {
      throw e;
    }
    if (failure.get() instanceof RuntimeException e) {
      throw e;
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
