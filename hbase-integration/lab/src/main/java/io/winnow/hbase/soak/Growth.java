package io.winnow.hbase.soak;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import java.util.Arrays;
import java.util.function.DoublePredicate;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.math3.stat.regression.SimpleRegression;

/**
 * A test of whether a figure of a server, such as its heap or its threads, grows during a long run.
 * Memory and counts differ, so there are two rules.
 *
 * <p><b>Heap after collection</b> follows a line: {@link #slope} fits it by least squares to the
 * samples after the warm-up, as a share of the level where the line begins. Two hours of samples
 * scatter more than 1 %, so the slope alone proves nothing: it has an interval of 95 %, and only a
 * slope whose whole interval is above the bound is growth. A sample resembles the one before it,
 * because memory stores and caches outlast a minute. So the samples count as fewer independent
 * ones, by the correlation of each residual with the next.
 *
 * <p><b>Threads and handles</b> are small whole numbers that come and go with pools and
 * connections. {@link #rise} compares the medians of the third and the last quarter of the run. It
 * is growth if the last one is higher by more than one, and by more than the interquartile range of
 * the third quarter's samples. In a steady series two such medians of thirty samples each differ by
 * a quarter of that range; a leak moves them by twice as much as it spreads the samples.
 *
 * @param minutes the time of each sample, in minutes since the run began
 */
record Growth(double[] minutes, double[] values) {
  /** Minimum length in minutes of the warm-up of servers, in which JIT, pools and caches fill. */
  static final double WARM_UP_MINUTES = 15;

  /** Minimum number of samples after the warm-up for a verdict on growth. */
  static final int MIN_SAMPLES = 20;

  private static final int MIN_INDEPENDENT = 10;
  private static final String TOO_FEW = "too few samples";
  private static final double CERTAINTY = 0.95;
  private static final int MINUTES_PER_HOUR = 60;

  /**
   * Returns the minute of the run at which the servers' warm-up ends: after a quarter of the run,
   * and not before the minimum.
   */
  private double warmMinutes() {
    return Math.max(WARM_UP_MINUTES, part(1));
  }

  /** Returns the minute at which a number of quarters of the run has passed. */
  private double part(int quarters) {
    return minutes.length == 0 ? 0 : quarters * minutes[minutes.length - 1] / 4;
  }

  private double[] valuesAt(DoublePredicate when) {
    return IntStream.range(0, values.length)
        .filter(i -> when.test(minutes[i]))
        .mapToDouble(i -> values[i])
        .toArray();
  }

  /** Returns the values of all samples after the servers' warm-up. */
  double[] warm() {
    return valuesAt(minute -> minute > warmMinutes());
  }

  double[] thirdQuarter() {
    return valuesAt(minute -> minute > part(2) && minute <= part(3));
  }

  double[] lastQuarter() {
    return valuesAt(minute -> minute > part(3));
  }

  private boolean isLongEnough() {
    return warm().length >= MIN_SAMPLES;
  }

  /**
   * Returns a target for the growth of the samples after the warm-up: a slope of at most so many
   * percent an hour.
   */
  Bound slope(String what, double asked) {
    if (!isLongEnough()) {
      return unknown(what, asked);
    }
    SimpleRegression line = new SimpleRegression();
    double[] when = Arrays.stream(minutes).filter(minute -> minute > warmMinutes()).toArray();
    double[] warm = warm();
    for (int i = 0; i < warm.length; i++) {
      line.addData(when[i] / MINUTES_PER_HOUR, warm[i]);
    }
    double independent = independent(line, when, warm);
    double error =
        line.getSlopeStdErr()
            * Math.sqrt((warm.length - 2) / (independent - 2))
            * new TDistribution(null, independent - 2)
                .inverseCumulativeProbability((1 + CERTAINTY) / 2);
    double percent = 100 / line.predict(when[0] / MINUTES_PER_HOUR);
    double low = percent * (line.getSlope() - error);
    double high = percent * (line.getSlope() + error);
    String measured =
        "%s (%s to %s)"
            .formatted(
                Table.number(percent * line.getSlope(), 2),
                Table.number(low, 2),
                Table.number(high, 2));
    return new Bound(what, true, asked, low, high, measured, 0);
  }

  /**
   * Returns the number of independent samples that would have as much information as the given
   * ones, which are correlated. It is never below ten, because the residuals of a leak that is not
   * linear resemble each other as well.
   */
  private static double independent(SimpleRegression line, double[] when, double[] values) {
    double products = 0;
    double squares = 0;
    double last = 0;
    for (int i = 0; i < values.length; i++) {
      double residual = values[i] - line.predict(when[i] / MINUTES_PER_HOUR);
      products += residual * last;
      squares += residual * residual;
      last = residual;
    }
    double correlation = squares == 0 ? 0 : Math.max(0, products / squares);
    return Math.max(MIN_INDEPENDENT, values.length * (1 - correlation) / (1 + correlation));
  }

  /**
   * Returns a target for the growth of a count: its last quarter of samples is not higher than the
   * third, beyond what is chance.
   */
  Bound rise(String what) {
    if (!isLongEnough()) {
      return unknown(what, 1);
    }
    double[] third = thirdQuarter();
    double spread = StatUtils.percentile(third, 75) - StatUtils.percentile(third, 25);
    double before = StatUtils.percentile(third, 50);
    double after = StatUtils.percentile(lastQuarter(), 50);
    String measured =
        "%s: %s, then %s"
            .formatted(
                Table.number(after - before, 1), Table.number(before, 1), Table.number(after, 1));
    double rise = after - before;
    return new Bound(what, true, Math.max(1, spread), rise, rise, measured, 1);
  }

  private static Bound unknown(String what, double asked) {
    return new Bound(what, true, asked, Double.NaN, Double.NaN, TOO_FEW, 0);
  }
}
