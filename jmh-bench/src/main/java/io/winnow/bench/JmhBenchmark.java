package io.winnow.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Base of the JMH benchmarks. An invocation processes many keys; the counter {@code key} is the
 * time of one, in nanoseconds.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
    value = 2,
    jvmArgsAppend = {
      "-Xms3g",
      "-Xmx3g",
      "-XX:+UseParallelGC",
      WorkerJvm.OPEN_NIO,
      WorkerJvm.OPEN_LANG
    })
public abstract class JmhBenchmark {
  /** Number of keys that an invocation of a benchmark of queries or hashes processes. */
  static final int BATCH = 1000;

  private int next;

  /**
   * Returns the index at which the next invocation's queries begin.
   *
   * @param step length of the queries of an invocation
   * @param length length of all queries, after which it begins at 0 again
   */
  final int advance(int step, int length) {
    int from = next;
    next = from + step == length ? 0 : from + step;
    return from;
  }

  /**
   * Number of keys that one invocation of a benchmark processed. JMH reports the time of one of
   * them.
   */
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  @State(Scope.Thread)
  public static class Work {
    public long key;

    @Setup(Level.Iteration)
    public void reset() {
      key = 0;
    }
  }

  /** Figures of the benchmark's filter, which are no times; 0 if it does not have them. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Figures {
    public double falsePositiveRate;
    public double bitsPerKey;
  }
}
