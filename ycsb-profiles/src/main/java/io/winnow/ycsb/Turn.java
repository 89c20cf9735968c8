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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import site.ycsb.DB;
import site.ycsb.WorkloadException;

/**
 * One table's turn: a workload of several threads, first in a closed loop till its throughput
 * stands, then measured, in a closed loop or with arrivals at a fixed rate. Before and after the
 * measured part they wait till the servers' counters stand still.
 */
final class Turn {
  private static final long HIGHEST_LATENCY_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final int DIGITS = 3;

  /** A window of the warm-up, as a share of the measured part. */
  private static final double WINDOW = 0.1;

  /** What goes on while operations are measured; they are measured as long as it takes. */
  interface Meanwhile {
    void run() throws IOException, InterruptedException;
  }

  /**
   * How operations are measured.
   *
   * @param seconds how long
   * @param arrivalsPerSecond how many operations are due in a second, at equal distances, whether
   *     or not those before are done; an operation's latency then counts from when it is due. 0 for
   *     a closed loop, where each thread begins its next operation when the last one is done
   * @param meanwhile null for nothing; else it says how long, and {@code seconds} counts for the
   *     warm-up only
   */
  record Manner(double seconds, double arrivalsPerSecond, Meanwhile meanwhile) {
    static Manner closedLoop(double seconds) {
      return new Manner(seconds, 0, null);
    }
  }

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
  private final Manner manner;
  private final AtomicLong arrivals = new AtomicLong();
  private volatile Phase phase = Phase.WARM_UP;

  /** When the measured part began; to be written before the phase. */
  private long start;

  private Turn(ReadWorkload workload, Properties properties, Manner manner) {
    this.workload = workload;
    this.properties = properties;
    this.manner = manner;
  }

  /**
   * Runs it.
   *
   * @param databases a thread each
   * @throws IOException if an operation failed, or brought back what it must not
   */
  static Outcome run(
      ReadWorkload workload,
      Properties properties,
      List<DB> databases,
      Manner manner,
      Deployment deployment)
      throws IOException, InterruptedException {
    return new Turn(workload, properties, manner).run(databases, deployment);
  }

  private Outcome run(List<DB> databases, Deployment deployment)
      throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(databases.size());
    try {
      List<Future<Histogram>> clients = new ArrayList<>();
      for (int i = 0; i < databases.size(); i++) {
        DB database = databases.get(i);
        int number = i;
        clients.add(threads.submit(() -> client(database, number, databases.size())));
      }
      Warmth warmth = warmUp(manner.seconds() * WINDOW, clients);
      phase = Phase.PAUSED;
      Deployment.Reading before = deployment.settledCounters();
      long rowsBefore = rows();
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
      if (now == Phase.MEASURED && manner.arrivalsPerSecond() > 0) {
        arrivals(database, state, latencies);
        return latencies;
      }
      long begun = System.nanoTime();
      operation(database, state);
      if (now == Phase.MEASURED) {
        record(latencies, begun);
      }
    }
    return latencies;
  }

  /** The next operation is that which is due next; those that are due before the end are done. */
  private void arrivals(DB database, Object state, Histogram latencies) throws WrongReadException {
    while (true) {
      double seconds = arrivals.getAndIncrement() / manner.arrivalsPerSecond();
      if (seconds >= manner.seconds()) {
        return;
      }
      long due = start + Math.round(seconds * 1e9);
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      operation(database, state);
      record(latencies, due);
    }
  }

  private void operation(DB database, Object state) throws WrongReadException {
    if (!workload.doTransaction(database, state)) {
      throw new WrongReadException("an operation failed or brought back what it must not");
    }
  }

  private static void record(Histogram latencies, long since) {
    latencies.recordValue(Math.min(System.nanoTime() - since, HIGHEST_LATENCY_NANOS));
  }

  /** Waits, but not for clients that have failed already. */
  private static void pause(double seconds, List<Future<Histogram>> clients)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + Math.round(seconds * 1e9);
    while (System.nanoTime() < end) {
      for (Future<Histogram> client : clients) {
        if (client.isDone()) {
          result(client); // throws what ended it
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
