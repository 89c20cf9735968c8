package io.winnow.hbase.report;

import io.winnow.hbase.cli.Table;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.BinomialDistribution;

/**
 * The ratio of two contenders' samples, pair by pair, where the samples of a pair were taken
 * directly one after the other. It has the median of these ratios, and the interval in which the
 * true median lies with 95 % certainty if the pairs are independent. The interval is from one
 * ordered ratio to another (sign test), so it needs no assumption about the distribution. Fewer
 * than {@value #MIN_PAIRS} pairs have no such interval: {@code low} and {@code high} are then the
 * smallest and the largest ratio, and prove nothing.
 *
 * @param pairs number of pairs; below {@value #MIN_PAIRS} if they are too few for the interval
 */
public record PairedRatio(double median, double low, double high, int pairs) {
  /**
   * Minimum number of pairs of samples for which a ratio has an interval of 95 % certainty. From it
   * on the true median is between the smallest and the largest ratio with 95 % certainty.
   */
  public static final int MIN_PAIRS = 6;

  private static final double ERROR = 0.05;

  /**
   * Makes a ratio of two contenders' samples that has the given interval, as if from enough pairs.
   */
  public PairedRatio(double median, double low, double high) {
    this(median, low, high, MIN_PAIRS);
  }

  /**
   * Returns the ratio of each sample to the base sample with the same index; NaN if there is no
   * pair.
   */
  public static PairedRatio of(double[] samples, double[] base) {
    return of(samples, base, ERROR);
  }

  /**
   * Returns the ratio of paired samples for one of several comparisons in a table, with an interval
   * so wide that all intervals of the table hold together with 95 % certainty (Bonferroni). It has
   * no interval if the pairs are too few for that.
   */
  public static PairedRatio among(double[] samples, double[] base, int comparisons) {
    return of(samples, base, ERROR / comparisons);
  }

  private static PairedRatio of(double[] samples, double[] base, double error) {
    int count = Math.min(samples.length, base.length);
    double[] ratios =
        IntStream.range(0, count).mapToDouble(i -> samples[i] / base[i]).sorted().toArray();
    if (count == 0 || Double.isNaN(Results.median(ratios))) {
      return new PairedRatio(Double.NaN, Double.NaN, Double.NaN, 0);
    }
    int left = outside(count, error);
    // The chance that all pairs lie on one side of the median.
    boolean isEnough = Math.pow(0.5, count - 1.0) <= error;
    return new PairedRatio(
        Results.median(ratios),
        ratios[left],
        ratios[count - 1 - left],
        isEnough ? count : Math.min(count, MIN_PAIRS - 1));
  }

  /**
   * Returns the number of ratios to leave out at each end of the sorted ratios of pairs, to get an
   * interval; 0 if there are too few for the certainty.
   */
  private static int outside(int count, double error) {
    int left = new BinomialDistribution(null, count, 0.5).inverseCumulativeProbability(error / 2);
    return Math.max(0, left - 1);
  }

  /** Returns whether the ratio comes from enough pairs of samples to have an interval. */
  public boolean hasInterval() {
    return pairs >= MIN_PAIRS;
  }

  /** Returns whether the whole interval of the ratio is above a value. */
  public boolean isAbove(double value) {
    return hasInterval() && low > value;
  }

  /** Returns whether the whole interval of the ratio is below a value. */
  public boolean isBelow(double value) {
    return hasInterval() && high < value;
  }

  /**
   * Formats the ratio of two contenders with its interval, such as 0.91 (0.89 to 0.94), or as a
   * dash.
   */
  public String text() {
    return text(2);
  }

  /** Formats the ratio and its interval with a number of decimals, or as a dash. */
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
