package io.winnow.hbase.report;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Functions of a {@link PageTemplate}: they read results and format figures. A missing figure is
 * NaN; what is computed from it is NaN, too, and is printed as a dash.
 */
public final class Figures {
  private final Results results;

  /** Makes the functions that read the results of a run. */
  public Figures(Results results) {
    this.results = results;
  }

  // ==== measured; parameters are names and values in turn, or lists of them

  public boolean has(String benchmark) {
    return results.has(benchmark);
  }

  public List<String> values(String benchmark, String parameter) {
    return results.values(benchmark, parameter);
  }

  public double median(String benchmark, String metric, Object... at) {
    return results.median(benchmark, metric, flat(at)).orElse(Double.NaN);
  }

  public List<Double> samples(String benchmark, String metric, Object... at) {
    return Arrays.stream(results.samples(benchmark, metric, flat(at))).boxed().toList();
  }

  public List<Double> allSamples(String benchmark, String metric, Object... at) {
    return Arrays.stream(results.allSamples(benchmark, metric, flat(at))).boxed().toList();
  }

  private static Object[] flat(Object... at) {
    return Arrays.stream(at)
        .flatMap(one -> one instanceof List<?> list ? list.stream() : Stream.of(one))
        .toArray();
  }

  // ==== computed from it

  public boolean isNumber(double value) {
    return !Double.isNaN(value);
  }

  public double notANumber() {
    return Double.NaN;
  }

  public double medianOf(List<?> samples) {
    return samples.isEmpty() ? Double.NaN : Results.median(array(samples));
  }

  /** Returns a list with the items of all given lists. */
  public List<?> joined(List<?> lists) {
    return lists.stream().flatMap(one -> ((List<?>) one).stream()).toList();
  }

  public double sum(List<?> samples) {
    return Arrays.stream(array(samples)).sum();
  }

  public double max(List<?> samples) {
    return Arrays.stream(array(samples)).max().orElse(Double.NaN);
  }

  public double min(List<?> samples) {
    return Arrays.stream(array(samples)).min().orElse(Double.NaN);
  }

  public double mean(List<?> samples) {
    return Arrays.stream(array(samples)).average().orElse(Double.NaN);
  }

  /**
   * Returns the difference of each pair of samples with the same index. Samples without a partner
   * are left out.
   */
  public List<Double> differences(List<?> samples, List<?> others) {
    return pairs(samples, others, (one, other) -> one - other);
  }

  /**
   * Returns the product of each pair of samples with the same index. Samples without a partner are
   * left out.
   */
  public List<Double> products(List<?> samples, List<?> others) {
    return pairs(samples, others, (one, other) -> one * other);
  }

  private static List<Double> pairs(List<?> samples, List<?> others, DoubleBinaryOperator made) {
    double[] one = array(samples);
    double[] other = array(others);
    return IntStream.range(0, Math.min(one.length, other.length))
        .mapToObj(i -> made.applyAsDouble(one[i], other[i]))
        .toList();
  }

  public double sqrt(double value) {
    return Math.sqrt(value);
  }

  public double parsed(String text) {
    return Double.parseDouble(text);
  }

  /** Returns the {@link PairedRatio} of two lists of samples. */
  public PairedRatio paired(List<?> samples, List<?> base) {
    return PairedRatio.of(array(samples), array(base));
  }

  /**
   * Returns the {@link PairedRatio#among} of two lists of samples, for one row of a table with a
   * number of comparisons.
   */
  public PairedRatio pairedAmong(List<?> samples, List<?> base, int comparisons) {
    return PairedRatio.among(array(samples), array(base), comparisons);
  }

  // ==== formatted

  public String number(double value, int decimals) {
    return Table.number(value, decimals);
  }

  /** Formats the decimal digits of a whole number with separators of thousands. */
  public String grouped(String digits) {
    return Table.number(Double.parseDouble(digits), 0);
  }

  public String percent(double value, int decimals) {
    return isNumber(value) ? number(100 * value, decimals) + " %" : number(value, decimals);
  }

  /**
   * Formats a ratio of two contenders with its interval, such as 0.91 (0.89 to 0.94), or as a dash.
   */
  public String interval(PairedRatio ratio) {
    return ratio.text();
  }

  /**
   * Returns a sentence that says how many warm-ups reached their maximum, with a space before it;
   * empty if the run recorded no warm-up.
   *
   * @param stood for each warm-up 1 if its rounds no longer got faster, 0 if the maximum ended it
   */
  public String warmUps(List<?> stood) {
    long ended = Arrays.stream(array(stood)).filter(one -> one == 0).count();
    return stood.isEmpty()
        ? ""
        : " Of %s, %d reached the maximum of rounds."
            .formatted(Table.counted(stood.size(), "warm-up"), ended);
  }

  /** Formats a configured false-positive rate as a percentage. */
  public String asked(String rate) {
    double value = Double.parseDouble(rate);
    return percent(value, value < 0.01 ? 1 : 0);
  }

  /**
   * Returns a Markdown table of the machine, the commit and the command of the page's run.
   *
   * @param file the name of the results file
   */
  public String facts(String file) {
    Results.Setting setting = results.setting();
    return """
           | | |
           | --- | --- |
           | machine | %s, %s, %s |
           | JDK | %s |
           | commit | `%s`, %s |
           | command | `%s` (%s minutes) |
           | results | `%s` |
           """
        .formatted(
            setting.machine(),
            Table.counted(setting.cores(), "core"),
            setting.os(),
            setting.jdk(),
            setting.commit(),
            setting.date(),
            setting.command(),
            Progress.clock(setting.seconds()),
            file);
  }

  static double[] array(Object samples) {
    return ((List<?>) samples).stream().mapToDouble(one -> ((Number) one).doubleValue()).toArray();
  }
}
