package io.winnow.hbase.report;

import io.winnow.hbase.cli.Table;
import java.util.Arrays;
import org.apache.commons.math3.distribution.BinomialDistribution;

/**
 * The ratio of two contenders' samples, pair by pair, where the samples of a pair were taken right
 * after each other: its median, and the interval in which the median lies with 95 % certainty if
 * the pairs are independent. The interval is from one ordered ratio to another (sign test), so it
 * asks nothing of how ratios are distributed. Fewer than {@value #LEAST_PAIRS} pairs have no such
 * interval: their least and their greatest ratio stand in its place, and prove nothing.
 */
public record PairedRatio(double median, double low, double high, int pairs) {
  /** From here on the median lies between the least and the greatest with 95 % certainty. */
  public static final int LEAST_PAIRS = 6;

  private static final double ERROR = 0.05;
  private static final PairedRatio NONE = new PairedRatio(Double.NaN, Double.NaN, Double.NaN, 0);

  /** With enough pairs for its interval. */
  public PairedRatio(double median, double low, double high) {
    this(median, low, high, LEAST_PAIRS);
  }

  /** The n-th sample over the n-th base; not a number if there is none. */
  public static PairedRatio of(double[] samples, double[] base) {
    return of(samples, base, ERROR);
  }

  /**
   * The same with an interval that is wider, for one row of a table of so many: so that all of the
   * table's intervals hold with 95 % certainty together (Bonferroni). Fewer pairs than that takes
   * have none.
   */
  public static PairedRatio among(double[] samples, double[] base, int comparisons) {
    return of(samples, base, ERROR / comparisons);
  }

  private static PairedRatio of(double[] samples, double[] base, double error) {
    int count = Math.min(samples.length, base.length);
    if (count == 0) {
      return NONE;
    }
    double[] ratios = new double[count];
    for (int i = 0; i < count; i++) {
      ratios[i] = samples[i] / base[i];
    }
    Arrays.sort(ratios);
    int left = outside(count, error);
    // The chance that all pairs lie on one side of the median.
    boolean isEnough = Math.pow(0.5, count - 1.0) <= error;
    return new PairedRatio(
        Results.median(ratios),
        ratios[left],
        ratios[count - 1 - left],
        isEnough ? count : Math.min(count, LEAST_PAIRS - 1));
  }

  /** How many ratios to leave out at each end; none where there are too few for the certainty. */
  private static int outside(int count, double error) {
    int left = new BinomialDistribution(null, count, 0.5).inverseCumulativeProbability(error / 2);
    return Math.max(0, left - 1);
  }

  /** Whether there are enough pairs for the interval. */
  public boolean hasInterval() {
    return pairs >= LEAST_PAIRS;
  }

  /** Whether all of the interval lies above this. */
  public boolean isAbove(double value) {
    return hasInterval() && low > value;
  }

  /** Whether all of the interval lies below this. */
  public boolean isBelow(double value) {
    return hasInterval() && high < value;
  }

  /** As in 0.91 (0.89 to 0.94), or a dash. */
  public String text() {
    return text(2);
  }

  /** The same with so many decimals. */
  public String text(int decimals) {
    if (Double.isNaN(median)) {
      return "-";
    }
    return Table.number(median, decimals)
        + (hasInterval()
            ? " (%s to %s)".formatted(Table.number(low, decimals), Table.number(high, decimals))
            : " (too few rounds)");
  }
}
