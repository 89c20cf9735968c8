package io.winnow.ycsb.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The costs that best explain measured times: by least squares of the relative errors, none of them
 * below 0.
 */
final class CostFit {
  /** All subsets of the costs are tried. */
  private static final int MOST_COSTS = 12;

  /** How often each cost was paid for a row, and how long the row took. */
  record Sample(double micros, double... counts) {}

  private CostFit() {}

  /**
   * The costs, in microseconds, in the order of the samples' counts.
   *
   * @param samples one at least; what fewer than there are costs do not tell is 0
   */
  static double[] of(List<Sample> samples) {
    int costs = samples.get(0).counts().length;
    if (costs > MOST_COSTS) {
      throw new IllegalArgumentException(costs + " costs are more than " + MOST_COSTS);
    }
    double[] best = null;
    double least = Double.POSITIVE_INFINITY;
    for (int mask = 1; mask < 1 << costs; mask++) {
      List<Integer> used = new ArrayList<>();
      for (int i = 0; i < costs; i++) {
        if ((mask >> i & 1) == 1) {
          used.add(i);
        }
      }
      if (used.size() > samples.size()) {
        continue;
      }
      double[] solved = solve(samples, used, costs);
      double error = error(samples, solved);
      if (error < least) {
        least = error;
        best = solved;
      }
    }
    if (best == null) {
      throw new IllegalArgumentException("the times cannot be explained by costs above 0");
    }
    return best;
  }

  /** The squares of the relative errors; endless if a cost makes no sense. */
  private static double error(List<Sample> samples, double[] costs) {
    for (double cost : costs) {
      if (!(cost >= 0 && Double.isFinite(cost))) {
        return Double.POSITIVE_INFINITY;
      }
    }
    double sum = 0;
    for (Sample sample : samples) {
      sum += Math.pow(micros(sample, costs) / sample.micros() - 1, 2);
    }
    return sum;
  }

  /** What a row would take at these costs. */
  static double micros(Sample sample, double[] costs) {
    double micros = 0;
    for (int i = 0; i < costs.length; i++) {
      micros += costs[i] * sample.counts()[i];
    }
    return micros;
  }

  /** The normal equations, by elimination. */
  private static double[] solve(List<Sample> samples, List<Integer> used, int unknowns) {
    int n = used.size();
    double[][] rows = new double[n][n + 1];
    for (Sample sample : samples) {
      for (int i = 0; i < n; i++) {
        double weighted = sample.counts()[used.get(i)] / sample.micros();
        for (int j = 0; j < n; j++) {
          rows[i][j] += weighted * sample.counts()[used.get(j)] / sample.micros();
        }
        rows[i][n] += weighted;
      }
    }
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < n; k++) {
        if (k != i) {
          double factor = rows[k][i] / rows[i][i];
          for (int j = i; j <= n; j++) {
            rows[k][j] -= factor * rows[i][j];
          }
        }
      }
    }
    double[] costs = new double[unknowns];
    for (int i = 0; i < n; i++) {
      costs[used.get(i)] = rows[i][n] / rows[i][i];
    }
    return costs;
  }
}
