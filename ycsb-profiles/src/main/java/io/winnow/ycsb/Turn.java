package io.winnow.ycsb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import site.ycsb.DB;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;

/**
 * One table's turn: a workload of several threads in a closed loop, first to warm up, then
 * measured. In between they wait till the servers' counters have caught up.
 */
final class Turn {
  private static final long HIGHEST_LATENCY_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** In a shorter turn what servers tell late would be much of it. */
  private static final double SHORT_SECONDS = 2;

  private static final int DIGITS = 3;

  private enum Phase {
    WARM_UP,
    PAUSED,
    MEASURED,
    OVER
  }

  /**
   * What was measured.
   *
   * @param seconds from the start of the measured part till the last operation's end
   * @param latencies of operations, in nanoseconds
   * @param counted what the servers counted meanwhile
   */
  record Outcome(double seconds, Histogram latencies, ServerCounters counted) {
    double operationsPerSecond() {
      return latencies.getTotalCount() / seconds;
    }
  }

  private final Workload workload;
  private final Properties properties;
  private volatile Phase phase = Phase.WARM_UP;

  private Turn(Workload workload, Properties properties) {
    this.workload = workload;
    this.properties = properties;
  }

  /**
   * Runs it.
   *
   * @param databases a thread each
   * @param seconds of the measured part; 0 for a turn that only warms up, whose outcome is empty
   * @throws IOException if an operation failed, or brought back what it must not
   */
  static Outcome run(
      Workload workload,
      Properties properties,
      List<DB> databases,
      double warmUpSeconds,
      double seconds,
      Deployment deployment)
      throws IOException, InterruptedException {
    return new Turn(workload, properties).run(databases, warmUpSeconds, seconds, deployment);
  }

  private Outcome run(
      List<DB> databases, double warmUpSeconds, double seconds, Deployment deployment)
      throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(databases.size());
    try {
      List<Future<Histogram>> clients = new ArrayList<>();
      for (int i = 0; i < databases.size(); i++) {
        DB database = databases.get(i);
        int number = i;
        clients.add(threads.submit(() -> client(database, number, databases.size())));
      }
      pause(warmUpSeconds, clients);
      if (seconds == 0) {
        phase = Phase.OVER;
        Histogram none = new Histogram(HIGHEST_LATENCY_NANOS, DIGITS);
        for (Future<Histogram> client : clients) {
          none.add(result(client));
        }
        return new Outcome(0, none, ServerCounters.NONE);
      }
      phase = Phase.PAUSED;
      ServerCounters before = counters(deployment, seconds);
      long start = System.nanoTime();
      phase = Phase.MEASURED;
      pause(seconds, clients);
      phase = Phase.OVER;
      Histogram latencies = new Histogram(HIGHEST_LATENCY_NANOS, DIGITS);
      for (Future<Histogram> client : clients) {
        latencies.add(result(client));
      }
      double measured = (System.nanoTime() - start) / 1e9;
      return new Outcome(measured, latencies, counters(deployment, seconds).since(before));
    } finally {
      phase = Phase.OVER;
      threads.shutdownNow();
    }
  }

  private static ServerCounters counters(Deployment deployment, double seconds)
      throws IOException, InterruptedException {
    return seconds < SHORT_SECONDS ? deployment.settledCounters() : deployment.counters();
  }

  private Histogram client(DB database, int number, int count)
      throws WorkloadException, WrongReadException {
    Object state = workload.initThread(properties, number, count);
    Histogram latencies = new Histogram(HIGHEST_LATENCY_NANOS, DIGITS);
    Phase now;
    while ((now = phase) != Phase.OVER) {
      if (now == Phase.PAUSED) {
        LockSupport.parkNanos(1_000_000);
        continue;
      }
      long start = System.nanoTime();
      boolean right = workload.doTransaction(database, state);
      long nanos = System.nanoTime() - start;
      if (!right) {
        throw new WrongReadException("an operation failed or brought back what it must not");
      }
      if (now == Phase.MEASURED) {
        latencies.recordValue(Math.min(nanos, HIGHEST_LATENCY_NANOS));
      }
    }
    return latencies;
  }

  /** Waits, but not for clients that have failed already. */
  private static void pause(double seconds, List<Future<Histogram>> clients)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + Math.round(seconds * 1e9);
    while (System.nanoTime() < end) {
      for (Future<Histogram> client : clients) {
        if (client.isDone()) {
          result(client);
        }
      }
      TimeUnit.NANOSECONDS.sleep(Math.max(1, Math.min(100_000_000, end - System.nanoTime())));
    }
  }

  private static Histogram result(Future<Histogram> client)
      throws IOException, InterruptedException {
    try {
      return client.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof WrongReadException wrong) {
        throw wrong;
      }
      throw new IOException(e.getCause().getMessage(), e.getCause());
    }
  }
}
