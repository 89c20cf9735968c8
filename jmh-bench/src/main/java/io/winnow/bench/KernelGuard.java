package io.winnow.bench;

import io.winnow.ribbon.RateGuard;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The rate guard's share of a homogeneous build, width 64. The counter {@code key} is the time of
 * one of the filter's keys.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
    value = 2,
    jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+UseParallelGC"})
public class KernelGuard {
  @Param({"10000", "145000", "1000000", "10000000"})
  public int n;

  private RateGuard guard;

  @Setup(Level.Trial)
  public void setUp() {
    guard = new RateGuard(Kernel.build(Kernel.builder("ribbon", false), Kernel.presentHashes(n)));
  }

  @Benchmark
  public double measure(Counters.Work work) {
    work.key += n;
    return guard.measure();
  }
}
