package io.winnow.bench;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * A benchmark of building one filter from 64-bit hashes, with scratch memory reused, as within a
 * file. An invocation builds a filter.
 *
 * <p>Small filters are built from several sets of hashes in turn. If one set were used again and
 * again, the processor would learn the branches of its build, although no two files have the same
 * keys.
 */
public class KernelBuild extends Kernel {
  /** Minimum number of different hashes in all sets from which filters are built. */
  private static final int DIFFERENT_HASHES = 1_200_000;

  /** The choice to probe each finished filter with every hash that it was built from. */
  @Param({"true", "false"})
  public boolean verified;

  private FilterBuilder builder;
  private long[][] sets;

  @Setup(Level.Trial)
  public void setUp() {
    builder = builder(filter, verified);
    sets = new long[Math.max(1, DIFFERENT_HASHES / n)][];
    for (int i = 0; i < sets.length; i++) {
      sets[i] = presentHashes(i * n, n);
    }
  }

  @Benchmark
  public FilterImage build(Work work) {
    work.key += n;
    return build(builder, sets[advance(1, sets.length)]);
  }
}
