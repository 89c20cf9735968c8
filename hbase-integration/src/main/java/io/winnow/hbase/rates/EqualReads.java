package io.winnow.hbase.rates;

import io.winnow.hbase.StorePlan;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Finds the rate of a store at which its Gets read as many files in vain as they do with other
 * filters: computed from the files of a run that went before, with the rule by which rates are
 * given. Which files there are does not depend on their filters, but for a few bytes.
 */
final class EqualReads {
  /** A filter that lets more than this through is left out. */
  private static final double MOST = 0.5;

  private static final double LEAST_STORE_RATE = 1e-6;
  private static final int STEPS = 60;

  /** Rates follow from shares; of so many keys even a small share is many. */
  private static final double STORE_KEYS = 1e12;

  private EqualReads() {}

  /**
   * The rate that a file gets: 1 if it gets no filter.
   *
   * @param share the file's share of the store's keys
   */
  static double ofFile(double storeRate, double share, double presentShare) {
    double keys = share * STORE_KEYS;
    List<StorePlan.PlannedFile> others = List.of(new StorePlan.PlannedFile(STORE_KEYS - keys, 0));
    double rate = StorePlan.rate(keys, others, storeRate, presentShare, null);
    return rate > MOST ? 1 : rate;
  }

  /**
   * The store rate at which Gets pay so much, as a mean over all moments.
   *
   * @param presentShare what the family is told
   * @param presentGets the share of Gets that find their row
   * @param falseReads files read in vain per Get
   */
  static double forFalseReads(
      List<Moment> moments, double presentShare, double presentGets, double falseReads) {
    DoubleUnaryOperator paid =
        rate ->
            moments.stream()
                .mapToDouble(moment -> falseReads(moment, rate, presentShare, presentGets))
                .average()
                .orElseThrow();
    double low = LEAST_STORE_RATE;
    double high = MOST;
    for (int i = 0; i < STEPS; i++) {
      double middle = Math.sqrt(low * high);
      if (paid.applyAsDouble(middle) <= falseReads) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** A Get that finds its row pays for the files that do not have it. */
  private static double falseReads(
      Moment moment, double storeRate, double presentShare, double presentGets) {
    double sum = 0;
    for (Moment.Share file : moment.shares()) {
      sum += ofFile(storeRate, file.whenWritten(), presentShare) * (1 - presentGets * file.now());
    }
    return sum;
  }
}
