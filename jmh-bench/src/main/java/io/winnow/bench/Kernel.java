package io.winnow.bench;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import java.util.stream.LongStream;
import org.openjdk.jmh.annotations.Param;

/**
 * Base of the benchmarks of filters of 64-bit hashes with a rate of 1 %, without keys and HBase.
 */
public abstract class Kernel extends JmhBenchmark {
  private static final double RATE = 0.01;

  @Param({"ribbon", "ribbon-128", "bumped-ribbon"})
  public String filter;

  @Param({"10000", "145000", "1000000", "10000000"})
  public int n;

  /**
   * Returns a builder of one of Winnow's filters.
   *
   * @param verified whether the builder probes each finished filter with all its hashes
   */
  static FilterBuilder builder(String filter, boolean verified) {
    FilterBuilder builder =
        FilterBuilder.of(
            switch (filter) {
              case "ribbon" -> RibbonSizing.forRate(RATE);
              case "ribbon-128" -> RibbonSizing.forRate(RATE, 128);
              case "bumped-ribbon" -> BumpedRibbonSizing.forRate(RATE);
              default -> throw new IllegalArgumentException("there is no filter '" + filter + "'");
            });
    return builder.verified(verified);
  }

  static FilterImage build(FilterBuilder builder, long[] hashes) {
    for (long hash : hashes) {
      builder.add(hash);
    }
    return builder.finish();
  }

  /**
   * Returns the hashes of present keys with successive indexes: {@code n} of them, the first at
   * index {@code from}.
   */
  static long[] presentHashes(int from, int n) {
    return LongStream.range(from, from + n).map(Keys::present).toArray();
  }
}
