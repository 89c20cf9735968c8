package io.winnow.bench;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
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
 * Building one filter from 64-bit hashes, scratch reused, as within a file. An invocation is a
 * filter; the counter {@code key} is the time of one hash.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
    value = 2,
    jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class KernelBuild {
  @Param({"ribbon", "ribbon-128", "bumped-ribbon"})
  public String filter;

  @Param({"10000", "145000", "1000000", "10000000"})
  public int n;

  /** Whether the finished filter is probed with every hash. */
  @Param({"true", "false"})
  public boolean verified;

  private FilterBuilder builder;
  private long[] hashes;

  @Setup(Level.Trial)
  public void setUp() {
    builder = Kernel.builder(filter, verified);
    hashes = Kernel.presentHashes(n);
  }

  @Benchmark
  public FilterImage build(JmhCounters.Work work, JmhCounters.Figures figures) {
    FilterImage image = Kernel.build(builder, hashes);
    work.key += n;
    figures.space(8L * image.sizeInBytes(), n);
    return image;
  }
}
