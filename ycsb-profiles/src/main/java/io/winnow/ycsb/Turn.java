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
import site.ycsb.WorkloadException;

/**
 * One table's turn: a workload of several threads in a closed loop, first till its throughput
 * stands, then measured. Before and after the measured part they wait till the servers' counters
 * stand still.
 */
final class Turn {
  private static final long HIGHEST_LATENCY_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final int DIGITS = 3;

  /** A window of the warm-up, as a share of the measured part. */
  private static final double WINDOW = 0.1;

  private enum Phase {
    WARM_UP,
    PAUSED,
    MEASURED,
    OVER
  }

  /**
   * How long a warm-up took.
   *
   * @param stood whether throughput rose no more at its end
   */
  record Warmth(double seconds, boolean stood) {}

  /**
   * What was measured.
   *
   * @param warmth of the warm-up before
   * @param seconds from the start of the measured part till the last operation's end
   * @param latencies of operations, in nanoseconds
   * @param rows that were asked for meanwhile, present and absent ones
   * @param counted what the servers counted meanwhile
   * @param settled whether the servers' counters stood still before and after
   */
  record Outcome(
      Warmth warmth,
      double seconds,
      Histogram latencies,
      long rows,
      ServerCounters counted,
      boolean settled) {
    double rowsPerSecond() {
      return rows / seconds;
    }

    double filesAskedPerRow() {
      return (double) counted.filterRequests() / rows;
    }
  }

  private final ReadWorkload workload;
  private final Properties properties;
  private volatile Phase phase = Phase.WARM_UP;

  private Turn(ReadWorkload workload, Properties properties) {
    this.workload = workload;
    this.properties = properties;
  }

  /**
   * Runs it.
   *
   * @param databases a thread each
   * @param seconds of the measured part
   * @throws IOException if an operation failed, or brought back what it must not
   */
  static Outcome run(
      ReadWorkload workload,
      Properties properties,
      List<DB> databases,
      double seconds,
      Deployment deployment)
      throws IOException, InterruptedException {
    return new Turn(workload, properties).run(databases, seconds, deployment);
  }

  private Outcome run(List<DB> databases, double seconds, Deployment deployment)
      throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(databases.size());
    try {
      List<Future<Histogram>> clients = new ArrayList<>();
      for (int i = 0; i < databases.size(); i++) {
        DB database = databases.get(i);
        int number = i;
        clients.add(threads.submit(() -> client(database, number, databases.size())));
      }
      Warmth warmth = warmUp(seconds * WINDOW, clients);
      phase = Phase.PAUSED;
      Deployment.Reading before = deployment.settledCounters();
      long rowsBefore = rows();
      long start = System.nanoTime();
      phase = Phase.MEASURED;
      pause(seconds, clients);
      phase = Phase.OVER;
      Histogram latencies = new Histogram(HIGHEST_LATENCY_NANOS, DIGITS);
      for (Future<Histogram> client : clients) {
        latencies.add(result(client));
      }
      double measured = (System.nanoTime() - start) / 1e9;
      Deployment.Reading after = deployment.settledCounters();
      return new Outcome(
          warmth,
          measured,
          latencies,
          rows() - rowsBefore,
          after.counters().since(before.counters()),
          before.settled() && after.settled());
    } finally {
      phase = Phase.OVER;
      threads.shutdownNow();
    }
  }

  private Warmth warmUp(double window, List<Future<Histogram>> clients)
      throws IOException, InterruptedException {
    WarmUp warmUp = new WarmUp();
    long start = System.nanoTime();
    boolean stands = false;
    for (int windows = 0; windows < WarmUp.MOST_WINDOWS && !stands; windows++) {
      long rows = rows();
      long from = System.nanoTime();
      pause(window, clients);
      stands = warmUp.stands((rows() - rows) / (double) (System.nanoTime() - from));
    }
    return new Warmth((System.nanoTime() - start) / 1e9, stands);
  }

  private long rows() {
    ReadWorkload.Counts counts = workload.counts();
    return counts.hits() + counts.misses();
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
