package io.winnow.ycsb;

import io.winnow.hbase.contest.WarmUp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.util.FutureUtils;

/**
 * A measurement of one table: threads run a workload on the table, first until throughput no longer
 * rises, and then measured, in a closed loop or with arrivals at a fixed rate. Before and after the
 * measured part they wait until the servers' counters stand still.
 */
final class Turn {
  private static final long HIGHEST_LATENCY_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final int DIGITS = 3;

  /**
   * Length of a period in which the throughput of the warm-up is measured, as a share of the
   * measured part.
   */
  private static final double WINDOW = 0.1;

  /**
   * A task that runs while operations on a table are measured, and determines how long they are
   * measured.
   */
  interface Meanwhile {
    void run() throws IOException, InterruptedException;
  }

  /**
   * The way in which operations on a table are measured: for a time or during a task, in a closed
   * loop or at a fixed rate.
   *
   * @param seconds length of the measured part
   * @param arrivalsPerSecond number of operations that are due in a second, at equal distances,
   *     whether or not earlier ones are done; an operation's latency then counts from the time when
   *     it is due. 0 for a closed loop, where each thread begins its next operation when the last
   *     one is done
   * @param meanwhile a task that determines the length of the measured part, so that {@code
   *     seconds} applies to the warm-up only; null for none
   */
  record Manner(double seconds, double arrivalsPerSecond, Meanwhile meanwhile) {}

  /** An operation on a table, which one thread of a client runs again and again. */
  interface Operation {
    /** Runs the operation. Returns false if it failed, or returned something wrong. */
    boolean run() throws IOException;
  }

  private enum Phase {
    WARM_UP,
    PAUSED,
    MEASURED,
    OVER
  }

  /**
   * Figures of the measured operations on a table.
   *
   * @param warmUpSeconds how long the warm-up before it took
   * @param warmUpStood whether throughput no longer rose at the end of the warm-up
   * @param seconds time from the start of the measured part to the end of its last operation
   * @param latencies latencies of operations, in nanoseconds
   * @param rows number of rows that were read meanwhile, present and absent
   * @param counted the servers' counts of this time
   * @param settled whether the servers' counters stood still before and after it
   */
  record Outcome(
      double warmUpSeconds,
      boolean warmUpStood,
      double seconds,
      Histogram latencies,
      long rows,
      ServerCounters counted,
      boolean settled) {
    double rowsPerSecond() {
      return rows / seconds;
    }

    double filesQueriedPerRow() {
      return (double) counted.filterRequests() / rows;
    }
  }

  private final LongSupplier rows;
  private final Manner manner;
  private final AtomicLong arrivals = new AtomicLong();
  private volatile Phase phase = Phase.WARM_UP;

  /**
   * Time at which the measurement of operations starts, as {@link System#nanoTime}; it must be
   * written before {@link #phase}, through which the other threads see it.
   */
  private long start;

  /**
   * Makes a measurement of a table, which {@link #run} takes.
   *
   * @param rows the number of rows that all operations have read so far
   */
  Turn(LongSupplier rows, Manner manner) {
    this.rows = rows;
    this.manner = manner;
  }

  /**
   * Warms up a table and measures operations on it.
   *
   * @param operations an operation for each thread
   * @throws IOException if an operation failed, or returned something wrong
   */
  Outcome run(List<Operation> operations, Deployment deployment)
      throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(operations.size());
    try {
      List<Future<Histogram>> clients = new ArrayList<>();
      for (Operation operation : operations) {
        clients.add(threads.submit(() -> client(operation)));
      }
      long begun = System.nanoTime();
      boolean stood = warmUp(manner.seconds() * WINDOW, clients);
      double warmUpSeconds = (System.nanoTime() - begun) / 1e9;
      phase = Phase.PAUSED;
      Deployment.Reading before = deployment.settledCounters();
      long rowsBefore = rows.getAsLong();
      start = System.nanoTime();
      phase = Phase.MEASURED;
      if (manner.meanwhile() == null) {
        pause(manner.seconds(), clients);
      } else {
        manner.meanwhile().run();
      }
      phase = Phase.OVER;
      Histogram latencies = new Histogram(HIGHEST_LATENCY_NANOS, DIGITS);
      for (Future<Histogram> client : clients) {
        latencies.add(FutureUtils.get(client));
      }
      double measured = (System.nanoTime() - start) / 1e9;
      Deployment.Reading after = deployment.settledCounters();
      return new Outcome(
          warmUpSeconds,
          stood,
          measured,
          latencies,
          rows.getAsLong() - rowsBefore,
          after.counters().since(before.counters()),
          before.settled() && after.settled());
    } finally {
      phase = Phase.OVER;
      threads.shutdownNow();
    }
  }

  /** Warms a table up. Returns whether throughput no longer rose at the end. */
  private boolean warmUp(double window, List<Future<Histogram>> clients)
      throws IOException, InterruptedException {
    WarmUp warmUp = new WarmUp();
    boolean stands = false;
    for (int windows = 0; windows < WarmUp.MAX_WINDOWS && !stands; windows++) {
      long before = rows.getAsLong();
      long from = System.nanoTime();
      pause(window, clients);
      stands = warmUp.stands((rows.getAsLong() - before) / (double) (System.nanoTime() - from));
    }
    return stands;
  }

  private Histogram client(Operation operation) throws IOException {
    Histogram latencies = new Histogram(HIGHEST_LATENCY_NANOS, DIGITS);
    Phase now;
    while ((now = phase) != Phase.OVER) {
      if (now == Phase.PAUSED) {
        LockSupport.parkNanos(1_000_000);
        continue;
      }
      if (now == Phase.MEASURED && manner.arrivalsPerSecond() > 0) {
        arrivals(operation, latencies);
        return latencies;
      }
      long begun = System.nanoTime();
      run(operation);
      if (now == Phase.MEASURED) {
        record(latencies, begun);
      }
    }
    return latencies;
  }

  /** Runs an operation at the times when they are due. All that are due before the end are run. */
  private void arrivals(Operation operation, Histogram latencies) throws IOException {
    while (true) {
      double seconds = arrivals.getAndIncrement() / manner.arrivalsPerSecond();
      if (seconds >= manner.seconds()) {
        return;
      }
      long due = start + Math.round(seconds * 1e9);
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      run(operation);
      record(latencies, due);
    }
  }

  private static void run(Operation operation) throws IOException {
    if (!operation.run()) {
      throw new WrongReadException("an operation failed or returned something wrong");
    }
  }

  private static void record(Histogram latencies, long since) {
    latencies.recordValue(Math.min(System.nanoTime() - since, HIGHEST_LATENCY_NANOS));
  }

  /** Waits for some seconds, but fails at once if a client's thread has failed. */
  private void pause(double seconds, List<Future<Histogram>> clients)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + Math.round(seconds * 1e9);
    while (System.nanoTime() < end) {
      for (Future<Histogram> client : clients) {
        if (client.isDone()) {
          FutureUtils.get(client); // throws the failure that ended it
        }
      }
      TimeUnit.NANOSECONDS.sleep(Math.max(1, Math.min(100_000_000, end - System.nanoTime())));
    }
  }
}
