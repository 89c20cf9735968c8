package io.winnow.hbase.soak;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.function.DoublePredicate;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.math3.stat.regression.SimpleRegression;

/**
 * Whether a figure of a server grows over a run. Two rules, as memory and counts differ.
 *
 * <p><b>Heap after collection</b> follows a line: {@link #slope} fits it by least squares to the
 * samples after the warm-up, as a share of the level where the line begins. Two hours of samples
 * scatter more than 1 %, so the slope alone proves nothing: its interval of 95 % comes with it, and
 * only a slope whose whole interval lies above the bound is growth. A sample resembles the one
 * before it, as memory stores and caches outlast a minute. So the interval is that of as many
 * independent samples as these are worth, by the correlation of each residual with the next.
 *
 * <p><b>Threads and handles</b> are small whole numbers that come and go with pools and
 * connections. {@link #rise} takes the medians of the third and the last quarter of the run. It is
 * growth if the second is higher by more than one, and by more than the middle half of the third
 * quarter's samples spread. In a steady series two such medians of thirty samples each differ by a
 * quarter of that spread; a leak moves them by twice as much as it spreads the samples.
 */
final class Growth {
  /** At least so much of a run is warm-up: JIT, pools and caches fill. */
  static final double WARM_UP_MINUTES = 15;

  /** Of fewer samples after the warm-up nothing is said. */
  static final int LEAST_SAMPLES = 20;

  private static final int LEAST_WORTH = 10;
  private static final String TOO_FEW = "too few samples";
  private static final double CERTAINTY = 0.95;
  private static final int MINUTES_PER_HOUR = 60;

  private final double[] minutes;
  private final double[] values;

  /**
   * Of samples in their order.
   *
   * @param minutes since the run began
   */
  Growth(double[] minutes, double[] values) {
    this.minutes = minutes;
    this.values = values;
  }

  /** When the servers of a run count as warm: after a quarter of it. */
  private double warmMinutes() {
    return Math.max(WARM_UP_MINUTES, part(1));
  }

  /** Where so many quarters of the run are over. */
  private double part(int quarters) {
    return minutes.length == 0 ? 0 : quarters * minutes[minutes.length - 1] / 4;
  }

  private double[] valuesAt(DoublePredicate when) {
    return IntStream.range(0, values.length)
        .filter(i -> when.test(minutes[i]))
        .mapToDouble(i -> values[i])
        .toArray();
  }

  /** The samples after the warm-up. */
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
    return warm().length >= LEAST_SAMPLES;
  }

  /** Asks for a slope of at most so many percent an hour. */
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
    double worth = worth(line, when, warm);
    double error =
        line.getSlopeStdErr()
            * Math.sqrt((warm.length - 2) / (worth - 2))
            * new TDistribution(null, worth - 2).inverseCumulativeProbability((1 + CERTAINTY) / 2);
    double percent = 100 / line.predict(when[0] / MINUTES_PER_HOUR);
    double low = percent * (line.getSlope() - error);
    double high = percent * (line.getSlope() + error);
    String measured =
        "%s (%s to %s)"
            .formatted(
                Table.number(percent * line.getSlope(), 2),
                Table.number(low, 2),
                Table.number(high, 2));
    return new Bound(
        what,
        true,
        asked,
        OptionalDouble.of(low),
        OptionalDouble.of(high),
        new Bound.Text(measured, 0));
  }

  /**
   * How many independent samples these are worth; never fewer than ten, since the residuals of a
   * leak that is no line resemble each other as well.
   */
  private static double worth(SimpleRegression line, double[] when, double[] values) {
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
    return Math.max(LEAST_WORTH, values.length * (1 - correlation) / (1 + correlation));
  }

  /** Asks that the last quarter lies no higher than the third, beyond what is chance. */
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
    OptionalDouble rise = OptionalDouble.of(after - before);
    return new Bound(what, true, Math.max(1, spread), rise, rise, new Bound.Text(measured, 1));
  }

  private static Bound unknown(String what, double asked) {
    OptionalDouble none = OptionalDouble.empty();
    return new Bound(what, true, asked, none, none, new Bound.Text(TOO_FEW, 0));
  }
}
