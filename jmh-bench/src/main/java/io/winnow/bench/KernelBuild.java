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
 * A benchmark of building one filter from 64-bit hashes, with scratch memory reused, as within a
 * file. An invocation builds a filter; the counter {@code key} is the time of one hash.
 *
 * <p>Small filters are built from several sets of hashes in turn. If one set were used again and
 * again, the processor would learn the branches of its build, although no two files have the same
 * keys.
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
  /** Minimum number of different hashes in all sets from which filters are built. */
  private static final int DIFFERENT_HASHES = 1_200_000;

  @Param({"ribbon", "ribbon-128", "bumped-ribbon"})
  public String filter;

  @Param({"10000", "145000", "1000000", "10000000"})
  public int n;

  /** The choice to probe each finished filter with every hash that it was built from. */
  @Param({"true", "false"})
  public boolean verified;

  private FilterBuilder builder;
  private long[][] sets;
  private int next;

  @Setup(Level.Trial)
  public void setUp() {
    builder = Kernel.builder(filter, verified);
    sets = new long[Math.max(1, DIFFERENT_HASHES / n)][];
    for (int i = 0; i < sets.length; i++) {
      sets[i] = Kernel.presentHashes(i * n, n);
    }
  }

  @Benchmark
  public FilterImage build(JmhCounters.Work work, JmhCounters.Figures figures) {
    FilterImage image = Kernel.build(builder, sets[next]);
    next = (next + 1) % sets.length;
    work.key += n;
    figures.space(8L * image.sizeInBytes(), n);
    return image;
  }
}
