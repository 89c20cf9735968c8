package io.winnow.ycsb.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The costs of a row, of a block looked up and of a block read that best explain measured times: by
 * least squares of the relative errors, none of them below 0.
 */
final class CostFit {
  private static final int UNKNOWNS = 3;

  /** What was counted per row, and how long it took. */
  record Sample(double blocks, double blocksRead, double micros) {
    private double part(int unknown) {
      return switch (unknown) {
        case 0 -> 1;
        case 1 -> blocksRead;
        default -> blocks;
      };
    }
  }

  private CostFit() {}

  /**
   * The costs of a row, of a block read, and of a block looked up, in microseconds.
   *
   * @param samples one at least; what fewer than three do not tell is 0
   */
  static double[] of(List<Sample> samples) {
    double[] best = null;
    double least = Double.POSITIVE_INFINITY;
    for (int mask = 1; mask < 1 << UNKNOWNS; mask++) {
      List<Integer> used = new ArrayList<>();
      for (int i = 0; i < UNKNOWNS; i++) {
        if ((mask >> i & 1) == 1) {
          used.add(i);
        }
      }
      if (used.size() > samples.size()) {
        continue;
      }
      double[] costs = solve(samples, used);
      double error = error(samples, costs);
      if (error < least) {
        least = error;
        best = costs;
      }
    }
    if (best == null) {
      throw new IllegalArgumentException("the times cannot be explained by costs above 0");
    }
    return best;
  }

  /** The squares of the relative errors; endless if a cost makes no sense. */
  private static double error(List<Sample> samples, double[] costs) {
    double sum = 0;
    for (Sample sample : samples) {
      double micros = 0;
      for (int i = 0; i < UNKNOWNS; i++) {
        if (!(costs[i] >= 0 && Double.isFinite(costs[i]))) {
          return Double.POSITIVE_INFINITY;
        }
        micros += costs[i] * sample.part(i);
      }
      sum += Math.pow(micros / sample.micros() - 1, 2);
    }
    return sum;
  }

  /** The normal equations, by elimination. */
  private static double[] solve(List<Sample> samples, List<Integer> used) {
    int n = used.size();
    double[][] rows = new double[n][n + 1];
    for (Sample sample : samples) {
      for (int i = 0; i < n; i++) {
        double weighted = sample.part(used.get(i)) / sample.micros();
        for (int j = 0; j < n; j++) {
          rows[i][j] += weighted * sample.part(used.get(j)) / sample.micros();
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
    double[] costs = new double[UNKNOWNS];
    for (int i = 0; i < n; i++) {
      costs[used.get(i)] = rows[i][n] / rows[i][i];
    }
    return costs;
  }
}
